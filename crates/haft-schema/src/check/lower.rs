//! From a schema document to the graph of its subschemas.

use std::collections::{HashMap, VecDeque};

use serde_json::{Map, Value};

use super::bounds;
use super::dialect::Dialect;
use super::excerpt;
use super::graph::{Condition, Contains, Id, Node, Union};
use super::problem::Problem;
use super::references::References;
use super::suggest;
use super::types::TypeSet;

/// Keywords without subschemas that refuse values in some dialect.
const ASSERTIONS: &[&str] = &[
    "type",
    "enum",
    "const",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "contentEncoding",
    "contentMediaType",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "required",
    "dependentRequired",
];

/// The longest description that is put into a line.
const DESCRIPTION_CHARS: usize = 120;
/// The longest example that is put into a line.
const EXAMPLE_CHARS: usize = 60;

/// All subschemas that can be reached from the root of `document`, and the length of the longest row of them that applies
/// to one value.
pub(crate) fn lower(document: &Value, dialect: Dialect) -> Result<(Vec<Node>, usize), Vec<Problem>> {
    let mut lowering = Lowering {
        document,
        dialect,
        references: References::of(document, dialect),
        nodes: Vec::new(),
        edges: Vec::new(),
        by_place: HashMap::new(),
        pending: VecDeque::new(),
        problems: Vec::new(),
        too_many: false,
    };
    lowering.node(String::new(), document);
    while let Some((id, place, schema)) = lowering.pending.pop_front() {
        lowering.fill(id, &place, schema);
    }
    let chain = lowering.refuse_loops();
    lowering.problems.sort_by(|one, other| one.place.cmp(&other.place));
    if lowering.problems.is_empty() { Ok((lowering.nodes, chain)) } else { Err(lowering.problems) }
}

struct Lowering<'a> {
    document: &'a Value,
    dialect: Dialect,
    references: References,
    nodes: Vec<Node>,
    /// For each node, the nodes that apply to the same value.
    edges: Vec<Vec<Id>>,
    by_place: HashMap<String, Id>,
    pending: VecDeque<(Id, String, &'a Value)>,
    problems: Vec<Problem>,
    too_many: bool,
}

impl<'a> Lowering<'a> {
    /// The node of the subschema at `place`, which is filled in later.
    fn node(&mut self, place: String, schema: &'a Value) -> Id {
        if let Some(&id) = self.by_place.get(&place) {
            self.nodes[id].shared = true;
            return id;
        }
        let id = self.nodes.len();
        if id >= bounds::SUBSCHEMAS {
            if !self.too_many {
                self.too_many = true;
                self.problem("", format!("the schema has more than {} subschemas", bounds::SUBSCHEMAS));
            }
            return 0;
        }
        self.nodes.push(Node::at(place.clone()));
        self.edges.push(Vec::new());
        self.by_place.insert(place.clone(), id);
        self.pending.push_back((id, place, schema));
        id
    }

    fn problem(&mut self, place: &str, message: impl Into<String>) {
        self.problems.push(Problem::new("schema", place, message));
    }

    fn fill(&mut self, id: Id, place: &str, schema: &'a Value) {
        let keywords = match schema {
            Value::Bool(constant) => {
                self.nodes[id].constant = Some(*constant);
                return;
            }
            Value::Object(keywords) => keywords,
            other => {
                let other = excerpt::json(other, 60);
                self.problem(place, format!("a schema must be an object, true or false; this is {other}"));
                return;
            }
        };
        if !place.is_empty() && !self.is_same_dialect(keywords) {
            self.problem(&format!("{place}/$schema"), "the dialect can't change inside a schema");
        }
        let mut node = std::mem::take(&mut self.nodes[id]);
        node.description = description(keywords);
        node.example = example(keywords);
        self.references(&mut node, id, place, keywords);
        let hidden = self.dialect.reference_hides_siblings() && keywords.contains_key("$ref");
        if !hidden {
            self.assertions(&mut node, place, keywords);
            self.compositions(&mut node, id, place, keywords);
            self.members(&mut node, id, place, keywords);
            self.elements(&mut node, place, keywords);
        }
        // Edges that lead here may have been found meanwhile.
        node.shared |= self.nodes[id].shared;
        self.nodes[id] = node;
    }

    fn is_same_dialect(&self, keywords: &Map<String, Value>) -> bool {
        match keywords.get("$schema") {
            Some(Value::String(uri)) => Dialect::named(uri) == Some(self.dialect),
            _ => true,
        }
    }

    fn references(&mut self, node: &mut Node, id: Id, place: &str, keywords: &Map<String, Value>) {
        for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
            let Some(reference) = keywords.get(keyword).filter(|_| self.dialect.knows(keyword)) else { continue };
            let place = format!("{place}/{keyword}");
            let Some(reference) = reference.as_str() else {
                self.problem(&place, "must be a string");
                continue;
            };
            let document = self.document;
            match self.references.resolve(document, reference, &place) {
                Ok((target, schema)) => {
                    let target = self.node(target, schema);
                    self.edges[id].push(target);
                    match node.reference {
                        None => node.reference = Some(target),
                        Some(_) => node.all_of.push(target),
                    }
                }
                Err(message) => self.problem(&place, message),
            }
        }
    }

    fn assertions(&mut self, node: &mut Node, place: &str, keywords: &Map<String, Value>) {
        for &keyword in ASSERTIONS {
            if let Some(value) = keywords.get(keyword) {
                node.assertions.insert(keyword.to_owned(), value.clone());
            }
        }
        // Its schema form is an edge; the list form asserts.
        if let Some(Value::Object(dependencies)) =
            keywords.get("dependencies").filter(|_| self.dialect.knows("dependencies"))
        {
            let lists: Map<_, _> =
                dependencies.iter().filter(|(_, d)| d.is_array()).map(|(name, d)| (name.clone(), d.clone())).collect();
            if !lists.is_empty() {
                node.assertions.insert("dependencies".to_owned(), Value::Object(lists));
            }
        }
        if let Some(types) = keywords.get("type") {
            node.types = TypeSet::of_keyword(types);
            if node.types.is_none() {
                self.unknown_type(&format!("{place}/type"), types);
            }
        }
        node.options = match (keywords.get("const"), keywords.get("enum")) {
            (Some(only), _) if self.dialect >= Dialect::Draft6 => Some(vec![only.clone()]),
            (_, Some(Value::Array(options))) => Some(options.clone()),
            _ => None,
        };
        if let Some(Value::Array(required)) = keywords.get("required") {
            node.required = required.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect();
        }
        if let Some(Value::String(pattern)) = keywords.get("pattern") {
            self.pattern(&format!("{place}/pattern"), pattern);
        }
    }

    fn unknown_type(&mut self, place: &str, types: &Value) {
        const NAMES: [&str; 7] = ["string", "integer", "number", "boolean", "array", "object", "null"];
        let names: Vec<&Value> = match types {
            Value::Array(names) => names.iter().collect(),
            name => vec![name],
        };
        let wrong = names.into_iter().find(|name| !name.as_str().is_some_and(|name| NAMES.contains(&name)));
        let meant = wrong.and_then(Value::as_str).and_then(|name| suggest::nearest(name, NAMES));
        let meant = meant.map(|meant| format!("; did you mean \"{meant}\"?")).unwrap_or_default();
        let wrong = wrong.map(|wrong| excerpt::json(wrong, 60)).unwrap_or_default();
        self.problem(place, format!("{wrong} is not a type of JSON Schema{meant}"));
    }

    fn pattern(&mut self, place: &str, pattern: &str) {
        if pattern.len() > bounds::PATTERN_BYTES {
            self.problem(place, format!("the pattern is longer than {} bytes", bounds::PATTERN_BYTES));
        }
    }

    fn compositions(&mut self, node: &mut Node, id: Id, place: &str, keywords: &'a Map<String, Value>) {
        let all_of = self.list(place, "allOf", keywords);
        self.edges[id].extend(&all_of);
        node.all_of.extend(all_of);
        for (keyword, exclusive) in [("anyOf", false), ("oneOf", true)] {
            if keywords.contains_key(keyword) {
                let branches = self.list(place, keyword, keywords);
                self.edges[id].extend(&branches);
                node.unions.push(Union::new(branches, exclusive));
            }
        }
        node.not = self.one(place, "not", keywords);
        self.edges[id].extend(node.not);
        if let Some(test) = self.one(place, "if", keywords) {
            let then = self.one(place, "then", keywords);
            let otherwise = self.one(place, "else", keywords);
            self.edges[id].extend([Some(test), then, otherwise].into_iter().flatten());
            node.condition = Some(Condition { test, then, otherwise });
        }
        for keyword in ["dependentSchemas", "dependencies"] {
            for (name, dependent) in self.map(place, keyword, keywords) {
                self.edges[id].push(dependent);
                node.dependent.push((name, dependent));
            }
        }
    }

    fn members(&mut self, node: &mut Node, id: Id, place: &str, keywords: &'a Map<String, Value>) {
        node.properties.extend(self.map(place, "properties", keywords));
        node.pattern_properties = self.map(place, "patternProperties", keywords);
        for (pattern, _) in &node.pattern_properties {
            self.pattern(&format!("{place}/patternProperties/{}", escape(pattern)), pattern);
        }
        node.additional_properties = self.one(place, "additionalProperties", keywords);
        node.property_names = self.one(place, "propertyNames", keywords);
        node.unevaluated_properties = self.one(place, "unevaluatedProperties", keywords);
        // A name is no part of the value, but a schema that reaches itself by names alone would loop on names.
        self.edges[id].extend(node.property_names);
    }

    fn elements(&mut self, node: &mut Node, place: &str, keywords: &'a Map<String, Value>) {
        let list_form = self.dialect <= Dialect::Draft201909 && keywords.get("items").is_some_and(Value::is_array);
        if list_form {
            node.prefix_items = self.list(place, "items", keywords);
            node.items = self.one(place, "additionalItems", keywords);
        } else {
            node.prefix_items = self.list(place, "prefixItems", keywords);
            node.items = self.one(place, "items", keywords);
        }
        node.unevaluated_items = self.one(place, "unevaluatedItems", keywords);
        if let Some(contains) = self.one(place, "contains", keywords) {
            let bounded = self.dialect >= Dialect::Draft201909;
            let bound = |keyword| keywords.get(keyword).filter(|_| bounded).and_then(whole);
            let (min, max) = (bound("minContains").unwrap_or(1), bound("maxContains"));
            node.contains = Some(Contains { node: contains, min, max });
        }
    }

    fn one(&mut self, place: &str, keyword: &str, keywords: &'a Map<String, Value>) -> Option<Id> {
        let schema = keywords.get(keyword).filter(|_| self.dialect.knows(keyword))?;
        Some(self.node(format!("{place}/{keyword}"), schema))
    }

    fn list(&mut self, place: &str, keyword: &str, keywords: &'a Map<String, Value>) -> Vec<Id> {
        match keywords.get(keyword).filter(|_| self.dialect.knows(keyword)) {
            None => Vec::new(),
            Some(Value::Array(schemas)) => {
                let node = |(index, schema)| self.node(format!("{place}/{keyword}/{index}"), schema);
                schemas.iter().enumerate().map(node).collect()
            }
            Some(_) => {
                self.problem(&format!("{place}/{keyword}"), "must be an array of schemas");
                Vec::new()
            }
        }
    }

    /// The subschemas by name, sorted, whatever order serde_json keeps.
    fn map(&mut self, place: &str, keyword: &str, keywords: &'a Map<String, Value>) -> Vec<(String, Id)> {
        match keywords.get(keyword).filter(|_| self.dialect.knows(keyword)) {
            None => Vec::new(),
            Some(Value::Object(schemas)) => {
                let mut schemas: Vec<_> =
                    schemas.iter().filter(|(_, s)| keyword != "dependencies" || !s.is_array()).collect();
                schemas.sort_unstable_by_key(|(name, _)| *name);
                let node = |(name, schema): (&String, _)| {
                    (name.clone(), self.node(format!("{place}/{keyword}/{}", escape(name)), schema))
                };
                schemas.into_iter().map(node).collect()
            }
            Some(_) => {
                self.problem(&format!("{place}/{keyword}"), "must be an object whose members are schemas");
                Vec::new()
            }
        }
    }

    /// Refuses schemas that apply themselves to the same value for ever, and chains that are too long for the stack.
    /// The length of the longest chain.
    fn refuse_loops(&mut self) -> usize {
        #[derive(Clone, Copy, PartialEq)]
        enum State {
            Unseen,
            Open,
            Done,
        }
        let mut states = vec![State::Unseen; self.nodes.len()];
        let mut heights = vec![0_usize; self.nodes.len()];
        for start in 0..self.nodes.len() {
            let mut path = vec![(start, 0)];
            while let Some(&mut (id, ref mut next)) = path.last_mut() {
                if *next == 0 {
                    if states[id] == State::Done {
                        path.pop();
                        continue;
                    }
                    states[id] = State::Open;
                }
                let Some(&child) = self.edges[id].get(*next) else {
                    states[id] = State::Done;
                    heights[id] = self.edges[id].iter().map(|&child| heights[child] + 1).max().unwrap_or(0);
                    if heights[id] == bounds::CHAIN {
                        let place = self.nodes[id].place.clone();
                        self.problem(
                            &place,
                            format!(
                                "more than {} schemas apply to one value in a row, by $ref or allOf and the like",
                                bounds::CHAIN
                            ),
                        );
                    }
                    path.pop();
                    continue;
                };
                *next += 1;
                match states[child] {
                    State::Unseen => path.push((child, 0)),
                    State::Open => {
                        let place = self.nodes[id].place.clone();
                        self.problem(
                            &place,
                            "the schema refers to itself for the same value, so no value could ever be checked",
                        );
                    }
                    State::Done => {}
                }
            }
        }
        heights.into_iter().max().unwrap_or_default()
    }
}

/// A bound that may be spelled `2` or `2.0`.
fn whole(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_f64().filter(|n| *n >= 0.0 && n.fract() == 0.0).map(|n| n as u64))
}

/// A member's name as part of a JSON Pointer.
pub(crate) fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn description(keywords: &Map<String, Value>) -> Option<String> {
    let text = keywords.get("description")?.as_str()?.trim();
    let short = !text.is_empty() && text.chars().nth(DESCRIPTION_CHARS).is_none() && !text.contains(['\n', '\r']);
    short.then(|| excerpt::plain(text, 2 * DESCRIPTION_CHARS))
}

fn example(keywords: &Map<String, Value>) -> Option<Value> {
    let first = keywords.get("examples")?.get(0)?;
    let shown = excerpt::json(first, EXAMPLE_CHARS);
    (!shown.ends_with('…')).then(|| first.clone())
}
