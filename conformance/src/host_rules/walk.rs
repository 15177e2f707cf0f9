//! Every schema in a schema, with its place.

use serde_json::Value;

/// Keywords whose value is a schema, a list of schemas, or schemas by name.
const ONE: &[&str] = &[
    "items",
    "additionalItems",
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];
const LIST: &[&str] = &["allOf", "anyOf", "items", "oneOf", "prefixItems"];
const NAMED: &[&str] = &["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"];
/// Those below which a value is nested in another.
const INWARDS: &[&str] = &["additionalProperties", "items", "patternProperties", "prefixItems", "properties"];

/// A schema somewhere in another.
pub(super) struct Sub<'a> {
    pub(super) schema: &'a Value,
    /// A JSON Pointer.
    pub(super) place: String,
    /// How many objects and lists a value of this schema is in, itself included where it is one.
    pub(super) level: usize,
}

impl Sub<'_> {
    pub(super) fn has(&self, keyword: &str) -> bool {
        self.schema.get(keyword).is_some()
    }

    /// Whether the schema names this type, alone or among others.
    pub(super) fn is(&self, kind: &str) -> bool {
        match self.schema.get("type") {
            Some(Value::Array(kinds)) => kinds.iter().any(|it| it == kind),
            Some(it) => it == kind,
            None => false,
        }
    }
}

/// The schema itself first.
pub(super) fn all(root: &Value) -> Vec<Sub<'_>> {
    let mut subs = Vec::new();
    collect(root, String::new(), 0, &mut subs);
    subs
}

fn collect<'a>(schema: &'a Value, place: String, outside: usize, subs: &mut Vec<Sub<'a>>) {
    let mut sub = Sub { schema, place, level: outside };
    sub.level += usize::from(sub.is("object") || sub.is("array"));
    let (place, level) = (sub.place.clone(), sub.level);
    subs.push(sub);
    for (keyword, value) in schema.as_object().into_iter().flatten() {
        let keyword = keyword.as_str();
        let outside = if INWARDS.contains(&keyword) { level } else { outside };
        match value {
            Value::Object(named) if NAMED.contains(&keyword) => {
                for (name, schema) in named {
                    collect(schema, format!("{place}/{keyword}/{name}"), outside, subs);
                }
            }
            Value::Array(list) if LIST.contains(&keyword) => {
                for (index, schema) in list.iter().enumerate() {
                    collect(schema, format!("{place}/{keyword}/{index}"), outside, subs);
                }
            }
            schema if ONE.contains(&keyword) => collect(schema, format!("{place}/{keyword}"), outside, subs),
            _ => {}
        }
    }
}
