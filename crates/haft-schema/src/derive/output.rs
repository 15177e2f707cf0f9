//! The way of a tool's result type: the natural schema of what serde sends, with its references resolved.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use super::inline::Inliner;
use super::number::{SAFE, whole};
use super::object::{ANNOTATIONS, Object, branches, choices, is_any, is_null, is_object};
use super::place::Place;
use super::variants::unite;
use super::words::tidy;
use crate::canonical::schema_text;
use crate::{Problem, portable};

/// The schemas of a tool's result.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Output {
    /// The schema that results are checked against: natural, its objects open.
    pub exact: Value,
    /// The text of the schema that hosts see, keys in canonical order.
    pub published: String,
    /// The schema that hosts see.
    pub published_value: Value,
}

/// The schemas of the result type `T`, as serde serialises it (spec: server/tools#output-schema).
///
/// `None` for types that say nothing of their shape: `()`, unit structs, `serde_json::Value`. `allow` names rules of the
/// portable profile that the tool opts out of: `portable_output` (a root that isn't an object), `recursion`.
///
/// # Errors
///
/// Every [`Problem`] of the type at once.
pub fn output<T: JsonSchema>(allow: &[&str]) -> Result<Option<Output>, Vec<Problem>> {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let schema = generator.subschema_for::<T>().to_value();
    let definitions = generator.take_definitions(true);
    let place = Place::root();
    let mut inliner = Inliner::new(&definitions);
    let inlined = inliner.inline(schema, &place);
    let recursive = inliner.recursive_definitions();
    let mut problems = inliner.problems;
    let mut exact = natural(inlined);
    if is_any(&exact) || is_null(&exact) {
        return Ok(None);
    }
    if !recursive.is_empty() {
        for name in recursive.keys() {
            let message = format!(
                "the result's type `{name}` contains itself, and some hosts drop every tool of the server for it; use a flat list with ids, or allow(recursion)"
            );
            problems.push(place.problem("recursion", message));
        }
        let definitions: Object = recursive.into_iter().map(|(name, schema)| (name, natural(schema))).collect();
        if let Some(root) = exact.as_object_mut() {
            root.insert("$defs".to_owned(), Value::Object(definitions));
        }
    }
    if let Some(root) = exact.as_object_mut() {
        root.remove("title");
    }
    problems.extend(portable::output_schema(&exact).into_iter().filter(|problem| problem.rule == "portable_output"));
    problems.retain(|problem| !allow.contains(&problem.rule));
    if !problems.is_empty() {
        return Err(problems);
    }
    let published_value = without_wide_bounds(exact.clone());
    Ok(Some(Output { exact, published: schema_text(&published_value), published_value }))
}

/// The schema without what only schemars or Rust can read.
fn natural(schema: Value) -> Value {
    let Value::Object(mut object) = schema else {
        return match schema {
            Value::Bool(false) => json!({ "not": {} }),
            _ => json!({}),
        };
    };
    object.remove("default");
    if let Some(Value::String(description)) = object.get_mut("description") {
        *description = tidy(description);
    }
    if object.get("format").and_then(Value::as_str).is_some_and(|format| !is_standard(format)) {
        object.remove("format");
    }
    let mut object: Object = object
        .into_iter()
        .map(|(keyword, value)| {
            let value = natural_keyword(&keyword, value);
            (keyword, value)
        })
        .collect();
    if let Some(Value::Array(kinds)) = object.get("type") {
        return split_types(&object, &kinds.clone());
    }
    let documented = branches(&Value::Object(object.clone())).map(|(keyword, parts)| (keyword, parts.clone()));
    if let Some((keyword, parts)) = documented {
        let alone = object.keys().all(|key| key == keyword || ANNOTATIONS.contains(&key.as_str()));
        if alone && parts.iter().all(|part| choices(part).is_some()) {
            object.remove(keyword);
            return unite(keyword, parts, object);
        }
        if alone && parts.iter().all(is_object) {
            object.insert("type".to_owned(), "object".into());
        }
    }
    Value::Object(object)
}

fn natural_keyword(keyword: &str, value: Value) -> Value {
    match (keyword, value) {
        ("properties" | "patternProperties", Value::Object(schemas)) => {
            Value::Object(schemas.into_iter().map(|(name, schema)| (name, natural(schema))).collect())
        }
        ("oneOf" | "anyOf" | "allOf" | "prefixItems", Value::Array(schemas)) => {
            Value::Array(schemas.into_iter().map(natural).collect())
        }
        ("items" | "not" | "contains" | "if" | "then" | "else", schema) => natural(schema),
        ("additionalProperties" | "unevaluatedProperties", schema @ Value::Object(_)) => natural(schema),
        (_, value) => value,
    }
}

/// `anyOf` in place of a list of types, each branch with what concerns it.
fn split_types(object: &Object, kinds: &[Value]) -> Value {
    let mut outer = Object::new();
    let mut inner = Object::new();
    for (keyword, value) in object.iter().filter(|(keyword, _)| *keyword != "type") {
        let side = if ANNOTATIONS.contains(&keyword.as_str()) { &mut outer } else { &mut inner };
        side.insert(keyword.clone(), value.clone());
    }
    if let Some(Value::Array(list)) = inner.get_mut("enum") {
        list.retain(|value| !value.is_null());
    }
    let parts = kinds.iter().map(|kind| {
        let mut part = if kind == "null" { Object::new() } else { inner.clone() };
        part.insert("type".to_owned(), kind.clone());
        Value::Object(part)
    });
    outer.insert("anyOf".to_owned(), parts.collect());
    Value::Object(outer)
}

/// Formats that JSON Schema 2020-12 itself defines.
fn is_standard(format: &str) -> bool {
    const STANDARD: [&str; 12] = [
        "date-time",
        "date",
        "time",
        "duration",
        "email",
        "hostname",
        "ipv4",
        "ipv6",
        "uri",
        "uri-reference",
        "uuid",
        "regex",
    ];
    STANDARD.contains(&format)
}

/// Drops bounds that a JSON implementation with doubles would round.
fn without_wide_bounds(schema: Value) -> Value {
    match schema {
        Value::Object(object) => {
            let kept = object.into_iter().filter(|(keyword, value)| {
                let bound = matches!(keyword.as_str(), "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum");
                !(bound && whole(value).is_some_and(|bound| !(-SAFE..=SAFE).contains(&bound)))
            });
            Value::Object(kept.map(|(keyword, value)| (keyword, without_wide_bounds(value))).collect())
        }
        Value::Array(list) => Value::Array(list.into_iter().map(without_wide_bounds).collect()),
        other => other,
    }
}
