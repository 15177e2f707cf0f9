//! A value that the validator refused in, everything that is wrong with it out; the words are given in `render`.

use std::collections::HashSet;

use jsonschema::error::ValidationErrorKind;
use serde_json::{Map, Value};

use super::bounds;
use super::excerpt::{self, Excerpt};
use super::graph::{Graph, Id, Node, Union};
use super::kinds::{forms_kind, kind_of, options_kind};
use super::lower::escape;
use super::phrase;
use super::render::format_words;
use super::suggest;
use super::unions::{self, Choice};
use super::violation::{Violation, ViolationKind};
use super::walk::{Walk, is_costly};

/// The rank of members that the schema doesn't declare: after all that it does.
const UNDECLARED: u32 = u32::MAX;
/// The most unknown names of an object that a known one is looked for.
const SUGGESTED: usize = 20;
/// The most known names that a violation lists.
const LISTED: usize = 20;

/// Every violation of the schema by a value, in the order of the schema's members: the required ones in the order of
/// `required`, then the others by name, then those that the schema doesn't know. Empty if the value is valid, or fails in a
/// way that the graph doesn't know.
pub(crate) fn explain(graph: &Graph, value: &Value) -> Vec<Violation> {
    let mut explanation = Explanation {
        walk: Walk::new(graph),
        pointer: String::new(),
        ranks: Vec::new(),
        places: Vec::new(),
        visited: HashSet::new(),
        found: Vec::new(),
    };
    explanation.enter(Graph::ROOT, value);
    explanation.finish()
}

/// The description and the example that the schema gives for a place in a value.
pub(crate) fn about(graph: &Graph, value: &Value, pointer: &str) -> (Option<String>, Option<String>) {
    let mut walk = Walk::new(graph);
    let mut places = vec![Graph::ROOT];
    let mut value = Some(value);
    for token in pointer.split('/').skip(1) {
        let name = token.replace("~1", "/").replace("~0", "~");
        let applying: Vec<Id> = places.iter().flat_map(|&id| applying(&mut walk, id, value)).collect();
        places = applying
            .into_iter()
            .flat_map(|id| match name.parse::<usize>() {
                Ok(index) if value.is_some_and(Value::is_array) => {
                    graph.item_schema(&graph.nodes[id], index).into_iter().collect()
                }
                _ => graph.member_schemas(&graph.nodes[id], &name),
            })
            .collect();
        value = value.and_then(|value| match value {
            Value::Array(items) => items.get(name.parse::<usize>().ok()?),
            Value::Object(members) => members.get(&name),
            _ => None,
        });
    }
    let description = places.iter().find_map(|&id| graph.first(id, |node| node.description.clone()));
    (description, places.iter().find_map(|&id| example(graph, id)))
}

/// The nodes that apply to the same value as this one.
pub(crate) fn applying(walk: &mut Walk<'_>, id: Id, value: Option<&Value>) -> Vec<Id> {
    let graph = walk.graph;
    let mut ids = vec![id];
    let mut next = 0;
    while let Some(&id) = ids.get(next) {
        next += 1;
        let node = &graph.nodes[id];
        let mut parts: Vec<Id> = node.reference.iter().chain(&node.all_of).copied().collect();
        if let Some(value) = value {
            parts.extend(node.unions.iter().flat_map(|union| meant(walk, union, value)));
            parts.extend(walk.conditional(node, value));
            parts.extend(walk.dependents(node, value));
        }
        for part in parts {
            if walk.step() && !ids.contains(&part) {
                ids.push(part);
            }
        }
    }
    ids
}

/// The branches of a union that the value fits; else the one that was meant, if there is one.
fn meant<'a>(walk: &mut Walk<'a>, union: &'a Union, value: &Value) -> Vec<Id> {
    if let Some(branch) = value.as_object().and_then(|members| unions::tagged(walk.graph, union, members)) {
        return vec![branch];
    }
    let fitting = walk.fitting(union, value);
    if !fitting.is_empty() {
        return fitting;
    }
    match unions::choose(walk, union, value) {
        Choice::Branch(branch) => vec![branch],
        _ => Vec::new(),
    }
}

fn example(graph: &Graph, id: Id) -> Option<String> {
    graph.first(id, |node| node.example.as_ref()).map(|example| excerpt::json(example, 80))
}

struct Explanation<'a> {
    walk: Walk<'a>,
    /// The place in the value.
    pointer: String,
    /// The rank of each part of the pointer.
    ranks: Vec<u32>,
    /// For each part of the pointer, and the root, the node by which it was entered.
    places: Vec<Id>,
    /// Shared nodes that were explained, with the address of the value.
    visited: HashSet<(Id, *const Value)>,
    found: Vec<(Vec<u32>, Violation)>,
}

impl<'a> Explanation<'a> {
    fn finish(mut self) -> Vec<Violation> {
        let full = self.is_full();
        self.found.sort_by(|(ranks, one), (others, other)| (ranks, &one.pointer).cmp(&(others, &other.pointer)));
        let mut violations: Vec<Violation> = Vec::with_capacity(self.found.len());
        for (_, violation) in self.found {
            // Doubles of a place are neighbours, or nearly so.
            let same_place = violations.iter().rev().take_while(|other| other.pointer == violation.pointer);
            if !same_place.into_iter().any(|other| is_double(&other.kind, &violation.kind)) {
                violations.push(violation);
            }
        }
        violations.truncate(bounds::VIOLATIONS);
        if full {
            violations.push(Violation::new("", ViolationKind::Unfinished));
        }
        violations
    }

    fn is_full(&self) -> bool {
        self.found.len() > bounds::VIOLATIONS || self.walk.is_exhausted()
    }

    /// Explains a value at a new place.
    fn enter(&mut self, id: Id, value: &Value) {
        self.places.push(id);
        self.node(id, value);
        self.places.pop();
    }

    fn at<T>(&mut self, token: &str, rank: u32, run: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.pointer.len();
        self.pointer.push('/');
        self.pointer.push_str(token);
        self.ranks.push(rank);
        let result = run(self);
        self.ranks.pop();
        self.pointer.truncate(length);
        result
    }

    /// Reports a violation by the value at the current place.
    fn report(&mut self, kind: ViolationKind, got: Option<&Value>, about: Option<Id>) {
        let graph = self.walk.graph;
        self.found.push((
            self.ranks.clone(),
            Violation {
                pointer: self.pointer.clone(),
                kind,
                got: got.map(Excerpt::of),
                description: about.and_then(|id| graph.first(id, |node| node.description.clone())),
                example: about.and_then(|id| example(graph, id)),
            },
        ));
    }

    fn report_here(&mut self, kind: ViolationKind, value: &Value) {
        let about = self.places.last().copied();
        self.report(kind, Some(value), about);
    }

    /// Explains a value by a node that applies to it.
    fn node(&mut self, id: Id, value: &Value) {
        let graph = self.walk.graph;
        let node = &graph.nodes[id];
        if self.is_full() || !self.walk.step() {
            return;
        }
        if node.shared && !self.visited.insert((id, std::ptr::from_ref(value))) {
            return;
        }
        if node.constant == Some(false) {
            self.report_here(ViolationKind::NotAllowed, value);
        }
        if !self.assertions(id, value) {
            return;
        }
        for part in node.reference.iter().chain(&node.all_of).copied() {
            self.node(part, value);
        }
        for union in &node.unions {
            self.union(union, value);
        }
        if let Some(not) = node.not.filter(|&not| self.walk.fits(not, value)) {
            self.report_here(ViolationKind::Forbidden { what: phrase::expectation(graph, not) }, value);
        }
        if let Some(then) = self.walk.conditional(node, value) {
            self.node(then, value);
        }
        for dependent in self.walk.dependents(node, value) {
            self.node(dependent, value);
        }
        match value {
            Value::Object(members) => self.members(id, members, value),
            Value::Array(items) => self.items(id, items, value),
            _ => {}
        }
    }

    /// Reports what the validator finds by the node's assertions. False if the value is of the wrong type, or none of those
    /// listed, so that nothing else about it is worth saying.
    fn assertions(&mut self, id: Id, value: &Value) -> bool {
        let graph = self.walk.graph;
        let node = &graph.nodes[id];
        let Some(asserted) = graph.asserted(id) else { return true };
        // The linear engine is quicker asked twice; the other is asked once.
        if !graph.settings.lookaround && asserted.is_valid(value) {
            return true;
        }
        let mut kinds: Vec<ViolationKind> = Vec::new();
        let mut missing: Vec<String> = Vec::new();
        for error in asserted.iter_errors(value) {
            if is_costly(error.kind()) {
                self.walk.charge();
            }
            match error.kind() {
                ValidationErrorKind::Required { property: Value::String(name) } => missing.push(name.clone()),
                kind => kinds.push(kind_of(node, kind, value)),
            }
        }
        // Words for a format say what its pattern says.
        let worded =
            |kind: &ViolationKind| matches!(kind, ViolationKind::Format { format } if format_words(format).is_some());
        if kinds.iter().any(worded) {
            kinds.retain(|kind| !matches!(kind, ViolationKind::Pattern { .. }));
        }
        for kind in &mut kinds {
            if let ViolationKind::Type { words, .. } = kind {
                *words = phrase::expectation(graph, id);
            }
        }
        let listed = kinds.iter().position(|kind| matches!(kind, ViolationKind::Options { .. }));
        let typed = kinds.iter().position(|kind| matches!(kind, ViolationKind::Type { .. }));
        if let Some(index) = listed.or(typed) {
            let kind = kinds.swap_remove(index);
            self.report_here(kind, value);
            return false;
        }
        for kind in kinds {
            self.report_here(kind, value);
        }
        for name in missing {
            self.missing(id, &name);
        }
        true
    }

    fn missing(&mut self, id: Id, name: &str) {
        let member = self.declaration(id, name);
        let expected = member.and_then(|member| phrase::expectation(self.walk.graph, member));
        self.missing_member(id, name, expected, member);
    }

    fn missing_member(&mut self, id: Id, name: &str, expected: Option<String>, about: Option<Id>) {
        let rank = self.rank(id, name);
        self.at(&escape(name), rank, |this| this.report(ViolationKind::Missing { expected }, None, about));
    }

    /// Where a member comes among those that are declared with a node, or with the place.
    fn rank(&self, id: Id, name: &str) -> u32 {
        let graph = self.walk.graph;
        let among = |id: Id| {
            let position = |part: Id| graph.declared(&graph.nodes[part]).into_iter().position(|other| other == name);
            graph.together(id).into_iter().find_map(position)
        };
        let position = among(id).or_else(|| among(*self.places.last()?));
        position.and_then(|position| u32::try_from(position).ok()).unwrap_or(UNDECLARED)
    }

    /// The schema of a member, by a node or by what applies together with it or with the place.
    fn declaration(&self, id: Id, name: &str) -> Option<Id> {
        let graph = self.walk.graph;
        let declared = |node: &Node| node.properties.get(name).copied();
        graph.first(id, declared).or_else(|| graph.first(*self.places.last()?, declared))
    }

    fn union(&mut self, union: &'a Union, value: &Value) {
        if self.walk.fits_union(union, value) {
            return;
        }
        let graph = self.walk.graph;
        let of = |ids: &[Id]| -> Vec<String> {
            let mut phrases: Vec<String> = ids
                .iter()
                .map(|&id| phrase::expectation(graph, id).unwrap_or_else(|| "another form".to_owned()))
                .collect();
            phrases.dedup();
            phrases
        };
        match unions::choose(&mut self.walk, union, value) {
            Choice::Branch(branch) => self.node(branch, value),
            Choice::Types(types) => {
                self.report_here(ViolationKind::Type { expected: types.names(), words: None }, value);
            }
            Choice::Options(options) => self.report_here(options_kind(options.into_iter(), value), value),
            Choice::Tag { name, options } => {
                let Some(tag) = value.get(name) else { return };
                let about = union.branches.first().and_then(|&branch| self.declaration(branch, name));
                let rank = union.branches.first().map_or(UNDECLARED, |&branch| self.rank(branch, name));
                let kind = options_kind(options.iter(), tag);
                self.at(&escape(name), rank, |this| this.report(kind, Some(tag), about));
            }
            Choice::NoTag { name, options } => {
                let Some(&branch) = union.branches.first() else { return };
                let about = self.declaration(branch, name);
                self.missing_member(branch, name, Some(phrase::one_of(options)), about);
            }
            Choice::Keys { known } => {
                let Value::Object(members) = value else { return };
                let known: Vec<String> = known.into_iter().map(str::to_owned).collect();
                let mut names: Vec<&String> = members.keys().collect();
                names.sort_unstable();
                self.unknown(members, &names, &known, None);
            }
            Choice::Forms { options, keys } => self.report_here(forms_kind(&options, &keys, value), value),
            Choice::Open(branches) => {
                self.report_here(ViolationKind::Alternatives { alternatives: of(&branches) }, value)
            }
            Choice::Ambiguous(branches) => {
                self.report_here(ViolationKind::Ambiguous { alternatives: of(&branches) }, value)
            }
        }
    }

    fn members(&mut self, id: Id, members: &Map<String, Value>, whole: &Value) {
        let graph = self.walk.graph;
        let node = &graph.nodes[id];
        for (rank, name) in (0..).zip(graph.declared(node)) {
            let Some(member) = members.get(name) else { continue };
            for schema in graph.member_schemas(node, name) {
                self.at(&escape(name), rank, |this| this.enter(schema, member));
            }
        }
        let evaluated = node.unevaluated_properties.map(|_| self.walk.evaluated(id, whole, true));
        let mut names: Vec<&String> = members.keys().filter(|name| !node.properties.contains_key(*name)).collect();
        names.sort_unstable();
        let mut unknown: Vec<&String> = Vec::new();
        for name in names {
            if self.is_full() || !self.walk.step() {
                return;
            }
            let Some(member) = members.get(name) else { continue };
            let mut schemas: Vec<Id> = graph.matching_patterns(node, name).collect();
            if schemas.is_empty() {
                schemas.extend(node.additional_properties);
            }
            if schemas.is_empty() && evaluated.as_ref().is_some_and(|e| !e.all && !e.names.contains(name)) {
                schemas.extend(node.unevaluated_properties);
            }
            if schemas.iter().any(|&schema| graph.nodes[schema].constant == Some(false)) {
                unknown.push(name);
                continue;
            }
            for schema in schemas {
                self.at(&escape(name), UNDECLARED, |this| this.enter(schema, member));
            }
        }
        if !unknown.is_empty() {
            let known = self.known(id, whole, evaluated.is_some());
            self.unknown(members, &unknown, &known, Some(id));
        }
        if let Some(schema) = node.property_names {
            self.names(schema, members);
        }
    }

    /// The names that an object may have at this place.
    fn known(&mut self, id: Id, whole: &Value, by_parts_too: bool) -> Vec<String> {
        let graph = self.walk.graph;
        let mut known: Vec<String> = Vec::new();
        let parts = if by_parts_too { applying(&mut self.walk, id, Some(whole)) } else { vec![id] };
        for part in parts {
            let node = &graph.nodes[part];
            for name in graph.declared(node) {
                let allowed =
                    node.properties.get(name).is_some_and(|&schema| graph.nodes[schema].constant != Some(false));
                if allowed && !known.iter().any(|other| other == name) {
                    known.push(name.to_owned());
                }
            }
        }
        known
    }

    fn unknown(&mut self, members: &Map<String, Value>, names: &[&String], known: &[String], id: Option<Id>) {
        let free = || known.iter().map(String::as_str).filter(|name| !members.contains_key(*name));
        for (index, &name) in names.iter().enumerate() {
            let Some(member) = members.get(name) else { continue };
            let near = (index < SUGGESTED).then(|| suggest::nearest(name, free())).flatten();
            let only = || {
                // The only unknown name and the only missing one are the same if the value fits.
                let node = &self.walk.graph.nodes[id?];
                let mut missing = node.required.iter().filter(|name| !members.contains_key(*name));
                let (only, None, 1) = (missing.next()?, missing.next(), names.len()) else { return None };
                let schema = *node.properties.get(only)?;
                self.walk.fits(schema, member).then_some(only.as_str())
            };
            let suggestion = near.or_else(only).map(str::to_owned);
            let unlisted = known.len().saturating_sub(LISTED);
            let listed = known.iter().take(LISTED).cloned().collect();
            let kind = ViolationKind::Unknown { known: listed, unlisted, suggestion };
            self.at(&escape(name), UNDECLARED, |this| this.report(kind, Some(member), None));
            if self.is_full() {
                return;
            }
        }
    }

    fn names(&mut self, schema: Id, members: &Map<String, Value>) {
        let graph = self.walk.graph;
        let mut names: Vec<&String> = members.keys().collect();
        names.sort_unstable();
        for name in names {
            if self.is_full() || self.walk.name_fits(schema, name) {
                continue;
            }
            let name_as_value = Value::String(name.clone());
            let parts = graph.together(schema);
            let problem = parts.into_iter().find_map(|part| {
                let error = graph.asserted(part)?.iter_errors(&name_as_value).next()?;
                Some(kind_of(&graph.nodes[part], error.kind(), &name_as_value))
            });
            let problem = Box::new(problem.unwrap_or(ViolationKind::Unfit));
            self.at(&escape(name), UNDECLARED, |this| this.report(ViolationKind::Name { problem }, None, None));
        }
    }

    fn items(&mut self, id: Id, items: &[Value], whole: &Value) {
        let graph = self.walk.graph;
        let node = &graph.nodes[id];
        let evaluated = node.unevaluated_items.map(|rest| (rest, self.walk.evaluated(id, whole, true)));
        for (index, item) in items.iter().enumerate() {
            if self.is_full() {
                return;
            }
            let rest = evaluated.as_ref().and_then(|(rest, seen)| {
                let seen = seen.all || index < seen.items || seen.indices.contains(&index);
                (!seen).then_some(*rest)
            });
            let Some(schema) = graph.item_schema(node, index).or(rest) else { continue };
            let rank = u32::try_from(index).unwrap_or(UNDECLARED);
            self.at(&index.to_string(), rank, |this| this.enter(schema, item));
        }
        if let Some(contains) = &node.contains {
            let actual = self.walk.containing(contains.node, items);
            if actual < contains.min || contains.max.is_some_and(|max| actual > max) {
                let expected = phrase::expectation(graph, contains.node);
                let kind = ViolationKind::Contains { min: contains.min, max: contains.max, actual, expected };
                self.report_here(kind, whole);
            }
        }
    }
}

/// Whether the second adds nothing to the first, of the same place.
fn is_double(first: &ViolationKind, second: &ViolationKind) -> bool {
    first == second
        || matches!(
            (first, second),
            (ViolationKind::Type { .. }, ViolationKind::Type { .. })
                | (ViolationKind::Missing { .. }, ViolationKind::Missing { .. })
                | (ViolationKind::Unknown { .. }, ViolationKind::Unknown { .. } | ViolationKind::NotAllowed)
                | (ViolationKind::Options { .. }, ViolationKind::Options { .. })
        )
}
