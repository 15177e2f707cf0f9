//! Arguments that stand out: those repeated in headers, those that are never shown.

use serde_json::Value;

use super::number::{SAFE, whole};
use super::object::{branches, property, property_names, type_of};
use super::params::Param;
use super::place::{Place, escape};
use crate::{Problem, portable};

/// The headers that arguments are repeated in (spec: server/tools, `x-mcp-header`), read off the published schema.
pub(super) fn derived_headers(published: &Value, problems: &mut Vec<Problem>) -> Vec<(String, String)> {
    let mut headers: Vec<(String, String)> = Vec::new();
    collect_headers(published, &Place::root(), "", &mut headers, problems);
    headers
}

/// The headers that a schema written by hand repeats arguments in: the JSON pointer of each such argument, and the end
/// of the header's name.
///
/// Integers must have bounds within ±(2^53 - 1), as in derived schemas. spec:
/// `basic/transports/streamable-http#schema-extension`
///
/// # Errors
///
/// Every `x-mcp-header` that breaks a rule: clients drop the whole tool for it.
pub fn headers(schema: &Value) -> Result<Vec<(String, String)>, Vec<Problem>> {
    let mut problems = Vec::new();
    let headers = derived_headers(schema, &mut problems);
    if problems.is_empty() { Ok(headers) } else { Err(problems) }
}

/// Keywords whose schema applies to something that isn't there exactly once, or not in any case.
const ELSEWHERE: [&str; 21] = [
    "$defs",
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "contains",
    "contentSchema",
    "definitions",
    "dependencies",
    "dependentSchemas",
    "else",
    "if",
    "items",
    "not",
    "oneOf",
    "patternProperties",
    "prefixItems",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// The schemas below those keywords: one, a list of them, or a map with them.
fn elsewhere(schema: &Value) -> impl Iterator<Item = &Value> {
    ELSEWHERE.into_iter().filter_map(|keyword| Some((keyword, schema.get(keyword)?))).flat_map(|(keyword, value)| {
        let named = ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties"];
        let parts: Vec<&Value> = match value {
            Value::Array(list) => list.iter().collect(),
            Value::Object(map) if named.contains(&keyword) => map.values().collect(),
            one => vec![one],
        };
        parts
    })
}

fn collect_headers(
    schema: &Value,
    place: &Place,
    pointer: &str,
    headers: &mut Vec<(String, String)>,
    problems: &mut Vec<Problem>,
) {
    for name in property_names(schema) {
        let Some(member) = property(schema, name) else { continue };
        let (place, pointer) = (place.property(name), format!("{pointer}/{}", escape(name)));
        if let Some(header) = member.get("x-mcp-header") {
            let header = header.as_str().unwrap_or_default();
            let mut wrong = |message: String| problems.push(place.problem("header", message));
            if !portable::is_token(header) {
                wrong(format!("`{header}` isn't a header name; use letters, digits and hyphens"));
            }
            if headers.iter().any(|(_, known)| known.eq_ignore_ascii_case(header)) {
                wrong(format!("two arguments are repeated in the header `{header}` (case doesn't count); rename one"));
            }
            match type_of(member) {
                Some("string" | "boolean") => {}
                Some("integer") if has_safe_range(member) => {}
                Some("integer") => wrong(format!(
                    "{} is repeated in a header, so its integers must lie within ±(2^53 - 1); give it a range, or a narrower type such as `u32`",
                    place.subject()
                )),
                _ => wrong(format!(
                    "{} can't be repeated in a header; only strings, integers and booleans can",
                    place.subject()
                )),
            }
            headers.push((pointer.clone(), header.to_owned()));
        }
        collect_headers(member, &place, &pointer, headers, problems);
    }
    for branch in elsewhere(schema) {
        // Headers there, and what is wrong with them: either says that there are some.
        let (mut unreachable, mut deeper) = (Vec::new(), Vec::new());
        collect_headers(branch, place, pointer, &mut unreachable, &mut deeper);
        if branch.get("x-mcp-header").is_some() || !unreachable.is_empty() || !deeper.is_empty() {
            let message = format!(
                "a value inside {} can't be repeated in a header; only an argument, or a field of a struct, that is there once can",
                place.subject()
            );
            problems.push(place.problem("header", message));
        }
    }
}

fn has_safe_range(schema: &Value) -> bool {
    let safe = |keyword| schema.get(keyword).and_then(whole).is_some_and(|bound| (-SAFE..=SAFE).contains(&bound));
    safe("minimum") && safe("maximum")
}

/// The pointers of secret arguments: those marked by their parameter, and those whose type says `writeOnly`.
pub(super) fn secrets(params: &[Param], exact: &Value) -> Vec<String> {
    let marked = params.iter().filter(|param| param.secret && !param.flattened);
    let mut secrets: Vec<String> = marked.map(|param| format!("/{}", escape(param.name))).collect();
    collect_secrets(exact, "", true, &mut secrets);
    secrets
}

fn collect_secrets(schema: &Value, pointer: &str, precise: bool, secrets: &mut Vec<String>) {
    if schema.get("writeOnly") == Some(&Value::Bool(true)) && !secrets.iter().any(|known| known == pointer) {
        secrets.push(pointer.to_owned());
    }
    for name in property_names(schema) {
        let Some(member) = property(schema, name) else { continue };
        // Below a list or map no pointer names the value alone: the whole list is secret then.
        let member_pointer = if precise { format!("{pointer}/{}", escape(name)) } else { pointer.to_owned() };
        collect_secrets(member, &member_pointer, precise, secrets);
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(value) = schema.get(keyword) {
            collect_secrets(value, pointer, false, secrets);
        }
    }
    if let Some((_, parts)) = branches(schema) {
        parts.iter().for_each(|part| collect_secrets(part, pointer, precise, secrets));
    }
}
