//! The text of a schema, with keys in our own order: the same bytes whatever features serde_json was built with.

use serde_json::Value;

use crate::derive::{property_names, spell};

/// Keywords in the order they are written; others follow by name, `x-` ones last.
const ORDER: [&str; 42] = [
    "$schema",
    "$id",
    "$anchor",
    "$ref",
    "$comment",
    "type",
    "title",
    "description",
    "enum",
    "const",
    "format",
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "exclusiveMaximum",
    "multipleOf",
    "prefixItems",
    "items",
    "minItems",
    "maxItems",
    "uniqueItems",
    "contains",
    "properties",
    "patternProperties",
    "propertyNames",
    "required",
    "additionalProperties",
    "unevaluatedProperties",
    "minProperties",
    "maxProperties",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "default",
    "examples",
];

/// The JSON text of a schema, in one line: keywords in a fixed order (`type` first, then what describes, constrains and
/// nests), properties with the required ones first, numbers by value.
///
/// Equal schemas give equal bytes, whatever features serde_json was built with.
#[must_use]
pub fn schema_text(schema: &Value) -> String {
    ordered_schema_text(schema, &[])
}

/// The same, with the root's properties in an order of their own.
pub(crate) fn ordered_schema_text(schema: &Value, root_order: &[String]) -> String {
    let mut text = String::new();
    write_schema(&mut text, schema, root_order);
    text
}

fn write_schema(text: &mut String, schema: &Value, root_order: &[String]) {
    let Value::Object(object) = schema else { return write_value(text, schema) };
    let mut keywords: Vec<&String> = object.keys().collect();
    keywords.sort_by_key(|keyword| (rank(keyword), keyword.as_str()));
    write_object(text, keywords.into_iter().filter_map(|keyword| Some((keyword.as_str(), object.get(keyword)?))), {
        |text, keyword, value| write_keyword(text, keyword, value, schema, root_order)
    });
}

fn rank(keyword: &str) -> usize {
    let after = if keyword.starts_with("x-") { 2 } else { usize::from(matches!(keyword, "$defs" | "definitions")) * 3 };
    ORDER.iter().position(|known| *known == keyword).unwrap_or(ORDER.len() + after)
}

fn write_keyword(text: &mut String, keyword: &str, value: &Value, schema: &Value, root_order: &[String]) {
    match (keyword, value) {
        ("properties", Value::Object(properties)) => {
            let mut names: Vec<&str> = Vec::with_capacity(properties.len());
            let first = root_order.iter().map(String::as_str).filter(|name| properties.contains_key(*name));
            let mut forbidden: Vec<&str> = properties.keys().map(String::as_str).collect();
            forbidden.sort_unstable();
            for name in first.chain(property_names(schema)).chain(forbidden) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            write_object(text, names.into_iter().filter_map(|name| Some((name, properties.get(name)?))), {
                |text, _, schema| write_schema(text, schema, &[])
            });
        }
        ("patternProperties" | "dependentSchemas" | "$defs" | "definitions", Value::Object(schemas)) => {
            let mut names: Vec<&String> = schemas.keys().collect();
            names.sort_unstable();
            write_object(text, names.into_iter().filter_map(|name| Some((name.as_str(), schemas.get(name)?))), {
                |text, _, schema| write_schema(text, schema, &[])
            });
        }
        ("oneOf" | "anyOf" | "allOf" | "prefixItems", Value::Array(schemas)) => {
            write_array(text, schemas, |text, schema| write_schema(text, schema, &[]));
        }
        (
            "items"
            | "contains"
            | "additionalProperties"
            | "unevaluatedProperties"
            | "unevaluatedItems"
            | "not"
            | "if"
            | "then"
            | "else"
            | "propertyNames",
            schema,
        ) => write_schema(text, schema, &[]),
        (_, value) => write_value(text, value),
    }
}

fn write_value(text: &mut String, value: &Value) {
    match value {
        Value::Number(number) => text.push_str(&spell(number)),
        Value::Array(list) => write_array(text, list, write_value),
        Value::Object(object) => {
            let mut keys: Vec<&String> = object.keys().collect();
            keys.sort_unstable();
            let members = keys.into_iter().filter_map(|key| Some((key.as_str(), object.get(key)?)));
            write_object(text, members, |text, _, value| write_value(text, value));
        }
        Value::Null | Value::Bool(_) | Value::String(_) => text.push_str(&value.to_string()),
    }
}

fn write_array(text: &mut String, list: &[Value], mut write: impl FnMut(&mut String, &Value)) {
    text.push('[');
    for (index, value) in list.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        write(text, value);
    }
    text.push(']');
}

fn write_object<'a>(
    text: &mut String,
    members: impl Iterator<Item = (&'a str, &'a Value)>,
    mut write: impl FnMut(&mut String, &str, &Value),
) {
    text.push('{');
    for (index, (key, value)) in members.enumerate() {
        if index > 0 {
            text.push(',');
        }
        text.push_str(&Value::from(key).to_string());
        text.push(':');
        write(text, key, value);
    }
    text.push('}');
}
