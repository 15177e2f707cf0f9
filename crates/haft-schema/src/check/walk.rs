//! Whether a value fits a node of the graph, and which members and items a node has looked at.
//!
//! The verdict on a whole value is the validator's. This is for what a verdict doesn't tell: which branch of a union fits,
//! which member is at fault. What is found out about shared nodes is remembered, so the work stays near-linear in the sizes
//! of schema and value even where a schema refers to itself many times over; past a number of steps it ends.

use std::collections::{BTreeSet, HashMap};

use jsonschema::error::ValidationErrorKind;
use serde_json::{Map, Value};

use super::bounds;
use super::graph::{Graph, Id, Node, Union};

/// No more results than these are remembered.
const REMEMBERED: usize = 1_000_000;

/// A walk over one value, which must not change meanwhile: results are remembered by address.
pub(crate) struct Walk<'a> {
    pub(crate) graph: &'a Graph,
    remembered: HashMap<(Id, *const Value), bool>,
    steps: usize,
}

/// The members of an object, or items of an array, that a node and its parts have looked at.
#[derive(Default)]
pub(crate) struct Evaluated {
    /// All of them.
    pub(crate) all: bool,
    pub(crate) names: BTreeSet<String>,
    /// The first so many items.
    pub(crate) items: usize,
    /// Further items.
    pub(crate) indices: BTreeSet<usize>,
}

/// Whether an error is a match that took all the steps it may.
pub(crate) fn is_costly(kind: &ValidationErrorKind) -> bool {
    matches!(kind, ValidationErrorKind::BacktrackLimitExceeded { .. })
}

impl<'a> Walk<'a> {
    pub(crate) fn new(graph: &'a Graph) -> Self {
        Self { graph, remembered: HashMap::new(), steps: 0 }
    }

    /// Whether the walk ended before all was looked at. From then on everything counts as valid.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.steps >= bounds::STEPS
    }

    /// Counts a step; false if there were too many.
    pub(crate) fn step(&mut self) -> bool {
        self.steps = self.steps.saturating_add(1);
        !self.is_exhausted()
    }

    /// Whether `value`, a part of the walked value, fits the node.
    pub(crate) fn fits(&mut self, id: Id, value: &Value) -> bool {
        if !self.step() {
            return true;
        }
        if !self.graph.nodes[id].shared {
            return self.fits_anew(id, value);
        }
        let key = (id, std::ptr::from_ref(value));
        if let Some(&known) = self.remembered.get(&key) {
            return known;
        }
        let fits = self.fits_anew(id, value);
        if self.remembered.len() < REMEMBERED {
            self.remembered.insert(key, fits);
        }
        fits
    }

    /// Whether a member's name fits the node. Its address is of no use, so nothing is remembered.
    pub(crate) fn name_fits(&mut self, id: Id, name: &str) -> bool {
        let name = Value::String(name.to_owned());
        let remembered = std::mem::take(&mut self.remembered);
        let fits = self.fits(id, &name);
        self.remembered = remembered;
        fits
    }

    fn fits_anew(&mut self, id: Id, value: &Value) -> bool {
        let graph = self.graph;
        let node = &graph.nodes[id];
        if let Some(constant) = node.constant {
            return constant;
        }
        self.asserts(id, value)
            && node.reference.is_none_or(|target| self.fits(target, value))
            && node.all_of.iter().all(|&part| self.fits(part, value))
            && node.unions.iter().all(|union| self.fits_union(union, value))
            && node.not.is_none_or(|not| !self.fits(not, value))
            && self.conditional(node, value).is_none_or(|then| self.fits(then, value))
            && self.dependents(node, value).into_iter().all(|dependent| self.fits(dependent, value))
            && match value {
                Value::Object(members) => self.fits_members(id, members, value),
                Value::Array(items) => self.fits_items(id, items, value),
                _ => true,
            }
    }

    /// Whether a value fits the assertions of a node.
    fn asserts(&mut self, id: Id, value: &Value) -> bool {
        let Some(asserted) = self.graph.asserted(id) else { return true };
        if !self.graph.settings.lookaround {
            return asserted.is_valid(value);
        }
        let mut errors = asserted.iter_errors(value).peekable();
        let fits = errors.peek().is_none();
        if errors.any(|error| is_costly(error.kind())) {
            self.charge();
        }
        fits
    }

    /// Counts a match that took all the steps it may.
    pub(crate) fn charge(&mut self) {
        self.steps = self.steps.saturating_add(bounds::STEPS / bounds::COSTLY_MATCHES);
    }

    pub(crate) fn fits_union(&mut self, union: &Union, value: &Value) -> bool {
        if union.exclusive {
            self.fitting(union, value).len() == 1
        } else {
            union.branches.iter().any(|&branch| self.fits(branch, value))
        }
    }

    /// The branches that the value fits.
    pub(crate) fn fitting(&mut self, union: &Union, value: &Value) -> Vec<Id> {
        union.branches.iter().copied().filter(|&branch| self.fits(branch, value)).collect()
    }

    /// The schema of `then` or `else` that applies.
    pub(crate) fn conditional(&mut self, node: &Node, value: &Value) -> Option<Id> {
        let condition = node.condition.as_ref()?;
        if self.fits(condition.test, value) { condition.then } else { condition.otherwise }
    }

    /// The schemas that apply because a member is there.
    pub(crate) fn dependents(&self, node: &Node, value: &Value) -> Vec<Id> {
        let Value::Object(members) = value else { return Vec::new() };
        node.dependent.iter().filter(|(name, _)| members.contains_key(name)).map(|(_, id)| *id).collect()
    }

    fn fits_members(&mut self, id: Id, members: &Map<String, Value>, whole: &Value) -> bool {
        let graph = self.graph;
        let node = &graph.nodes[id];
        let declared = members.iter().all(|(name, member)| {
            (node.property_names.is_none_or(|names| self.name_fits(names, name)))
                && graph.member_schemas(node, name).into_iter().all(|schema| self.fits(schema, member))
        });
        declared
            && node.unevaluated_properties.is_none_or(|rest| {
                let evaluated = self.evaluated(id, whole, false);
                evaluated.all
                    || members.iter().all(|(name, member)| evaluated.names.contains(name) || self.fits(rest, member))
            })
    }

    fn fits_items(&mut self, id: Id, items: &[Value], whole: &Value) -> bool {
        let graph = self.graph;
        let node = &graph.nodes[id];
        let placed = items
            .iter()
            .enumerate()
            .all(|(index, item)| graph.item_schema(node, index).is_none_or(|schema| self.fits(schema, item)));
        placed
            && node.contains.as_ref().is_none_or(|contains| {
                let count = self.containing(contains.node, items);
                count >= contains.min && contains.max.is_none_or(|max| count <= max)
            })
            && node.unevaluated_items.is_none_or(|rest| {
                let evaluated = self.evaluated(id, whole, false);
                let seen =
                    |index: usize| evaluated.all || index < evaluated.items || evaluated.indices.contains(&index);
                items.iter().enumerate().all(|(index, item)| seen(index) || self.fits(rest, item))
            })
    }

    /// How many of the items fit the schema of `contains`.
    pub(crate) fn containing(&mut self, schema: Id, items: &[Value]) -> u64 {
        items.iter().filter(|item| self.fits(schema, item)).count() as u64
    }

    /// What a node has looked at in `value`, except by its own `unevaluated…` keywords.
    ///
    /// With `leniently`, parts that the value doesn't fit count too, so that their failure isn't reported once more for
    /// each member that they would have known.
    pub(crate) fn evaluated(&mut self, id: Id, value: &Value, leniently: bool) -> Evaluated {
        let mut evaluated = Evaluated::default();
        self.evaluate(id, value, leniently, true, &mut evaluated);
        evaluated
    }

    fn evaluate(&mut self, id: Id, value: &Value, leniently: bool, outermost: bool, into: &mut Evaluated) {
        if into.all || !self.step() {
            return;
        }
        let graph = self.graph;
        let node = &graph.nodes[id];
        match value {
            Value::Object(members) => {
                for name in members.keys() {
                    if !graph.member_schemas(node, name).is_empty() {
                        into.names.insert(name.clone());
                    }
                }
                into.all |= !outermost && node.unevaluated_properties.is_some();
            }
            Value::Array(items) => {
                into.items = into.items.max(node.prefix_items.len());
                into.all |= node.items.is_some() || (!outermost && node.unevaluated_items.is_some());
                if let Some(contains) = &node.contains {
                    let fitting = |(index, item): (usize, &Value)| self.fits(contains.node, item).then_some(index);
                    into.indices.extend(items.iter().enumerate().filter_map(fitting).collect::<Vec<_>>());
                }
            }
            _ => return,
        }
        for part in node.reference.iter().chain(&node.all_of).copied() {
            self.evaluate(part, value, leniently, false, into);
        }
        for union in &node.unions {
            let mut branches = self.fitting(union, value);
            if leniently && branches.is_empty() {
                branches.clone_from(&union.branches);
            }
            for branch in branches {
                self.evaluate(branch, value, leniently, false, into);
            }
        }
        if let Some(condition) = &node.condition {
            if self.fits(condition.test, value) {
                self.evaluate(condition.test, value, leniently, false, into);
            }
            if let Some(then) = self.conditional(node, value) {
                self.evaluate(then, value, leniently, false, into);
            }
        }
        for dependent in self.dependents(node, value) {
            self.evaluate(dependent, value, leniently, false, into);
        }
    }
}
