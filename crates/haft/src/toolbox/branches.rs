//! What a schema says of a member, through references and compositions.

use std::ptr;

use serde_json::Value;

/// Schemas that are looked at for one value at most: a hostile schema refers to itself in many ways.
const MOST: usize = 256;
const COMPOSITIONS: [&str; 3] = ["allOf", "anyOf", "oneOf"];
const CONDITIONS: [&str; 3] = ["if", "then", "else"];

/// All schemas that may describe one value. `None` when there are too many to know.
pub(super) type Branches<'a> = Option<Vec<&'a Value>>;

/// The schema itself, those that it refers to and those that it is composed of.
pub(super) fn of<'a>(root: &'a Value, schemas: impl IntoIterator<Item = &'a Value>) -> Branches<'a> {
    let mut found: Vec<&Value> = Vec::new();
    let mut waiting: Vec<&Value> = schemas.into_iter().collect();
    while let Some(schema) = waiting.pop() {
        if found.iter().any(|known| ptr::eq(*known, schema)) {
            continue;
        }
        if found.len() == MOST {
            return None;
        }
        found.push(schema);
        waiting.extend(schema.get("$ref").and_then(Value::as_str).and_then(|reference| resolve(root, reference)));
        for keyword in COMPOSITIONS {
            waiting.extend(schema.get(keyword).and_then(Value::as_array).into_iter().flatten().take(MOST));
        }
        waiting.extend(CONDITIONS.iter().filter_map(|keyword| schema.get(*keyword)));
    }
    Some(found)
}

/// The branches of a member of an object that has these.
pub(super) fn member<'a>(root: &'a Value, branches: &[&'a Value], name: &str) -> Branches<'a> {
    of(root, branches.iter().filter_map(|schema| schema.get("properties")?.get(name)))
}

/// The branches of the items of an array that has these.
pub(super) fn item<'a>(root: &'a Value, branches: &[&'a Value]) -> Branches<'a> {
    of(root, branches.iter().filter_map(|schema| schema.get("items").filter(|items| items.is_object())))
}

/// What a reference to a place in the same document refers to.
pub(super) fn resolve<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    let pointer = reference.strip_prefix('#')?;
    // A pointer in a URI may be percent-encoded; a schema's keys rarely need it.
    root.pointer(&pointer.replace("%24", "$").replace("%25", "%"))
}
