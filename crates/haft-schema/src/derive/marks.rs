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
    Collect { bounded: true, headers: &mut headers, problems }.walk(published, &Place::root(), "");
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

/// [`headers`] of a schema that somebody else published: integers may be without bounds, since it is their values that
/// must be within them.
///
/// # Errors
///
/// Every `x-mcp-header` for which a client has to leave the tool out.
pub fn received_headers(schema: &Value) -> Result<Vec<(String, String)>, Vec<Problem>> {
    let (mut headers, mut problems) = (Vec::new(), Vec::new());
    Collect { bounded: false, headers: &mut headers, problems: &mut problems }.walk(schema, &Place::root(), "");
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

/// What is found on the way through a schema.
struct Collect<'a> {
    /// Whether integers need bounds.
    bounded: bool,
    headers: &'a mut Vec<(String, String)>,
    problems: &'a mut Vec<Problem>,
}

impl Collect<'_> {
    fn walk(&mut self, schema: &Value, place: &Place, pointer: &str) {
        for name in property_names(schema) {
            let Some(member) = property(schema, name) else { continue };
            let (place, pointer) = (place.property(name), format!("{pointer}/{}", escape(name)));
            if let Some(header) = member.get("x-mcp-header") {
                self.take(member, header.as_str().unwrap_or_default(), &place, &pointer);
            }
            self.walk(member, &place, &pointer);
        }
        for branch in elsewhere(schema) {
            // Headers there, and what is wrong with them: either says that there are some.
            let (mut headers, mut problems) = (Vec::new(), Vec::new());
            Collect { bounded: self.bounded, headers: &mut headers, problems: &mut problems }
                .walk(branch, place, pointer);
            if branch.get("x-mcp-header").is_some() || !headers.is_empty() || !problems.is_empty() {
                let message = format!(
                    "a value inside {} can't be repeated in a header; only an argument, or a field of a struct, that is there once can",
                    place.subject()
                );
                self.problems.push(place.problem("header", message));
            }
        }
    }

    fn take(&mut self, member: &Value, header: &str, place: &Place, pointer: &str) {
        let mut wrong = |message: String| self.problems.push(place.problem("header", message));
        if !portable::is_token(header) {
            wrong(format!("`{header}` isn't a header name; use letters, digits and hyphens"));
        }
        if self.headers.iter().any(|(_, known)| known.eq_ignore_ascii_case(header)) {
            wrong(format!("two arguments are repeated in the header `{header}` (case doesn't count); rename one"));
        }
        match type_of(member) {
            Some("string" | "boolean") => {}
            Some("integer") if !self.bounded || has_safe_range(member) => {}
            Some("integer") => wrong(format!(
                "{} is repeated in a header, so its integers must lie within ±(2^53 - 1); give it a range, or a narrower type such as `u32`",
                place.subject()
            )),
            _ => wrong(format!(
                "{} can't be repeated in a header; only strings, integers and booleans can",
                place.subject()
            )),
        }
        self.headers.push((pointer.to_owned(), header.to_owned()));
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
