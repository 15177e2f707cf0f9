//! Valid under 2020-12 as far as shapes go, with what APIs miss filled in and what none takes taken out.

use std::convert::Infallible;

use serde_json::{Map, Value, json};

use super::super::shown;
use super::{map_children, root};

const TYPES: [&str; 7] = ["string", "number", "integer", "boolean", "object", "array", "null"];
/// Characters of a description in a schema.
const LONGEST: usize = 4_096;

pub(super) fn tidied(schema: &Value) -> Value {
    let Value::Object(members) = schema else {
        return if *schema == Value::Bool(false) { json!({"not": {}}) } else { json!({}) };
    };
    let mut members = members.clone();
    bounds(&mut members);
    members.retain(|keyword, value| has_its_shape(keyword, value));
    if let Some(Value::Object(properties)) = members.get_mut("properties") {
        properties.retain(|_, schema| *schema != Value::Bool(false));
    }
    if let Some(Value::Array(schemas)) = members.get("items") {
        // As draft 7 says it.
        let schemas = schemas.clone();
        members.remove("items");
        members.insert("prefixItems".to_owned(), Value::Array(schemas));
        let rest = members.remove("additionalItems");
        members.extend(rest.map(|rest| ("items".to_owned(), rest)));
    }
    // Whether more is admitted may be said by a plain boolean, which all take.
    let open = members.remove("additionalProperties");
    let Ok(mut tidied) = map_children::<Infallible>(&members, |child| Ok(self::tidied(child)));
    if let Some(open) = open {
        tidied.insert("additionalProperties".to_owned(), if open.is_boolean() { open } else { self::tidied(&open) });
    }
    types(&mut tidied);
    words(&mut tidied);
    if let Some(required) = tidied.remove("required")
        && let Some(properties) = tidied.get("properties").and_then(Value::as_object)
    {
        let mut required = root::strings(Some(&required));
        required.retain(|name| properties.contains_key(name));
        required.sort_unstable();
        required.dedup();
        tidied.insert("required".to_owned(), required.into());
    }
    Value::Object(tidied)
}

/// Whether a keyword has a value that it may have: an API refuses a whole request for one that hasn't.
fn has_its_shape(keyword: &str, value: &Value) -> bool {
    let is_list = |value: &Value| value.as_array().is_some_and(|list| !list.is_empty());
    match keyword {
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => value.is_number(),
        "multipleOf" => value.as_f64().is_some_and(|number| number > 0.0),
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" | "minContains"
        | "maxContains" => value.is_u64(),
        "pattern" | "format" | "title" | "description" | "$ref" | "$id" | "$comment" | "contentEncoding"
        | "contentMediaType" => value.is_string(),
        "uniqueItems" | "deprecated" | "readOnly" | "writeOnly" | "nullable" => value.is_boolean(),
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => is_list(value),
        "enum" | "required" | "examples" => value.is_array(),
        "properties" | "patternProperties" | "dependentSchemas" | "dependentRequired" | "$defs" | "definitions" => {
            value.is_object()
        }
        "items" => value.is_object() || value.is_boolean() || is_list(value),
        "additionalProperties"
        | "additionalItems"
        | "contains"
        | "propertyNames"
        | "not"
        | "if"
        | "then"
        | "else"
        | "unevaluatedItems"
        | "unevaluatedProperties" => value.is_object() || value.is_boolean(),
        _ => true,
    }
}

fn types(schema: &mut Map<String, Value>) {
    let is_type = |kind: &Value| kind.as_str().is_some_and(|kind| TYPES.contains(&kind));
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        let mut seen = Vec::new();
        types.retain(|kind| {
            !seen.contains(kind) && is_type(kind) && {
                seen.push(kind.clone());
                true
            }
        });
    }
    let valid = match schema.get("type") {
        None => true,
        Some(Value::Array(types)) => !types.is_empty(),
        Some(kind) => is_type(kind),
    };
    if !valid {
        schema.remove("type");
    }
    let is_array = schema.get("type").is_some_and(|kind| match kind {
        Value::Array(types) => types.contains(&json!("array")),
        kind => kind == "array",
    });
    if is_array && !schema.contains_key("items") {
        schema.insert("items".to_owned(), json!({}));
    }
}

/// Bounds that exclude themselves by a boolean, as draft 4 says it.
fn bounds(schema: &mut Map<String, Value>) {
    for (exclusive, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
        if schema.get(exclusive) == Some(&Value::Bool(true)) {
            schema.remove(exclusive);
            let bound = schema.remove(bound);
            schema.extend(bound.map(|bound| (exclusive.to_owned(), bound)));
        }
    }
}

fn words(schema: &mut Map<String, Value>) {
    for keyword in ["title", "description"] {
        if let Some(Value::String(text)) = schema.get_mut(keyword) {
            *text = shown::lines(text, LONGEST);
        }
    }
}
