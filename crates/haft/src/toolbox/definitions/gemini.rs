//! The schemas that Gemini's `parameters` take, a part of OpenAPI's. What they can't say goes into the description.

use serde_json::{Map, Value, json};

use super::super::shown;
use super::{HEAVIEST, own_weight, root};

/// Characters of what is added to a description.
const LONGEST_HINT: usize = 400;
const LONGEST: usize = 4_096;
/// Alternatives that are held against each other.
const MOST_COMPARED: usize = 100;
/// Bounds, each a number.
const BOUNDS: [&str; 8] =
    ["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"];

/// Schemas in one that is rendered. Each alternative says again what is said beside it, so there may be more than there were.
const MOST: usize = 10_000;

struct State<'a> {
    reduced: &'a mut Vec<String>,
    left: usize,
    /// What they may still hold beside schemas.
    weight: usize,
}

/// `None` for a tool without arguments, for which there is no schema.
pub(super) fn parameters(flat: &Value, reduced: &mut Vec<String>) -> Result<Option<Value>, String> {
    let schema = schema(flat, &mut State { reduced, left: MOST, weight: HEAVIEST })?;
    Ok(schema.get("properties").is_some().then_some(schema))
}

fn schema(schema: &Value, state: &mut State<'_>) -> Result<Value, String> {
    let Value::Object(members) = schema else { return Ok(anything(String::new())) };
    const TOO_LARGE: &str = "its input schema is too large without compositions";
    state.left = state.left.checked_sub(1).ok_or(TOO_LARGE)?;
    state.weight = state.weight.checked_sub(own_weight(members)).ok_or(TOO_LARGE)?;
    let mut members = with_all_of(members.clone());
    let description = description(&members);
    let mut branches = Vec::new();
    for keyword in ["anyOf", "oneOf"] {
        if let Some(Value::Array(schemas)) = members.remove(keyword) {
            branches.extend(schemas);
        }
    }
    if !branches.is_empty() {
        return any_of(&members, branches, description, state);
    }
    let (kinds, null) = kinds(&members);
    match kinds.as_slice() {
        [] => Ok(anything(description)),
        [kind] => of_kind(kind, &members, description, null, state),
        kinds => {
            let each = kinds.iter().map(|kind| of_kind(kind, &members, description.clone(), null, state));
            Ok(json!({"anyOf": each.collect::<Result<Vec<_>, _>>()?}))
        }
    }
}

/// `anyOf` stands alone, so what is said beside it is said in each branch.
fn any_of(
    beside: &Map<String, Value>,
    branches: Vec<Value>,
    said: String,
    state: &mut State<'_>,
) -> Result<Value, String> {
    let is_null = |branch: &Value| branch.get("type").is_some_and(|kind| kind == "null");
    let null = branches.iter().any(is_null);
    let mut rendered: Vec<Value> = Vec::new();
    for branch in branches.iter().filter(|branch| !is_null(branch) && **branch != Value::Bool(false)) {
        let mut whole = beside.clone();
        whole.remove("description");
        whole.extend(root::object(Some(branch.clone())));
        let branch = schema(&Value::Object(whole), state)?;
        // Alternatives in alternatives are alternatives.
        let inner = match branch {
            Value::Object(mut members) => match members.remove("anyOf") {
                Some(Value::Array(inner)) => inner,
                _ => vec![Value::Object(members)],
            },
            other => vec![other],
        };
        for mut branch in inner {
            if null {
                branch["nullable"] = true.into();
            }
            if !said.is_empty() && branch.get("description").is_none() {
                branch["description"] = said.as_str().into();
            }
            if rendered.len() > MOST_COMPARED || !rendered.contains(&branch) {
                rendered.push(branch);
            }
        }
    }
    Ok(match rendered.len() {
        0 => anything(said),
        1 => rendered.remove(0),
        _ => json!({"anyOf": rendered}),
    })
}

fn of_kind(
    kind: &str,
    members: &Map<String, Value>,
    description: String,
    null: bool,
    state: &mut State<'_>,
) -> Result<Value, String> {
    let (mut kept, mut hints) = (Map::new(), Vec::new());
    kept.insert("type".to_owned(), kind.into());
    if null {
        kept.insert("nullable".to_owned(), true.into());
    }
    for keyword in BOUNDS {
        let applies = match keyword {
            "minimum" | "maximum" => matches!(kind, "integer" | "number"),
            "minLength" | "maxLength" => kind == "string",
            "minItems" | "maxItems" => kind == "array",
            _ => kind == "object",
        };
        let bound = members.get(keyword).filter(|bound| applies && bound.is_number());
        kept.extend(bound.map(|bound| (keyword.to_owned(), bound.clone())));
    }
    for (keyword, words) in
        [("exclusiveMinimum", "More than"), ("exclusiveMaximum", "Less than"), ("multipleOf", "A multiple of")]
    {
        hints.extend(members.get(keyword).filter(|bound| bound.is_number()).map(|bound| format!("{words} {bound}.")));
    }
    match (kind, members.get("format").and_then(Value::as_str)) {
        ("string", Some("date-time")) | ("integer", Some("int32" | "int64")) | ("number", Some("float" | "double")) => {
            kept.extend(members.get("format").map(|format| ("format".to_owned(), format.clone())));
        }
        ("string", Some(format)) => hints.push(format!("Format: {format}.")),
        _ => {}
    }
    if kind == "string" {
        kept.extend(
            members.get("pattern").filter(|text| text.is_string()).map(|text| ("pattern".to_owned(), text.clone())),
        );
    }
    let values = members.get("enum").and_then(Value::as_array).cloned();
    if let Some(values) = values.or_else(|| members.get("const").map(|value| vec![value.clone()])) {
        let values: Vec<Value> = values.into_iter().filter(|value| !value.is_null()).collect();
        let are_words = values.iter().all(|value| value.as_str().is_some_and(|text| !text.is_empty()));
        if kind == "string" && are_words && !values.is_empty() {
            kept.insert("enum".to_owned(), values.into());
        } else {
            let values: Vec<String> = values.iter().map(Value::to_string).collect();
            hints.push(format!("One of: {}.", values.join(", ")));
        }
    }
    hints.extend(members.get("default").filter(|value| !value.is_null()).map(|value| format!("Default: {value}.")));
    if kind == "array" {
        let items = members.get("items").filter(|items| !items.is_array());
        kept.insert("items".to_owned(), schema(items.unwrap_or(&Value::Bool(true)), state)?);
    }
    if kind == "object" {
        object(members, &mut kept, state)?;
    }
    let description = [description, shown::line(&hints.join(" "), LONGEST_HINT)];
    let description = description.iter().filter(|text| !text.is_empty()).cloned().collect::<Vec<_>>().join(" ");
    if !description.is_empty() {
        kept.insert("description".to_owned(), description.into());
    }
    Ok(Value::Object(kept))
}

fn object(members: &Map<String, Value>, kept: &mut Map<String, Value>, state: &mut State<'_>) -> Result<(), String> {
    let named = root::with_names(Value::Object(members.clone()), root::gemini_name, state.reduced)?;
    let mut properties = Map::new();
    for (name, property) in root::object(named.get("properties").cloned()) {
        if property != Value::Bool(false) {
            properties.insert(name, schema(&property, state)?);
        }
    }
    let mut required = root::strings(members.get("required"));
    required.retain(|name| properties.contains_key(name));
    if !properties.is_empty() {
        kept.insert("properties".to_owned(), Value::Object(properties));
    }
    if !required.is_empty() {
        kept.insert("required".to_owned(), required.into());
    }
    Ok(())
}

/// The types that a value may have, and whether it may be null.
fn kinds(members: &Map<String, Value>) -> (Vec<String>, bool) {
    let mut kinds = match members.get("type") {
        Some(Value::Array(_)) => root::strings(members.get("type")),
        Some(Value::String(kind)) => vec![kind.clone()],
        _ => Vec::new(),
    };
    let nullable = members.get("nullable") == Some(&Value::Bool(true));
    let null = nullable || kinds.iter().any(|kind| kind == "null");
    kinds.retain(|kind| matches!(kind.as_str(), "string" | "number" | "integer" | "boolean" | "object" | "array"));
    kinds.sort_unstable();
    kinds.dedup();
    if kinds.is_empty() {
        let values = members.get("enum").and_then(Value::as_array).map(Vec::as_slice);
        let values = values.or_else(|| members.get("const").map(std::slice::from_ref));
        let guess = match values {
            Some(values) if values.iter().all(|value| value.is_string() || value.is_null()) => Some("string"),
            Some(values) if values.iter().all(|value| value.is_number() || value.is_null()) => Some("number"),
            _ if members.contains_key("properties") => Some("object"),
            _ if members.contains_key("items") => Some("array"),
            // A value that can only be null is best not given.
            _ if null => Some("string"),
            _ => None,
        };
        kinds.extend(guess.map(str::to_owned));
    }
    (kinds, null)
}

/// `allOf` merged into the schema around it. What is said twice is said as it was said first.
fn with_all_of(mut members: Map<String, Value>) -> Map<String, Value> {
    let Some(Value::Array(schemas)) = members.remove("allOf") else { return members };
    for schema in schemas {
        for (keyword, value) in with_all_of(root::object(Some(schema))) {
            match (members.get_mut(&keyword), value) {
                (Some(Value::Object(known)), Value::Object(more)) if keyword == "properties" => {
                    for (name, schema) in more {
                        known.entry(name).or_insert(schema);
                    }
                }
                (Some(Value::Array(known)), Value::Array(more)) if keyword == "required" => known.extend(more),
                (Some(_), _) => {}
                (None, value) => drop(members.insert(keyword, value)),
            }
        }
    }
    members
}

/// Any value: one of the types that a model can be expected to give.
fn anything(description: String) -> Value {
    let of = |kind: &str| match description.is_empty() {
        true => json!({"type": kind}),
        false => json!({"type": kind, "description": description}),
    };
    json!({"anyOf": [of("string"), of("number"), of("boolean"), of("object")]})
}

fn description(members: &Map<String, Value>) -> String {
    let said = members.get("description").or_else(|| members.get("title")).and_then(Value::as_str);
    said.map(|text| shown::lines(text, LONGEST)).unwrap_or_default()
}
