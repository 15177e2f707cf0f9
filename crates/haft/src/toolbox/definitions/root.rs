//! The root of a schema as all APIs want it: one object, with its properties, and nothing composed.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// The same schema or a looser one: an object at the root whose compositions are merged into its properties.
pub(super) fn flat(schema: &Value, reduced: &mut Vec<String>) -> Result<Value, String> {
    let Value::Object(members) = schema else { return Err("its input schema is no object".to_owned()) };
    let mut flat = members.clone();
    match flat.get("type") {
        None => {}
        Some(Value::Array(types)) if types.contains(&json!("object")) => {}
        Some(kind) if kind == "object" => {}
        Some(kind) => return Err(format!("its input schema is of type {kind}, and arguments are an object")),
    }
    for keyword in ["$schema", "$id"] {
        flat.remove(keyword);
    }
    let composed: Vec<(&str, Vec<Value>)> = ["allOf", "anyOf", "oneOf"]
        .into_iter()
        .filter_map(|keyword| match flat.remove(keyword) {
            Some(Value::Array(schemas)) => Some((keyword, schemas)),
            _ => None,
        })
        .collect();
    let mut properties = object(flat.remove("properties"));
    let mut required = strings(flat.remove("required").as_ref());
    if !composed.is_empty() {
        reduced.push(
            "its input schema is composed at the root; the parts are merged, and what is between them is lost"
                .to_owned(),
        );
        // Properties come in that it did not know.
        flat.remove("additionalProperties");
        flat.remove("unevaluatedProperties");
    }
    for (keyword, schemas) in composed {
        let mut of_all: Option<BTreeSet<String>> = None;
        for schema in schemas {
            // A branch that is no object admits no arguments, and a reference that had to stay can't be merged.
            if schema.get("$ref").is_some() {
                return Err("its input schema is composed of references at the root".to_owned());
            }
            let Ok(branch) = self::flat(&schema, &mut Vec::new()) else { continue };
            for (name, schema) in object(branch.get("properties").cloned()) {
                merge(&mut properties, name, schema, if keyword == "allOf" { "allOf" } else { "anyOf" });
            }
            let named: BTreeSet<String> = strings(branch.get("required")).into_iter().collect();
            of_all = Some(match of_all {
                None => named,
                Some(before) if keyword == "allOf" => before.into_iter().chain(named).collect(),
                Some(before) => before.into_iter().filter(|name| named.contains(name)).collect(),
            });
        }
        required.extend(of_all.into_iter().flatten());
    }
    properties.retain(|_, schema| *schema != Value::Bool(false));
    required.retain(|name| properties.contains_key(name));
    required.sort_unstable();
    required.dedup();
    flat.insert("type".to_owned(), "object".into());
    flat.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        flat.insert("required".to_owned(), required.into());
    }
    Ok(Value::Object(flat))
}

fn merge(properties: &mut Map<String, Value>, name: String, schema: Value, how: &str) {
    let Some(before) = properties.get_mut(&name) else {
        properties.insert(name, schema);
        return;
    };
    if *before == schema {
        return;
    }
    match before.as_object_mut().filter(|before| before.len() == 1).and_then(|before| before.get_mut(how)) {
        Some(Value::Array(schemas)) => schemas.push(schema),
        _ => *before = json!({how: [before.take(), schema]}),
    }
}

/// Without the properties whose names an API doesn't take; an error if they are required.
pub(super) fn with_names(
    mut schema: Value,
    is_taken: fn(&str) -> bool,
    reduced: &mut Vec<String>,
) -> Result<Value, String> {
    let required: BTreeSet<String> = strings(schema.get("required")).into_iter().collect();
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return Ok(schema) };
    let foreign: Vec<String> = properties.keys().filter(|name| !is_taken(name)).cloned().collect();
    for name in foreign {
        if required.contains(&name) {
            return Err(format!("it requires the argument {name:?}, a name that the API doesn't take"));
        }
        properties.remove(&name);
        reduced.push(format!("the argument {name:?} is not offered: the API doesn't take its name"));
    }
    Ok(schema)
}

/// `^[a-zA-Z0-9_.-]{1,64}$`
pub(super) fn anthropic_name(name: &str) -> bool {
    let is_taken = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    (1..=64).contains(&name.len()) && name.bytes().all(is_taken)
}

/// `^[A-Za-z_][A-Za-z0-9_]{0,63}$`
pub(super) fn gemini_name(name: &str) -> bool {
    let is_taken = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    (1..=64).contains(&name.len()) && name.bytes().all(is_taken) && !name.as_bytes()[0].is_ascii_digit()
}

pub(super) fn object(value: Option<Value>) -> Map<String, Value> {
    match value {
        Some(Value::Object(members)) => members,
        _ => Map::new(),
    }
}

pub(super) fn strings(value: Option<&Value>) -> Vec<String> {
    value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}
