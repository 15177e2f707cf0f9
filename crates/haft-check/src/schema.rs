//! A schema of a tool, taken apart into its subschemas.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use serde_json::Value as Json;

use crate::json::{Node, Value};

/// Which schema of a tool it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Input,
    Output,
}

impl Part {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Input => "inputSchema",
            Self::Output => "outputSchema",
        }
    }
}

/// How a subschema is held by the one around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Position<'a> {
    Root,
    /// A member of `properties`, by this name.
    Property(&'a str),
    /// `items`
    Items,
    /// A member of `oneOf`, `anyOf` or `allOf`.
    Branch,
    /// `additionalProperties`
    Additional,
    /// A member of `$defs` or `definitions`.
    Definition,
    /// Under another keyword.
    Other,
}

/// A subschema.
#[derive(Clone, Copy)]
pub(crate) struct Sub<'a> {
    pub(crate) node: &'a Node,
    pub(crate) position: Position<'a>,
    /// How many subschemas are around it.
    pub(crate) depth: usize,
    /// Whether only `properties` lead from the root to it.
    pub(crate) straight: bool,
}

/// The most subschemas that are looked at.
pub(crate) const MOST: usize = 20_000;
/// The longest chain of references that is followed.
const DEEPEST_CHAIN: usize = 600;

/// A schema and all subschemas in it, in the order of the document.
pub(crate) struct Schema<'a> {
    pub(crate) part: Part,
    pub(crate) root: &'a Node,
    pub(crate) subs: Vec<Sub<'a>>,
    cycle: OnceCell<Option<&'a Node>>,
}

impl<'a> Schema<'a> {
    pub(crate) fn new(root: &'a Node, part: Part) -> Self {
        let mut subs = Vec::new();
        walk(Sub { node: root, position: Position::Root, depth: 0, straight: true }, &mut subs);
        Self { part, root, subs, cycle: OnceCell::new() }
    }

    /// The subschemas that are members of `properties`.
    pub(crate) fn properties(&self) -> impl Iterator<Item = (&'a str, &Sub<'a>)> {
        self.subs.iter().filter_map(|sub| match sub.position {
            Position::Property(name) => Some((name, sub)),
            _ => None,
        })
    }

    /// The members of the root's `properties`.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = (&'a str, &Sub<'a>)> {
        self.properties().filter(|(_, sub)| sub.depth == 1 && sub.straight)
    }

    /// Every use of a keyword that `wanted` picks: its name and its value.
    pub(crate) fn keywords(&self, wanted: impl Fn(&str) -> bool) -> impl Iterator<Item = (&'a str, &'a Node)> {
        let members = self.subs.iter().flat_map(|sub| sub.node.members());
        members.filter(move |member| wanted(&member.name)).map(|member| (&*member.name, &member.node))
    }

    /// Every use of this keyword.
    pub(crate) fn uses(&self, keyword: &'static str) -> impl Iterator<Item = &'a Node> {
        self.keywords(move |name| name == keyword).map(|(_, node)| node)
    }

    /// What a reference within the document leads to.
    pub(crate) fn resolve(&self, reference: &str) -> Option<&'a Node> {
        let fragment = reference.strip_prefix('#')?;
        if !fragment.is_empty() && !fragment.starts_with('/') {
            let named = |sub: &&Sub<'a>| ["$anchor", "$dynamicAnchor"].iter().any(|it| sub.says(it) == Some(fragment));
            return self.subs.iter().find(named).map(|sub| sub.node);
        }
        let steps = fragment.split('/').skip(1);
        steps.map(|step| step.replace("%24", "$").replace("~1", "/").replace("~0", "~")).try_fold(
            self.root,
            |node, step| match &node.value {
                Value::Array(items) => items.get(step.parse::<usize>().ok()?),
                _ => node.get(&step),
            },
        )
    }

    /// Whether parts of it have a URI of their own, to which references may lead.
    pub(crate) fn has_ids(&self) -> bool {
        self.uses("$id").next().is_some()
    }

    /// The first reference that leads back to a schema around it.
    pub(crate) fn cycle(&self) -> Option<&'a Node> {
        *self.cycle.get_or_init(|| self.leads_back(self.root, &mut HashMap::new(), 0))
    }

    /// A schema and those in it: they stand in the order of the text.
    fn within(&self, node: &Node) -> &[Sub<'a>] {
        let first = self.subs.partition_point(|sub| sub.node.span.start < node.span.start);
        let count = self.subs[first..].partition_point(|sub| sub.node.span.start < node.span.end);
        &self.subs[first..first + count]
    }

    fn leads_back(&self, node: &'a Node, states: &mut HashMap<usize, bool>, depth: usize) -> Option<&'a Node> {
        if depth > DEEPEST_CHAIN {
            return None;
        }
        states.insert(node.span.start, true);
        for sub in self.within(node) {
            let Some(reference) = sub.node.get("$ref").or_else(|| sub.node.get("$dynamicRef")) else { continue };
            let Some(target) = reference.as_str().and_then(|reference| self.resolve(reference)) else { continue };
            let found = match states.get(&target.span.start) {
                Some(true) => Some(reference),
                Some(false) => None,
                // A definition that nothing refers to is no part of what the schema says, but hosts walk it all the same.
                None => self.leads_back(target, states, depth + 1),
            };
            if found.is_some() {
                return found;
            }
        }
        states.insert(node.span.start, false);
        None
    }

    /// How many subschemas there are once every reference is replaced by what it leads to; `None` where that never ends.
    pub(crate) fn expanded(&self) -> Option<usize> {
        if self.uses("$ref").next().is_none() {
            return Some(self.subs.len());
        }
        if self.cycle().is_some() {
            return None;
        }
        Some(self.count(self.root, &mut HashMap::new(), 0))
    }

    fn count(&self, node: &'a Node, known: &mut HashMap<usize, usize>, depth: usize) -> usize {
        if depth > DEEPEST_CHAIN {
            return usize::MAX;
        }
        if let Some(&count) = known.get(&node.span.start) {
            return count;
        }
        let mut count = 1_usize;
        for child in children(Sub { node, position: Position::Root, depth: 0, straight: true }) {
            if child.position != Position::Definition {
                count = count.saturating_add(self.count(child.node, known, depth + 1));
            }
        }
        let target = node.get("$ref").and_then(Node::as_str).and_then(|reference| self.resolve(reference));
        if let Some(target) = target {
            count = count.saturating_add(self.count(target, known, depth + 1));
        }
        known.insert(node.span.start, count);
        count
    }

    /// The schema for validators; `None` where it is larger than they take.
    pub(crate) fn to_value(&self) -> Option<Json> {
        let deep = self.subs.iter().any(|sub| sub.depth > 60);
        let whole = self.subs.len() < MOST && !deep;
        whole.then(|| self.root.to_value())
    }

    /// What its text has in bytes without blanks, about as hosts send it on.
    pub(crate) fn compact_bytes(&self) -> usize {
        compact_bytes(self.root)
    }
}

impl<'a> Sub<'a> {
    /// The value of a keyword.
    pub(crate) fn get(&self, keyword: &str) -> Option<&'a Node> {
        self.node.get(keyword)
    }

    /// The value of a keyword, if it is a string.
    pub(crate) fn says(&self, keyword: &str) -> Option<&'a str> {
        self.get(keyword).and_then(Node::as_str)
    }

    pub(crate) fn has(&self, keyword: &str) -> bool {
        self.get(keyword).is_some()
    }

    /// Whether `type` names this type, alone or among others.
    pub(crate) fn is(&self, kind: &str) -> bool {
        self.get("type").is_some_and(|types| {
            types.as_str() == Some(kind) || types.items().iter().any(|it| it.as_str() == Some(kind))
        })
    }

    /// The names in `required`.
    pub(crate) fn required(&self) -> HashSet<&'a str> {
        self.get("required").map(Node::items).unwrap_or_default().iter().filter_map(Node::as_str).collect()
    }
}

fn walk<'a>(sub: Sub<'a>, subs: &mut Vec<Sub<'a>>) {
    if subs.len() == MOST {
        return;
    }
    subs.push(sub);
    for child in children(sub) {
        walk(child, subs);
    }
}

/// The subschemas directly below one.
fn children<'a>(sub: Sub<'a>) -> Vec<Sub<'a>> {
    let mut children = Vec::new();
    let mut child = |node, position, straight| {
        children.push(Sub { node, position, depth: sub.depth + 1, straight: sub.straight && straight });
    };
    for member in sub.node.members() {
        let value = &member.node;
        match &*member.name {
            "properties" => {
                value.members().iter().for_each(|it| child(&it.node, Position::Property(&it.name), true));
            }
            "$defs" | "definitions" => {
                value.members().iter().for_each(|it| child(&it.node, Position::Definition, false));
            }
            "patternProperties" | "dependentSchemas" => {
                value.members().iter().for_each(|it| child(&it.node, Position::Other, false));
            }
            "oneOf" | "anyOf" | "allOf" => {
                value.items().iter().for_each(|it| child(it, Position::Branch, false));
            }
            "prefixItems" => value.items().iter().for_each(|it| child(it, Position::Other, false)),
            "items" if value.is_array() => value.items().iter().for_each(|it| child(it, Position::Other, false)),
            "items" => child(value, Position::Items, false),
            "additionalProperties" => child(value, Position::Additional, false),
            "unevaluatedProperties"
            | "unevaluatedItems"
            | "additionalItems"
            | "not"
            | "if"
            | "then"
            | "else"
            | "contains"
            | "propertyNames"
            | "contentSchema" => child(value, Position::Other, false),
            _ => {}
        }
    }
    children
}

/// The length of a value's text without blanks.
pub(crate) fn compact_bytes(node: &Node) -> usize {
    let list = |lengths: &mut dyn Iterator<Item = usize>| {
        let (count, sum) = lengths.fold((0_usize, 0), |(count, sum), length| (count + 1, sum + length));
        2 + sum + count.saturating_sub(1)
    };
    match &node.value {
        Value::Null | Value::Unread => 4,
        Value::Bool(value) => {
            if *value {
                4
            } else {
                5
            }
        }
        Value::Number(text) => text.len(),
        Value::String(text) => text.bytes + 2,
        Value::Array(items) => list(&mut items.iter().map(compact_bytes)),
        Value::Object(members) => {
            list(&mut members.iter().map(|member| member.name.len() + 3 + compact_bytes(&member.node)))
        }
    }
}
