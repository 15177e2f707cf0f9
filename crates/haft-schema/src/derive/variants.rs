//! Unions. An enum of names becomes one `enum`; an enum of structs keeps its variants as whole, closed objects beside
//! what they have in common, and can be flattened into one object for hosts.

use serde_json::{Value, json};

use super::object::{ANNOTATIONS, Object, branches, choices, is_null, is_object, property, property_names, requires};
use super::words::{add_sentence, description, either, legend};

/// Makes one schema of the branches of a `oneOf` or `anyOf`, each in normal form.
pub(super) fn unite(keyword: &'static str, parts: Vec<Value>, annotations: Object) -> Value {
    let mut keyword = keyword;
    let mut flat = Vec::new();
    for part in parts {
        match branches(&part) {
            Some((inner, nested)) if is_union_only(&part) => {
                if inner == "anyOf" {
                    keyword = "anyOf";
                }
                nested.iter().for_each(|branch| push_new(&mut flat, branch.clone()));
            }
            _ => push_new(&mut flat, part),
        }
    }
    let (nulls, flat): (Vec<Value>, Vec<Value>) = flat.into_iter().partition(is_null);
    let mut flat = join_choices(flat);
    let mut united = match flat.len() {
        0 => json!({ "type": "null" }),
        1 => flat.swap_remove(0),
        _ if flat.iter().all(is_object) => object_union(keyword, flat),
        _ => json!({ keyword: flat }),
    };
    if !nulls.is_empty() && !is_null(&united) {
        let mut with_null = match (branches(&united), is_object(&united)) {
            (Some((_, list)), false) => list.clone(),
            _ => vec![united],
        };
        with_null.extend(nulls.into_iter().take(1));
        united = json!({ "anyOf": with_null });
    }
    annotate(&mut united, annotations);
    united
}

/// Whether the schema is nothing but a union, or a union of objects that are whole in themselves.
fn is_union_only(schema: &Value) -> bool {
    let Some(object) = schema.as_object() else { return false };
    is_object(schema)
        || object.keys().all(|key| matches!(key.as_str(), "oneOf" | "anyOf") || ANNOTATIONS.contains(&key.as_str()))
}

fn push_new(list: &mut Vec<Value>, value: Value) {
    if !list.contains(&value) {
        list.push(value);
    }
}

/// Puts outer annotations over inner ones. A legend of the inner description stays.
fn annotate(schema: &mut Value, annotations: Object) {
    let Some(schema) = schema.as_object_mut() else { return };
    let legend = schema.remove(LEGEND).and_then(|legend| legend.as_str().map(str::to_owned));
    schema.extend(annotations);
    if let Some(legend) = legend {
        add_sentence(schema, &legend);
    }
}

/// The most variants without a tag that a description lists.
const MAX_SETS: usize = 4;

/// Carries the documentation of choices from where it is collected to `annotate`; never leaves this file.
const LEGEND: &str = "x-haft-legend";

/// Joins branches that are lists of strings into one `enum` where the first of them stood.
fn join_choices(parts: Vec<Value>) -> Vec<Value> {
    let mut joined: Vec<String> = Vec::new();
    let mut documented: Vec<(String, String)> = Vec::new();
    let mut place = None;
    let mut others = Vec::new();
    for part in parts {
        let Some(list) = choices(&part) else {
            others.push(part);
            continue;
        };
        place.get_or_insert(others.len());
        for choice in &list {
            if !joined.iter().any(|known| known == choice) {
                joined.push((*choice).to_owned());
            }
        }
        if let [only] = list.as_slice() {
            documented.push(((*only).to_owned(), description(&part).to_owned()));
        }
    }
    let Some(place) = place else { return others };
    let mut one = json!({ "type": "string", "enum": joined });
    let legend = legend(documented.iter().map(|(choice, text)| (choice.as_str(), text.as_str())));
    if let Some(one) = one.as_object_mut()
        && !legend.is_empty()
    {
        let key = if others.is_empty() { LEGEND } else { "description" };
        one.insert(key.to_owned(), legend.into());
    }
    others.insert(place, one);
    others
}

/// A union of whole objects: `{type, properties and required that all have, oneOf: [...]}`.
fn object_union(keyword: &'static str, parts: Vec<Value>) -> Value {
    let tags = tags(&parts);
    let told_apart = tags.iter().any(|tag| {
        let values: Vec<&str> = parts.iter().filter_map(|part| constant(part, tag)).collect();
        values.iter().enumerate().all(|(index, value)| !values[..index].contains(value))
    });
    let mut properties = Object::new();
    let mut required = Vec::new();
    for name in parts.first().map(property_names).unwrap_or_default() {
        let schemas: Vec<&Value> = parts.iter().filter_map(|part| property(part, name)).collect();
        if schemas.len() < parts.len() {
            continue;
        }
        if tags.iter().any(|tag| tag == name) {
            properties.insert(name.to_owned(), tag_property(&parts, name));
        } else if let [first, rest @ ..] = schemas.as_slice()
            && rest.iter().all(|schema| schema == first)
        {
            properties.insert(name.to_owned(), (*first).clone());
        }
        if parts.iter().all(|part| requires(part, name)) {
            required.push(name.to_owned());
        }
    }
    let mut union = Object::new();
    union.insert("type".to_owned(), "object".into());
    if !properties.is_empty() {
        union.insert("properties".to_owned(), Value::Object(properties));
    }
    if !required.is_empty() {
        union.insert("required".to_owned(), required.into());
    }
    let keyword = if told_apart { "oneOf" } else { keyword };
    union.insert(keyword.to_owned(), parts.into());
    Value::Object(union)
}

/// The string constant that a variant has for a property.
fn constant<'a>(part: &'a Value, name: &str) -> Option<&'a str> {
    property(part, name)?.get("const")?.as_str()
}

/// The properties that are a constant in every variant.
fn tags(parts: &[Value]) -> Vec<String> {
    let Some(first) = parts.first() else { return Vec::new() };
    let names = property_names(first).into_iter();
    names.filter(|name| parts.iter().all(|part| constant(part, name).is_some())).map(str::to_owned).collect()
}

/// The properties that are a constant in every variant that has them, and several constants over all: the tags, and those
/// of an enum inside a variant or of an optional one.
fn discriminators(parts: &[Value]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for name in parts.iter().flat_map(property_names) {
        let mut has = parts.iter().filter(|part| property(part, name).is_some());
        let values: Vec<&str> = parts.iter().filter_map(|part| constant(part, name)).collect();
        let several = values.iter().any(|value| Some(value) != values.first());
        if has.all(|part| constant(part, name).is_some())
            && (several || values.len() == parts.len())
            && !found.iter().any(|known| known == name)
        {
            found.push(name.to_owned());
        }
    }
    found
}

/// Whether a tag tells the variants apart well enough for one object to stand for all of them. One variant may lack it:
/// an optional enum's.
pub(super) fn is_tagged(parts: &[Value]) -> bool {
    let discriminators = discriminators(parts);
    discriminators.iter().any(|tag| parts.iter().filter(|part| property(part, tag).is_none()).count() <= 1)
}

/// The property that tells variants apart: its values, and what each stands for.
fn tag_property(parts: &[Value], tag: &str) -> Value {
    let mut documented: Vec<(&str, &str)> = Vec::new();
    for part in parts {
        let Some(value) = constant(part, tag) else { continue };
        match documented.iter_mut().find(|(known, _)| *known == value) {
            None => documented.push((value, description(part))),
            // Variants of another enum share this value: their documentation isn't about it.
            Some((_, text)) if *text != description(part) => *text = "",
            Some(_) => {}
        }
    }
    let values: Vec<&str> = documented.iter().map(|(value, _)| *value).collect();
    let mut schema = json!({ "type": "string", "enum": values });
    let legend = legend(documented);
    if let Some(schema) = schema.as_object_mut()
        && !legend.is_empty()
    {
        schema.insert("description".to_owned(), legend.into());
    }
    schema
}

/// One property of a flattened union.
pub(super) struct Member {
    pub(super) name: String,
    /// The different exact schemas that it has among the variants.
    pub(super) schemas: Vec<Value>,
    /// Whether every variant needs it.
    pub(super) required: bool,
    /// When it is needed or allowed, if not always.
    pub(super) note: String,
}

/// The members of a union of objects as one object.
pub(super) fn flatten(parts: &[Value]) -> Vec<Member> {
    let tags = discriminators(parts);
    let mut names: Vec<&str> = Vec::new();
    for name in tags.iter().map(String::as_str).chain(parts.iter().flat_map(property_names)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let sets = (parts.len() <= MAX_SETS).then(|| sets(parts));
    let members = names.into_iter().map(|name| {
        let is_tag = tags.iter().any(|tag| tag == name);
        let mut schemas = Vec::new();
        if is_tag {
            schemas.push(tag_property(parts, name));
        } else {
            // A variant with a map takes the name as one of the map's keys.
            let others = |part| -> Option<&Value> {
                Value::get(part, "additionalProperties").filter(|others| **others != json!(false))
            };
            let of_part = parts.iter().filter_map(|part| property(part, name).or_else(|| others(part)));
            of_part.for_each(|schema| push_new(&mut schemas, schema.clone()));
        }
        let has: Vec<bool> = parts.iter().map(|part| property(part, name).is_some()).collect();
        let needs: Vec<bool> = parts.iter().map(|part| requires(part, name)).collect();
        let required = needs.iter().all(|needed| *needed);
        let uniform = has.iter().all(|has| *has) && needs.iter().all(|needed| *needed == required);
        let note = match (uniform, note(parts, &tags, name, &has, &needs)) {
            (true, _) => String::new(),
            (false, Some(note)) => note,
            (false, None) if is_tag => String::new(),
            (false, None) => sets.clone().unwrap_or_else(|| rivals(parts, name)),
        };
        Member { name: name.to_owned(), schemas, required, note }
    });
    members.collect()
}

/// Forbids in each variant of an open union what only other variants have. Such a name isn't an unknown one that could be
/// ignored; and where one published object stands for all variants, it would be refused there.
pub(super) fn reserve(schema: &mut Value) {
    let Some(object) = schema.as_object_mut() else { return };
    for keyword in ["properties", "patternProperties"] {
        if let Some(Value::Object(schemas)) = object.get_mut(keyword) {
            schemas.values_mut().for_each(reserve);
        }
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(schema) = object.get_mut(keyword) {
            reserve(schema);
        }
    }
    let is_object = object.get("type").is_some_and(|kind| kind == "object");
    for keyword in ["oneOf", "anyOf"] {
        let Some(Value::Array(parts)) = object.get_mut(keyword) else { continue };
        parts.iter_mut().for_each(reserve);
        if !is_object {
            continue;
        }
        let names: Vec<String> = parts.iter().flat_map(property_names).map(str::to_owned).collect();
        for part in parts.iter_mut().filter(|part| part.get("additionalProperties").is_none()) {
            let Some(part) = part.as_object_mut() else { continue };
            let properties = part.entry("properties").or_insert_with(|| json!({}));
            let Some(properties) = properties.as_object_mut() else { continue };
            for name in &names {
                properties.entry(name.as_str()).or_insert(Value::Bool(false));
            }
        }
    }
}

/// When a property is needed, told by the value of a tag; `None` if no tag tells.
fn note(parts: &[Value], tags: &[String], name: &str, has: &[bool], needs: &[bool]) -> Option<String> {
    tags.iter().filter(|tag| *tag != name).find_map(|tag| {
        let mut needed: Vec<&str> = Vec::new();
        let mut allowed: Vec<&str> = Vec::new();
        let mut without: Vec<&str> = Vec::new();
        let mut left_out = false;
        for ((part, has), needs) in parts.iter().zip(has).zip(needs) {
            let Some(value) = constant(part, tag) else {
                if *has {
                    return None;
                }
                left_out = true;
                continue;
            };
            let list = match (*has, *needs) {
                (_, true) => &mut needed,
                (true, false) => &mut allowed,
                (false, false) => &mut without,
            };
            if !list.contains(&value) {
                list.push(value);
            }
        }
        let told = |list: &[&str], others: [&[&str]; 2]| {
            list.iter().all(|value| others.iter().all(|other| !other.contains(value)))
        };
        if !told(&needed, [&allowed, &without]) || !told(&allowed, [&needed, &without]) {
            return None;
        }
        let otherwise = if without.is_empty() && !left_out { "" } else { " Leave out otherwise." };
        Some(match (needed.is_empty(), allowed.is_empty()) {
            (false, true) => format!("Needed when `{tag}` is {}.{otherwise}", either(needed, "or")),
            (true, _) => format!("Only when `{tag}` is {}.", either(allowed, "or")),
            (false, false) => format!(
                "Needed when `{tag}` is {}; optional when it is {}.{otherwise}",
                either(needed, "or"),
                either(allowed, "or")
            ),
        })
    })
}

/// The sets of members that variants without a tag are told apart by.
fn sets(parts: &[Value]) -> String {
    let common = |name: &str| parts.iter().all(|part| requires(part, name));
    let sets = parts.iter().map(|part| {
        let names = property_names(part).into_iter().filter(|name| !common(name));
        let (needed, optional): (Vec<&str>, Vec<&str>) = names.partition(|name| requires(part, name));
        match (needed.is_empty(), optional.is_empty()) {
            (true, true) => "none of them".to_owned(),
            (false, true) => either(needed, "and"),
            (true, false) => format!("optionally {}", either(optional, "and")),
            (false, false) => format!("{} (optionally {})", either(needed, "and"), either(optional, "and")),
        }
    });
    let sets: Vec<String> = sets.collect();
    format!("Give exactly one of these: {}.", sets.join("; or "))
}

/// What a member can't stand beside, where there are too many sets to list.
fn rivals(parts: &[Value], name: &str) -> String {
    let mut rivals: Vec<&str> = Vec::new();
    for other in parts.iter().flat_map(property_names) {
        let together = parts.iter().any(|part| property(part, name).is_some() && property(part, other).is_some());
        if !together && !rivals.contains(&other) {
            rivals.push(other);
        }
    }
    if rivals.is_empty() { String::new() } else { format!("Leave out when {} is given.", either(rivals, "or")) }
}
