//! What a check would take, before it is made: the validator follows a schema that refers to itself in many ways as often as
//! it does, and looks at a wide schema for each item of a long list.

use std::collections::HashSet;
use std::iter::Enumerate;
use std::slice;

use serde_json::{Value, map};

use super::graph::{Graph, Id, Node};

/// The most steps that a check may take: one is a subschema at a value. They take a few seconds.
const MOST: u64 = 1_000_000_000;
/// What it costs to count one: those that are counted one by one must be far fewer.
const COUNTED: u64 = 200;
/// Values of so many parts are not looked into, but counted as if everything applied to each of them.
const SMALL: u64 = 16;
/// Bytes of a string, or values of a list, that count as one step.
const BYTES: usize = 64;
const VALUES: usize = 16;
/// Steps of a match that may have to go back.
const LOOKAROUND: u64 = 20_000;

/// What is known of a schema's cost.
#[derive(Debug)]
pub(crate) struct Cost {
    /// The steps that each subschema takes at one value, if all that it leads to applies there.
    whole: Vec<u64>,
    /// The subschemas that contain themselves. The validator remembers what it found out about these.
    recursive: HashSet<Id>,
    /// Those that lead to one of them.
    endless: Vec<bool>,
}

impl Cost {
    pub(crate) fn of(graph: &Graph) -> Self {
        let mut recursive = HashSet::new();
        let mut whole: Vec<Option<u64>> = vec![None; graph.nodes.len()];
        let mut open = vec![false; graph.nodes.len()];
        let mut endless = vec![false; graph.nodes.len()];
        // Not recursive: a chain of members may be longer than the stack.
        let mut path = vec![(Graph::ROOT, children(&graph.nodes[Graph::ROOT]), 0)];
        open[Graph::ROOT] = true;
        while let Some((id, below, next)) = path.last_mut() {
            let Some(&child) = below.get(*next) else {
                let of = |child: &Id| whole[*child].unwrap_or(1);
                let sum = below.iter().map(of).fold(own(graph, *id, None), u64::saturating_add);
                endless[*id] = below.iter().any(|&child| open[child] || endless[child]);
                open[*id] = false;
                whole[*id] = Some(sum);
                path.pop();
                continue;
            };
            *next += 1;
            if open[child] {
                recursive.insert(child);
            } else if whole[child].is_none() {
                open[child] = true;
                path.push((child, children(&graph.nodes[child]), 0));
            }
        }
        Self { whole: whole.into_iter().map(|whole| whole.unwrap_or(1)).collect(), recursive, endless }
    }

    /// Whether a value, of bounded depth, can be checked in so many steps.
    pub(crate) fn is_bearable(&self, graph: &Graph, value: &Value) -> bool {
        if self.recursive.is_empty() && self.whole[Graph::ROOT].saturating_mul(parts(value)) <= MOST {
            return true;
        }
        Count { graph, cost: self, seen: HashSet::new(), left: MOST, pending: Vec::new() }.all(value).is_some()
    }
}

/// A value's size in values and in pieces of strings.
fn parts(value: &Value) -> u64 {
    match value {
        Value::Array(items) => items.iter().map(parts).fold(1, u64::saturating_add),
        Value::Object(members) => {
            members.iter().map(|(name, value)| length(name) + parts(value)).fold(1, u64::saturating_add)
        }
        Value::String(text) => length(text),
        Value::Null | Value::Bool(_) | Value::Number(_) => 1,
    }
}

/// Whether a value has few parts; found out without looking at more.
fn is_small(value: &Value) -> bool {
    match value {
        Value::Array(items) => (items.len() as u64) < SMALL && items.iter().all(is_scalar),
        Value::Object(members) => (members.len() as u64) < SMALL && members.values().all(is_scalar),
        _ => true,
    }
}

fn is_scalar(value: &Value) -> bool {
    !matches!(value, Value::Array(_) | Value::Object(_))
}

fn length(text: &str) -> u64 {
    1 + (text.len() / BYTES) as u64
}

/// The steps that a node takes by itself; at a string, or else at the least.
fn own(graph: &Graph, id: Id, value: Option<&Value>) -> u64 {
    let node = &graph.nodes[id];
    let listed = node.options.as_ref().map_or(0, |options| options.len() / VALUES) + node.required.len() / VALUES;
    let matched = usize::from(node.assertions.contains_key("pattern")) + node.pattern_properties.len();
    let each = match value {
        Some(Value::String(text)) => length(text),
        Some(Value::Object(members)) => members.len() as u64,
        Some(_) => 0,
        None => 1,
    };
    let back = if graph.settings.lookaround { LOOKAROUND } else { 1 };
    1 + listed as u64 + (matched as u64).saturating_mul(each).saturating_mul(back)
}

/// All nodes that a node leads to, at the same value or below it.
fn children(node: &Node) -> Vec<Id> {
    let below = node.properties.values().chain(node.pattern_properties.iter().map(|(_, id)| id));
    let below = below.chain(&node.prefix_items);
    let single = [
        node.additional_properties,
        node.property_names,
        node.unevaluated_properties,
        node.items,
        node.unevaluated_items,
        node.contains.as_ref().map(|contains| contains.node),
    ];
    same(node).into_iter().chain(below.copied()).chain(single.into_iter().flatten()).collect()
}

/// The nodes that a node leads to at the same value.
fn same(node: &Node) -> Vec<Id> {
    let mut same: Vec<Id> = node.reference.iter().chain(&node.all_of).copied().collect();
    same.extend(node.unions.iter().flat_map(|union| &union.branches));
    same.extend(node.not);
    if let Some(condition) = &node.condition {
        same.extend([Some(condition.test), condition.then, condition.otherwise].into_iter().flatten());
    }
    same.extend(node.dependent.iter().map(|(_, id)| *id));
    same
}

struct Count<'a> {
    graph: &'a Graph,
    cost: &'a Cost,
    seen: HashSet<(Id, *const Value)>,
    left: u64,
    /// What is still to be counted. On the heap: each level may be entered by a long chain of subschemas.
    pending: Vec<Next<'a>>,
}

enum Next<'a> {
    Node(Id, &'a Value),
    Members(&'a Node, map::Iter<'a>),
    Items(&'a Node, Enumerate<slice::Iter<'a, Value>>),
}

impl<'a> Count<'a> {
    /// `None` once there are too many.
    fn all(mut self, value: &'a Value) -> Option<()> {
        self.pending.push(Next::Node(Graph::ROOT, value));
        while let Some(next) = self.pending.pop() {
            match next {
                Next::Node(id, value) => self.node(id, value)?,
                Next::Members(node, mut members) => {
                    let Some((name, member)) = members.next() else { continue };
                    self.pending.push(Next::Members(node, members));
                    let schemas = self.graph.member_schemas(node, name).into_iter().chain(node.unevaluated_properties);
                    self.pending.extend(schemas.map(|schema| Next::Node(schema, member)));
                    if let Some(names) = node.property_names {
                        let below = children(&self.graph.nodes[names]).len() as u64;
                        self.left = self.left.checked_sub(length(name) + below)?;
                    }
                }
                Next::Items(node, mut items) => {
                    let Some((index, item)) = items.next() else { continue };
                    self.pending.push(Next::Items(node, items));
                    let contains = node.contains.as_ref().map(|contains| contains.node);
                    let schemas = self.graph.item_schema(node, index).into_iter().chain(contains);
                    let schemas = schemas.chain(node.unevaluated_items);
                    self.pending.extend(schemas.map(|schema| Next::Node(schema, item)));
                }
            }
        }
        Some(())
    }

    fn node(&mut self, id: Id, value: &'a Value) -> Option<()> {
        if !self.cost.endless[id] && is_small(value) {
            let whole = self.cost.whole[id].saturating_mul(parts(value));
            // Where that is too much, it may be that not everything applies.
            if let Some(left) = self.left.checked_sub(whole) {
                self.left = left;
                return Some(());
            }
        }
        self.left = self.left.checked_sub(COUNTED + own(self.graph, id, Some(value)))?;
        if self.cost.recursive.contains(&id) && !self.seen.insert((id, std::ptr::from_ref(value))) {
            return Some(());
        }
        let node = &self.graph.nodes[id];
        self.pending.extend(same(node).into_iter().map(|part| Next::Node(part, value)));
        match value {
            Value::Object(members) => self.pending.push(Next::Members(node, members.iter())),
            Value::Array(items) => self.pending.push(Next::Items(node, items.iter().enumerate())),
            _ => {}
        }
        Some(())
    }
}
