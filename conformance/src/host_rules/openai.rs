//! The Responses and Chat Completions APIs of OpenAI, and their strict mode.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::walk::{self, Sub};
use super::{Faults, plain_name};

pub(super) const MOST_TOOLS: usize = 128;
/// Characters of a function's description.
const LONGEST: usize = 1_024;

/// In strict mode, for one schema.
const MOST_PROPERTIES: usize = 5_000;
const MOST_LEVELS: usize = 10;
const MOST_VALUES: usize = 1_000;
const MOST_CHARACTERS: usize = 120_000;
const LARGE_ENUM: usize = 250;
const MOST_IN_LARGE_ENUM: usize = 15_000;
/// What strict mode knows.
const KEYWORDS: &[&str] = &[
    "$defs",
    "$ref",
    "additionalProperties",
    "anyOf",
    "const",
    "description",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "items",
    "maxItems",
    "maximum",
    "minItems",
    "minimum",
    "multipleOf",
    "pattern",
    "properties",
    "required",
    "title",
    "type",
];
const FORMATS: &[&str] = &["date", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "time", "uuid"];

pub(super) fn for_responses(members: &Map<String, Value>, faults: &mut Faults) -> Option<String> {
    faults.members(members, &["type", "name", "description", "parameters", "strict"], &[]);
    function(members, members.get("type"), faults)
}

pub(super) fn for_chat(members: &Map<String, Value>, faults: &mut Faults) -> Option<String> {
    faults.members(members, &["type", "function"], &[]);
    let inner = members.get("function")?.as_object()?;
    faults.members(inner, &["name", "description", "parameters", "strict"], &[]);
    function(inner, members.get("type"), faults)
}

fn function(members: &Map<String, Value>, kind: Option<&Value>, faults: &mut Faults) -> Option<String> {
    let name = faults.name(members, "OAI-API-NAME", plain_name);
    if kind.is_none_or(|kind| kind != "function") {
        faults.add("shape", "/type", "is not \"function\"");
    }
    faults.description(members, LONGEST);
    let schema = members.get("parameters").unwrap_or(&Value::Null);
    if schema.get("type").is_none_or(|kind| kind != "object") {
        faults.add("SPEC-IN-001", "/parameters/type", "is not \"object\"");
    }
    for keyword in ["oneOf", "anyOf", "allOf", "not", "enum"] {
        if schema.get(keyword).is_some() {
            faults.add("OAI-STRICT-001", "/parameters", format!("{keyword} at the root"));
        }
    }
    if !schema.get("properties").is_some_and(Value::is_object) {
        faults.add("OAI-API-PROP", "/parameters", "has no properties");
    }
    if let Err(error) = jsonschema::draft202012::meta::validate(schema) {
        faults.add("shape", &format!("/parameters{}", error.instance_path()), error.to_string());
    }
    let subs = walk::all(schema);
    for sub in subs.iter().filter(|sub| sub.is("array") && !sub.has("items")) {
        faults.add("OAI-API-ARR", &sub.place, "an array without items");
    }
    match members.get("strict") {
        Some(Value::Bool(true)) => strict(&subs, faults),
        Some(Value::Bool(false)) => {}
        _ => faults.add("shape", "/strict", "is no boolean"),
    }
    name
}

fn strict(subs: &[Sub<'_>], faults: &mut Faults) {
    let (mut properties, mut values, mut characters) = (0, 0, 0);
    for sub in subs {
        let mut fault = |what: String| faults.add("OAI-STRICT-001", &sub.place, what);
        let Some(members) = sub.schema.as_object() else {
            // `additionalProperties` is the only one that may be `false`.
            if !sub.place.ends_with("/additionalProperties") {
                fault(format!("{} is no schema", sub.schema));
            }
            continue;
        };
        for keyword in members.keys().filter(|keyword| !KEYWORDS.contains(&keyword.as_str())) {
            fault(format!("{keyword} is not known"));
        }
        if !["type", "anyOf", "$ref", "enum", "const"].iter().any(|keyword| members.contains_key(*keyword)) {
            fault("nothing says of what type it is".to_owned());
        }
        if members.get("format").is_some_and(|format| !FORMATS.iter().any(|known| format == known)) {
            fault(format!("the format {} is not known", members["format"]));
        }
        if sub.level > MOST_LEVELS {
            fault(format!("is at level {}", sub.level));
        }
        if sub.is("object") || members.contains_key("properties") {
            if members.get("additionalProperties") != Some(&Value::Bool(false)) {
                fault("an object that is open".to_owned());
            }
            let named: BTreeSet<&str> = members
                .get("properties")
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
                .map(|(key, _)| key.as_str())
                .collect();
            let required: Vec<&str> = members
                .get("required")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            if named.iter().ne(required.iter().collect::<BTreeSet<_>>()) || required.len() != named.len() {
                fault("not all of its properties are required, each once".to_owned());
            }
            properties += named.len();
            characters += named.iter().map(|name| name.chars().count()).sum::<usize>();
        }
        let defined = members.get("$defs").and_then(Value::as_object);
        characters += defined.into_iter().flatten().map(|(name, _)| name.chars().count()).sum::<usize>();
        characters += members.get("const").map_or(0, length);
        let Some(choice) = members.get("enum").and_then(Value::as_array) else { continue };
        let in_choice: usize = choice.iter().map(length).sum();
        if choice.is_empty() || choice.iter().enumerate().any(|(index, value)| choice[..index].contains(value)) {
            fault("an enum has values, each once".to_owned());
        }
        if choice.len() > LARGE_ENUM && in_choice > MOST_IN_LARGE_ENUM {
            fault(format!("an enum of {} values and {in_choice} characters", choice.len()));
        }
        values += choice.len();
        characters += in_choice;
    }
    for (what, count, most) in [
        ("properties", properties, MOST_PROPERTIES),
        ("values in enums", values, MOST_VALUES),
        ("characters in names and values", characters, MOST_CHARACTERS),
    ] {
        if count > most {
            faults.add("OAI-STRICT-001", "/parameters", format!("{count} {what}"));
        }
    }
}

fn length(value: &Value) -> usize {
    value.as_str().map_or(0, |text| text.chars().count())
}
