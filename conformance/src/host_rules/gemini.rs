//! The Gemini API's `functionDeclarations`, with `parameters` in the subset of OpenAPI's schemas.

use serde_json::{Map, Value};

use super::Faults;

const KEYWORDS: &[&str] = &[
    "anyOf",
    "default",
    "description",
    "enum",
    "example",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "nullable",
    "pattern",
    "properties",
    "propertyOrdering",
    "required",
    "title",
    "type",
];
const TYPES: &[&str] = &["array", "boolean", "integer", "number", "object", "string"];

pub(super) fn definition(members: &Map<String, Value>, faults: &mut Faults) -> Option<String> {
    let name = faults.name(members, "GEM-NAME-003", is_function_name);
    faults.members(members, &["name", "description"], &["parameters"]);
    faults.description(members, usize::MAX);
    if let Some(parameters) = members.get("parameters") {
        let is_object = parameters.get("type").is_some_and(|kind| kind == "object");
        let has_some = parameters.get("properties").and_then(Value::as_object).is_some_and(|named| !named.is_empty());
        if !is_object || !has_some {
            faults.add("shape", "/parameters", "is no object with properties");
        }
        schema(parameters, "/parameters", faults);
    }
    name
}

fn schema(schema: &Value, place: &str, faults: &mut Faults) {
    let Some(members) = schema.as_object() else {
        faults.add("GEM-IN-007", place, format!("{schema} is no schema"));
        return;
    };
    let foreign: Vec<&str> = members.keys().map(String::as_str).filter(|keyword| !KEYWORDS.contains(keyword)).collect();
    for keyword in &foreign {
        faults.add("GEM-IN-001", place, format!("{keyword} is not known"));
    }
    let kind = members.get("type").and_then(Value::as_str);
    if let Some(branches) = members.get("anyOf") {
        if members.len() > 1 {
            faults.add("shape", place, "something stands beside anyOf");
        }
        for (index, branch) in branches.as_array().into_iter().flatten().enumerate() {
            self::schema(branch, &format!("{place}/anyOf/{index}"), faults);
        }
    } else if foreign.is_empty() && !kind.is_some_and(|kind| TYPES.contains(&kind)) {
        faults.add("GEM-IN-002", place, format!("the type is {:?}", members.get("type")));
    }
    if let Some(choice) = members.get("enum") {
        let words = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
        let has_words = choice.as_array().is_some_and(|values| !values.is_empty() && values.iter().all(words));
        if kind != Some("string") || !has_words {
            faults.add("GEM-IN-003", place, format!("an enum of {kind:?}: {choice}"));
        }
    }
    if let Some(format) = members.get("format") {
        let known: &[&str] = match kind {
            Some("string") => &["date-time", "enum"],
            Some("integer") => &["int32", "int64"],
            Some("number") => &["double", "float"],
            _ => &[],
        };
        if !known.iter().any(|known| format == known) {
            faults.add("GEM-IN-004", place, format!("the format {format} of {kind:?}"));
        }
    }
    for bound in ["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"] {
        if members.get(bound).is_some_and(|bound| !bound.is_u64()) {
            faults.add("shape", place, format!("{bound} is no whole number"));
        }
    }
    for bound in ["minimum", "maximum"] {
        if members.get(bound).is_some_and(|bound| !bound.as_f64().is_some_and(f64::is_finite)) {
            faults.add("shape", place, format!("{bound} is no number"));
        }
    }
    let properties = members.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        if !is_argument_name(name) {
            faults.add("GEM-NAME-004", place, format!("{name:?} is not taken"));
        }
        self::schema(property, &format!("{place}/properties/{name}"), faults);
    }
    for name in members.get("required").and_then(Value::as_array).into_iter().flatten() {
        if !name.as_str().is_some_and(|name| properties.is_some_and(|properties| properties.contains_key(name))) {
            faults.add("shape", place, format!("{name} is required and no property"));
        }
    }
    match members.get("items") {
        Some(items) => self::schema(items, &format!("{place}/items"), faults),
        None if kind == Some("array") => faults.add("shape", place, "an array without items"),
        None => {}
    }
}

/// `^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$`
fn is_function_name(name: &str) -> bool {
    let is_taken = |byte: u8| byte.is_ascii_alphanumeric() || b"_.:-".contains(&byte);
    name.len() <= 64 && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.bytes().all(is_taken)
}

/// `^[A-Za-z_][A-Za-z0-9_]{0,63}$`
fn is_argument_name(name: &str) -> bool {
    is_function_name(name) && !name.contains(['.', ':', '-'])
}
