//! Small questions about schemas held as JSON values.

use serde_json::{Map, Value};

/// A schema that isn't a boolean.
pub(crate) type Object = Map<String, Value>;

/// Keywords that describe and don't constrain.
pub(crate) const ANNOTATIONS: [&str; 9] =
    ["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment", "x-mcp-header"];

/// The schema's single type.
pub(crate) fn type_of(schema: &Value) -> Option<&str> {
    schema.get("type").and_then(Value::as_str)
}

/// The branches of the schema's `oneOf` or `anyOf`.
pub(crate) fn branches(schema: &Value) -> Option<(&'static str, &Vec<Value>)> {
    ["oneOf", "anyOf"].into_iter().find_map(|keyword| Some((keyword, schema.get(keyword)?.as_array()?)))
}

/// The strings listed under a keyword.
pub(crate) fn strings<'a>(schema: &'a Value, keyword: &str) -> Vec<&'a str> {
    schema
        .get(keyword)
        .and_then(Value::as_array)
        .map_or_else(Vec::new, |list| list.iter().filter_map(Value::as_str).collect())
}

/// Whether the schema lists `name` as required.
pub(crate) fn requires(schema: &Value, name: &str) -> bool {
    strings(schema, "required").contains(&name)
}

/// The schema's property names: required ones in their order, then the others by name.
///
/// A JSON map has no order to rely on, so this is the order used wherever one is seen. Forbidden properties (`false`)
/// aren't among them.
pub(crate) fn property_names(schema: &Value) -> Vec<&str> {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return Vec::new() };
    let has = |name: &str| properties.get(name).is_some_and(|schema| *schema != Value::Bool(false));
    let mut names: Vec<&str> = Vec::with_capacity(properties.len());
    for name in strings(schema, "required") {
        if has(name) && !names.contains(&name) {
            names.push(name);
        }
    }
    let others = properties.keys().map(String::as_str).filter(|name| has(name) && !names.contains(name));
    let mut others: Vec<&str> = others.collect();
    others.sort_unstable();
    names.append(&mut others);
    names
}

/// The property's schema; `None` also for a forbidden one.
pub(crate) fn property<'a>(schema: &'a Value, name: &str) -> Option<&'a Value> {
    schema.get("properties")?.get(name).filter(|schema| **schema != Value::Bool(false))
}

/// The strings that the schema allows, if it allows a fixed list of strings and says nothing else.
pub(crate) fn choices(schema: &Value) -> Option<Vec<&str>> {
    let object = schema.as_object()?;
    let plain = |key: &String| matches!(key.as_str(), "type" | "enum" | "const") || ANNOTATIONS.contains(&key.as_str());
    if !object.keys().all(plain) || object.get("type").is_some_and(|kind| kind != "string") {
        return None;
    }
    match (object.get("const"), object.get("enum")) {
        (Some(Value::String(only)), None) => Some(vec![only]),
        (None, Some(Value::Array(list))) => list.iter().map(Value::as_str).collect(),
        _ => None,
    }
}

/// Whether the schema only admits objects.
pub(crate) fn is_object(schema: &Value) -> bool {
    type_of(schema) == Some("object")
}

/// Whether the schema is `{"type": "null"}` with nothing but annotations.
pub(crate) fn is_null(schema: &Value) -> bool {
    type_of(schema) == Some("null")
}

/// Whether the schema admits anything.
pub(crate) fn is_any(schema: &Value) -> bool {
    match schema {
        Value::Bool(any) => *any,
        Value::Object(object) => object.keys().all(|key| ANNOTATIONS.contains(&key.as_str())),
        _ => false,
    }
}

/// Moves the annotations of a schema into a map of their own.
pub(crate) fn take_annotations(schema: &mut Object) -> Object {
    ANNOTATIONS.iter().filter_map(|key| Some(((*key).to_owned(), schema.remove(*key)?))).collect()
}
