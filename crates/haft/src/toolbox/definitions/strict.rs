//! The subset in which OpenAI's APIs promise that arguments fit their schema.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::root;

/// Limits of the subset: levels, properties, values of enums, and characters of names and values.
const DEEPEST: usize = 10;
const MOST: Counts = Counts { properties: 5_000, values: 1_000, characters: 120_000 };
const MOST_IN_LARGE_ENUM: usize = 15_000;
const LARGE_ENUM: usize = 250;
/// Said of a value, and taken.
const KEPT: [&str; 11] = [
    "title",
    "description",
    "enum",
    "const",
    "multipleOf",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minItems",
    "maxItems",
];
/// What would be lost is more than a bound.
const REFUSED: [&str; 15] = [
    "$ref",
    "$dynamicRef",
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "dependentSchemas",
    "dependentRequired",
    "dependencies",
    "patternProperties",
    "prefixItems",
    "contains",
    "propertyNames",
    "unevaluatedProperties",
];
const FORMATS: [&str; 9] = ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

#[derive(Default)]
struct Counts {
    properties: usize,
    values: usize,
    characters: usize,
}

/// The schema of arguments in strict mode, if it fits: every argument is required, and those that weren't may be null.
pub(super) fn schema(flat: &Value) -> Option<Value> {
    let mut counts = Counts::default();
    let schema = strict(flat, 0, &mut counts)?;
    let fits =
        counts.properties <= MOST.properties && counts.values <= MOST.values && counts.characters <= MOST.characters;
    fits.then_some(schema)
}

fn strict(schema: &Value, depth: usize, counts: &mut Counts) -> Option<Value> {
    let members = schema.as_object()?;
    if depth > DEEPEST || REFUSED.iter().any(|keyword| members.contains_key(*keyword)) {
        return None;
    }
    let mut kept = Map::new();
    for keyword in KEPT {
        kept.extend(members.get(keyword).map(|value| (keyword.to_owned(), value.clone())));
    }
    // Its patterns have no groups that look around.
    let pattern = members.get("pattern").filter(|pattern| pattern.as_str().is_some_and(|text| !text.contains("(?")));
    kept.extend(pattern.map(|pattern| ("pattern".to_owned(), pattern.clone())));
    let format = members.get("format").filter(|format| format.as_str().is_some_and(|name| FORMATS.contains(&name)));
    kept.extend(format.map(|format| ("format".to_owned(), format.clone())));
    if let Some(branches) = members.get("anyOf").or_else(|| members.get("oneOf")) {
        let beside = ["type", "properties", "items", "enum", "const"];
        if beside.iter().any(|keyword| members.contains_key(*keyword))
            || (members.contains_key("anyOf") && members.contains_key("oneOf"))
        {
            return None;
        }
        let branches: Option<Vec<Value>> =
            branches.as_array()?.iter().map(|branch| strict(branch, depth + 1, counts)).collect();
        kept.insert("anyOf".to_owned(), branches.filter(|branches| !branches.is_empty())?.into());
        return Some(Value::Object(kept));
    }
    count(members, &mut kept, counts)?;
    let kind = members.get("type").cloned().or_else(|| kind_of(members))?;
    let kinds: Vec<&str> = match &kind {
        Value::Array(kinds) => kinds.iter().map(Value::as_str).collect::<Option<_>>()?,
        kind => vec![kind.as_str()?],
    };
    let nested = kinds.iter().filter(|kind| matches!(**kind, "object" | "array")).count();
    // An object or a list may be null, but not something else.
    if nested > 1 || (nested == 1 && kinds.iter().any(|kind| !matches!(*kind, "object" | "array" | "null"))) {
        return None;
    }
    if kinds.contains(&"object") {
        object(members, &mut kept, depth, counts)?;
    }
    if kinds.contains(&"array") {
        kept.insert("items".to_owned(), strict(members.get("items")?, depth + 1, counts)?);
    }
    kept.insert("type".to_owned(), kind);
    Some(Value::Object(kept))
}

fn object(
    members: &Map<String, Value>,
    kept: &mut Map<String, Value>,
    depth: usize,
    counts: &mut Counts,
) -> Option<()> {
    let properties = root::object(members.get("properties").cloned());
    let closed = match members.get("additionalProperties") {
        None => !properties.is_empty() || depth == 0,
        Some(open) => *open == Value::Bool(false),
    };
    if !closed {
        return None;
    }
    let required: BTreeSet<String> = root::strings(members.get("required")).into_iter().collect();
    let (mut strict_ones, mut names) = (Map::new(), Vec::new());
    for (name, schema) in properties {
        counts.properties += 1;
        counts.characters += name.chars().count();
        let schema = strict(&schema, depth + 1, counts)?;
        let schema = if required.contains(&name) { schema } else { nullable(schema, counts) };
        names.push(name.clone());
        strict_ones.insert(name, schema);
    }
    kept.insert("properties".to_owned(), Value::Object(strict_ones));
    kept.insert("required".to_owned(), names.into());
    kept.insert("additionalProperties".to_owned(), Value::Bool(false));
    Some(())
}

/// Counts the values that are admitted. Each is named once, whatever the server says.
fn count(members: &Map<String, Value>, kept: &mut Map<String, Value>, counts: &mut Counts) -> Option<()> {
    let length = |value: &Value| value.as_str().map_or(0, |text| text.chars().count());
    counts.characters += members.get("const").map_or(0, length);
    let Some(values) = members.get("enum") else { return Some(()) };
    let values = values.as_array().filter(|values| values.len() <= MOST.values)?;
    let mut each: Vec<Value> = Vec::new();
    for value in values {
        if !each.contains(value) {
            each.push(value.clone());
        }
    }
    let characters: usize = each.iter().map(length).sum();
    counts.values += each.len();
    counts.characters += characters;
    let fits = !each.is_empty() && (each.len() <= LARGE_ENUM || characters <= MOST_IN_LARGE_ENUM);
    kept.insert("enum".to_owned(), each.into());
    fits.then_some(())
}

/// The type that the values of an enum or a const have, if it is one.
fn kind_of(members: &Map<String, Value>) -> Option<Value> {
    let kind = |value: &Value| match value {
        Value::String(_) => Some("string"),
        Value::Bool(_) => Some("boolean"),
        Value::Number(number) if number.is_i64() || number.is_u64() => Some("integer"),
        Value::Number(_) => Some("number"),
        _ => None,
    };
    let values = members.get("enum").and_then(Value::as_array).map(Vec::as_slice);
    let values = values.or_else(|| members.get("const").map(std::slice::from_ref))?;
    let first = kind(values.first()?)?;
    values.iter().all(|value| kind(value) == Some(first)).then(|| first.into())
}

fn nullable(schema: Value, counts: &mut Counts) -> Value {
    let Value::Object(mut members) = schema else { return schema };
    let null = json!({"type": "null"});
    match members.get_mut("anyOf") {
        Some(Value::Array(branches)) if branches.contains(&null) => {}
        Some(Value::Array(branches)) => branches.push(null),
        _ => {
            match members.get_mut("type") {
                Some(Value::Array(types)) if types.contains(&json!("null")) => {}
                Some(Value::Array(types)) => types.push("null".into()),
                Some(kind) => *kind = json!([kind.take(), "null"]),
                None => {}
            }
            if let Some(value) = members.remove("const") {
                counts.values += 1;
                members.insert("enum".to_owned(), json!([value]));
            }
            if let Some(Value::Array(values)) = members.get_mut("enum")
                && !values.contains(&Value::Null)
            {
                counts.values += 1;
                values.push(Value::Null);
            }
        }
    }
    Value::Object(members)
}
