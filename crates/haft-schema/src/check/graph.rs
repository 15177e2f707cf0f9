//! A schema document as a graph: one node per subschema, edges for keywords, references followed.
//!
//! The validator gives the verdict; the graph is what normalising and explaining walk. The keywords of a node that hold no
//! subschemas (`type`, `minimum`, `required`, ...) are its assertions and stay with the validator too: compiled on first
//! use, their error kinds become violations.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use jsonschema::{PatternOptions, Validator};
use serde_json::{Map, Value};

use super::bounds;
use super::dialect::Dialect;
use super::types::TypeSet;
use super::unions::Telling;

/// The most nodes that are looked at together to find words for a place.
const TOGETHER: usize = 256;

/// The index of a node.
pub(crate) type Id = usize;

/// All subschemas that can be reached from the root, which is the first.
#[derive(Debug)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
    pub(crate) settings: Settings,
}

/// How validators are built from parts of the document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) dialect: Dialect,
    /// Whether `format` refuses values; otherwise the dialect's own rule holds.
    pub(crate) formats: bool,
    /// Whether a pattern needs lookaround or back-references.
    pub(crate) lookaround: bool,
}

/// One subschema.
#[derive(Debug, Default)]
pub(crate) struct Node {
    /// Its place in the document, as a JSON Pointer.
    pub(crate) place: String,
    /// `true` and `false` as schemas.
    pub(crate) constant: Option<bool>,
    /// The keywords without subschemas.
    pub(crate) assertions: Map<String, Value>,
    pub(crate) types: Option<TypeSet>,
    /// The values of `const` or `enum`.
    pub(crate) options: Option<Vec<Value>>,
    pub(crate) required: Vec<String>,
    pub(crate) properties: BTreeMap<String, Id>,
    pub(crate) pattern_properties: Vec<(String, Id)>,
    pub(crate) additional_properties: Option<Id>,
    pub(crate) property_names: Option<Id>,
    pub(crate) unevaluated_properties: Option<Id>,
    pub(crate) prefix_items: Vec<Id>,
    pub(crate) items: Option<Id>,
    pub(crate) unevaluated_items: Option<Id>,
    pub(crate) contains: Option<Contains>,
    pub(crate) reference: Option<Id>,
    pub(crate) all_of: Vec<Id>,
    pub(crate) unions: Vec<Union>,
    pub(crate) not: Option<Id>,
    pub(crate) condition: Option<Condition>,
    pub(crate) dependent: Vec<(String, Id)>,
    pub(crate) description: Option<String>,
    pub(crate) example: Option<Value>,
    /// Whether more than one edge leads here, so that what is found out about it is worth remembering.
    pub(crate) shared: bool,
    admitted: OnceLock<TypeSet>,
    asserted: OnceLock<Option<Box<Validator>>>,
    matchers: OnceLock<Vec<Option<Validator>>>,
}

impl Node {
    /// The node of the subschema at `place`, which says nothing yet.
    pub(crate) fn at(place: String) -> Self {
        Self { place, ..Self::default() }
    }
}

/// `contains` with its bounds.
#[derive(Debug)]
pub(crate) struct Contains {
    pub(crate) node: Id,
    pub(crate) min: u64,
    pub(crate) max: Option<u64>,
}

/// `anyOf` or `oneOf`.
#[derive(Debug)]
pub(crate) struct Union {
    pub(crate) branches: Vec<Id>,
    /// Whether only one branch may fit (`oneOf`).
    pub(crate) exclusive: bool,
    telling: OnceLock<Telling>,
}

impl Union {
    pub(crate) fn new(branches: Vec<Id>, exclusive: bool) -> Self {
        Self { branches, exclusive, telling: OnceLock::new() }
    }

    /// How its branches are told apart.
    pub(crate) fn telling(&self, graph: &Graph) -> &Telling {
        self.telling.get_or_init(|| Telling::of(graph, &self.branches))
    }
}

/// `if`, `then`, `else`.
#[derive(Debug)]
pub(crate) struct Condition {
    pub(crate) test: Id,
    pub(crate) then: Option<Id>,
    pub(crate) otherwise: Option<Id>,
}

impl Graph {
    pub(crate) const ROOT: Id = 0;

    /// The validator of a node's assertions; `None` if it has none.
    pub(crate) fn asserted(&self, id: Id) -> Option<&Validator> {
        let node = &self.nodes[id];
        node.asserted
            .get_or_init(|| {
                if node.assertions.is_empty() {
                    return None;
                }
                // Part of a schema that compiled as a whole.
                self.settings.build(&Value::Object(node.assertions.clone())).ok().map(Box::new)
            })
            .as_deref()
    }

    /// The schemas of `patternProperties` whose patterns match this name.
    pub(crate) fn matching_patterns<'a>(&'a self, node: &'a Node, name: &str) -> impl Iterator<Item = Id> + use<'a> {
        let matchers = node.matchers.get_or_init(|| {
            let matcher = |(pattern, _): &(String, Id)| self.settings.build(&serde_json::json!({ "pattern": pattern }));
            node.pattern_properties.iter().map(|pattern| matcher(pattern).ok()).collect()
        });
        let name = (!matchers.is_empty()).then(|| Value::String(name.to_owned()));
        node.pattern_properties
            .iter()
            .zip(matchers)
            .filter(move |(_, matcher)| match (matcher, &name) {
                (Some(matcher), Some(name)) => matcher.is_valid(name),
                _ => false,
            })
            .map(|((_, id), _)| *id)
    }

    /// The schemas that apply to the member `name` by this node alone, without `unevaluatedProperties`.
    pub(crate) fn member_schemas(&self, node: &Node, name: &str) -> Vec<Id> {
        let mut schemas: Vec<Id> = node.properties.get(name).copied().into_iter().collect();
        schemas.extend(self.matching_patterns(node, name));
        if schemas.is_empty() {
            schemas.extend(node.additional_properties);
        }
        schemas
    }

    /// The schema of the item at `index` by this node alone, without `unevaluatedItems`.
    pub(crate) fn item_schema(&self, node: &Node, index: usize) -> Option<Id> {
        node.prefix_items.get(index).copied().or(node.items)
    }

    /// The names that a node declares: those required first, in the order of `required`, then the others by name.
    pub(crate) fn declared<'a>(&self, node: &'a Node) -> Vec<&'a str> {
        let mut names: Vec<&str> = Vec::with_capacity(node.properties.len());
        names.extend(node.required.iter().map(String::as_str).filter(|name| node.properties.contains_key(*name)));
        let mut others: Vec<&str> = node.properties.keys().map(String::as_str).collect();
        if !names.is_empty() {
            let required: std::collections::HashSet<&str> = names.iter().copied().collect();
            others.retain(|name| !required.contains(name));
        }
        names.extend(others);
        names
    }

    /// This node and those that apply to the same value whatever it is: targets of `$ref`, parts of `allOf`. The nearest
    /// come first; there are at most [`TOGETHER`] of them.
    pub(crate) fn together(&self, id: Id) -> Vec<Id> {
        let mut ids = vec![id];
        let mut next = 0;
        while let Some(&id) = ids.get(next) {
            next += 1;
            let node = &self.nodes[id];
            for part in node.reference.into_iter().chain(node.all_of.iter().copied()) {
                if ids.len() < TOGETHER && !ids.contains(&part) {
                    ids.push(part);
                }
            }
        }
        ids
    }

    /// What is found first in a node or those that always apply together with it.
    pub(crate) fn first<'a, T>(&'a self, id: Id, find: impl Fn(&'a Node) -> Option<T>) -> Option<T> {
        find(&self.nodes[id]).or_else(|| self.together(id).into_iter().skip(1).find_map(|part| find(&self.nodes[part])))
    }

    /// The types of value that a node may admit, as far as its keywords tell without looking at a value.
    pub(crate) fn admitted_types(&self, id: Id) -> TypeSet {
        let node = &self.nodes[id];
        *node.admitted.get_or_init(|| {
            let mut set = match node.constant {
                Some(false) => TypeSet::NONE,
                _ => node.types.unwrap_or(TypeSet::ALL),
            };
            if let Some(options) = &node.options {
                set = set.and(options.iter().fold(TypeSet::NONE, |set, option| set.or(TypeSet::of(option))));
            }
            for part in node.reference.iter().chain(&node.all_of) {
                set = set.and(self.admitted_types(*part));
            }
            for union in &node.unions {
                let any = |set: TypeSet, branch: &Id| set.or(self.admitted_types(*branch));
                set = set.and(union.branches.iter().fold(TypeSet::NONE, any));
            }
            set
        })
    }
}

impl Settings {
    /// Compiles a schema as the whole document is compiled: no network, no files, bounded patterns.
    pub(crate) fn build(&self, schema: &Value) -> Result<Validator, jsonschema::ValidationError<'static>> {
        let options = jsonschema::options().with_draft(self.dialect.draft()).offline();
        let options = if self.formats { options.should_validate_formats(true) } else { options };
        if self.lookaround {
            let patterns = PatternOptions::fancy_regex()
                .backtrack_limit(bounds::BACKTRACKS)
                .size_limit(bounds::PATTERN_MEMORY)
                .dfa_size_limit(bounds::PATTERN_MEMORY);
            options.with_pattern_options(patterns).build(schema)
        } else {
            let patterns =
                PatternOptions::regex().size_limit(bounds::PATTERN_MEMORY).dfa_size_limit(bounds::PATTERN_MEMORY);
            options.with_pattern_options(patterns).build(schema)
        }
    }
}
