//! The Messages API of Anthropic.

use serde_json::{Map, Value};

use super::{Faults, plain_name, walk};

pub(super) fn definition(members: &Map<String, Value>, faults: &mut Faults) -> Option<String> {
    let name = faults.name(members, "CLA-NAME-002", plain_name);
    faults.members(members, &["name", "description", "input_schema"], &["type", "cache_control"]);
    faults.description(members, usize::MAX);
    let schema = members.get("input_schema").unwrap_or(&Value::Null);
    if schema.get("type").is_none_or(|kind| kind != "object") {
        faults.add("SPEC-IN-001", "/input_schema/type", "is not \"object\"");
    }
    for keyword in ["oneOf", "anyOf", "allOf"] {
        if schema.get(keyword).is_some() {
            faults.add("CLA-IN-001", "/input_schema", format!("{keyword} at the root"));
        }
    }
    for key in schema.get("properties").and_then(Value::as_object).into_iter().flatten().map(|(key, _)| key) {
        if !is_key(key) {
            faults.add("CLA-IN-002", "/input_schema/properties", format!("{key:?} is not taken"));
        }
    }
    if let Err(error) = jsonschema::draft202012::meta::validate(schema) {
        faults.add("CLA-IN-003", &format!("/input_schema{}", error.instance_path()), error.to_string());
    }
    for sub in walk::all(schema) {
        let Some(reference) = sub.schema.get("$ref").and_then(Value::as_str) else { continue };
        let target = reference.strip_prefix('#').and_then(|pointer| schema.pointer(pointer));
        if target.is_none() {
            faults.add("SPEC-IN-003", &sub.place, format!("{reference} is not in the schema"));
        }
    }
    name
}

/// `^[a-zA-Z0-9_.-]{1,64}$`
fn is_key(key: &str) -> bool {
    let is_taken = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    (1..=64).contains(&key.len()) && key.bytes().all(is_taken)
}
