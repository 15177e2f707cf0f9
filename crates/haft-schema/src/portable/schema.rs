//! Schemas: the keywords that every host takes, and how.

use std::collections::BTreeSet;

use serde_json::Value;

use super::name::{argument_name, is_token};
use super::text::description;
use super::{DESCRIPTION, INPUT, OUTPUT, RECURSION};
use crate::Problem;
use crate::derive::{SAFE, escape, property_names, whole};

/// The keywords of the subset, next to extensions (`x-…`).
const KEYWORDS: [&str; 20] = [
    "type",
    "description",
    "enum",
    "format",
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "items",
    "minItems",
    "maxItems",
    "properties",
    "required",
    "additionalProperties",
    "minProperties",
    "maxProperties",
    "anyOf",
    "default",
    "examples",
];

/// Checks an input schema against the portable profile; every problem at once.
///
/// The rules: an object root with `properties` and no composition; no `$schema`, `$ref`, `$defs`, `const`, `oneOf`,
/// `allOf` and the like; single types and no `null`; no boolean subschemas (but `additionalProperties`); `items` on every
/// array; enums of non-empty strings with a `type`; no format but `date-time`; bounds within ±(2^53 - 1); `required`
/// within `properties`; identifiers as root property names; descriptions within their limit.
#[must_use]
pub fn input_schema(schema: &Value) -> Vec<Problem> {
    let mut profile = Profile { problems: Vec::new() };
    profile.root(schema);
    profile.schema(schema, "");
    profile.problems
}

/// Checks an output schema against the portable profile; every problem at once.
///
/// The rules: an object root (`portable_output`), no boolean subschemas and no `$schema` (`portable_output`), no type that
/// contains itself (`recursion`).
#[must_use]
pub fn output_schema(schema: &Value) -> Vec<Problem> {
    let mut problems = Vec::new();
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        let message = "the result isn't an object, and some clients lose every tool of the server over it; put it into a struct with one field, or allow(portable_output)";
        problems.push(Problem::new(OUTPUT, "", message));
    }
    if schema.get("$schema").is_some() {
        let message = "`$schema` makes some clients refuse the tool's results; leave it out";
        problems.push(Problem::new(OUTPUT, "/$schema", message));
    }
    walk(schema, "", &mut |node, place| {
        if node.is_boolean() && !is_additional(place) {
            let message = "a boolean as a schema makes some clients lose every tool of the server; use {}";
            problems.push(Problem::new(OUTPUT, place, message));
        }
    });
    let mut refers_to_root = false;
    walk(schema, "", &mut |node, _| refers_to_root |= node.get("$ref").is_some_and(|reference| reference == "#"));
    if refers_to_root {
        let message = "the schema refers to itself, and some clients lose every tool of the server over it";
        problems.push(Problem::new(RECURSION, "", message));
    }
    if let Some(name) = cycle(schema) {
        let message =
            format!("the definition `{name}` refers to itself, and some clients lose every tool of the server over it");
        problems.push(Problem::new(RECURSION, format!("/$defs/{}", escape(&name)), message));
    }
    problems
}

struct Profile {
    problems: Vec<Problem>,
}

impl Profile {
    fn report(&mut self, rule: &'static str, place: &str, message: impl Into<String>) {
        self.problems.push(Problem::new(rule, place, message));
    }

    fn root(&mut self, schema: &Value) {
        if schema.get("type").and_then(Value::as_str) != Some("object") {
            self.report(INPUT, "", "the root must have \"type\": \"object\"");
        }
        if !schema.get("properties").is_some_and(Value::is_object) {
            self.report(INPUT, "", "the root must have `properties`, if only {}");
        }
        for keyword in ["oneOf", "anyOf", "allOf", "not", "if"] {
            if schema.get(keyword).is_some() {
                let message = format!("`{keyword}` at the root makes some hosts refuse every request; use one object");
                self.report(INPUT, &format!("/{keyword}"), message);
            }
        }
        for name in property_names(schema) {
            if let Err(message) = argument_name(name) {
                self.report(INPUT, &format!("/properties/{}", escape(name)), message);
            }
        }
    }

    fn schema(&mut self, schema: &Value, place: &str) {
        let Some(object) = schema.as_object() else {
            self.report(
                INPUT,
                place,
                "a boolean as a schema makes some hosts refuse the whole server; use {} or leave it out",
            );
            return;
        };
        let mut keywords: Vec<&String> = object.keys().collect();
        keywords.sort_unstable();
        for keyword in keywords {
            self.keyword(schema, keyword, &object[keyword.as_str()], place);
        }
        if object.get("type").and_then(Value::as_str) == Some("array") && !object.contains_key("items") {
            self.report(INPUT, place, "an array needs `items`");
        }
        if object.contains_key("enum") && object.get("type").and_then(Value::as_str) != Some("string") {
            self.report(INPUT, place, "an `enum` needs \"type\": \"string\" beside it");
        }
    }

    fn keyword(&mut self, schema: &Value, keyword: &str, value: &Value, place: &str) {
        let here = format!("{place}/{}", escape(keyword));
        match keyword {
            "$ref" | "$defs" | "definitions" => {
                self.report(
                    RECURSION,
                    &here,
                    format!("`{keyword}` isn't resolved by every host; write the schema in place"),
                );
            }
            "type" => match value.as_str() {
                None => self.report(INPUT, &here, "`type` must be a single string"),
                Some("null") => {
                    self.report(INPUT, &here, "null isn't taken by every host; leave the property optional")
                }
                Some(_) => {}
            },
            "format" if value != "date-time" => {
                self.report(
                    INPUT,
                    &here,
                    format!("the format {value} isn't taken by every host; say it in the description"),
                );
            }
            "enum" => {
                let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
                if list.is_empty() || list.iter().any(|choice| choice.as_str().is_none_or(str::is_empty)) {
                    self.report(INPUT, &here, "an `enum` must list strings, none of them empty");
                }
            }
            "minimum" | "maximum" if whole(value).is_some_and(|bound| !(-SAFE..=SAFE).contains(&bound)) => {
                self.report(INPUT, &here, "a bound past ±(2^53 - 1) is rounded by most JSON parsers; leave it out");
            }
            "description" => {
                if let Err(message) = description(value.as_str().unwrap_or_default()) {
                    self.report(DESCRIPTION, &here, message);
                }
            }
            "required" => {
                for name in value.as_array().into_iter().flatten().filter_map(Value::as_str) {
                    if schema.get("properties").and_then(|properties| properties.get(name)).is_none() {
                        self.report(INPUT, &here, format!("`{name}` is required but not among the properties"));
                    }
                }
            }
            "x-mcp-header" if !value.as_str().is_some_and(is_token) => {
                self.report(INPUT, &here, "`x-mcp-header` must be a header name");
            }
            "properties" => {
                for name in property_names(schema) {
                    self.schema(&value[name], &format!("{here}/{}", escape(name)));
                }
            }
            "items" => self.schema(value, &here),
            "additionalProperties" if !value.is_boolean() => self.schema(value, &here),
            "anyOf" => {
                for (index, branch) in value.as_array().into_iter().flatten().enumerate() {
                    self.schema(branch, &format!("{here}/{index}"));
                }
            }
            _ if KEYWORDS.contains(&keyword) || keyword.starts_with("x-") => {}
            _ => {
                let message = format!("`{keyword}` is dropped or refused by some hosts; say it in the description");
                self.report(INPUT, &here, message);
            }
        }
    }
}

fn is_additional(place: &str) -> bool {
    place.ends_with("/additionalProperties") || place.ends_with("/unevaluatedProperties")
}

/// Visits every subschema.
fn walk(schema: &Value, place: &str, visit: &mut impl FnMut(&Value, &str)) {
    visit(schema, place);
    let Some(object) = schema.as_object() else { return };
    let mut keywords: Vec<&String> = object.keys().collect();
    keywords.sort_unstable();
    for keyword in keywords {
        let (value, here) = (&object[keyword.as_str()], format!("{place}/{}", escape(keyword)));
        match (keyword.as_str(), value) {
            (
                "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas",
                Value::Object(schemas),
            ) => {
                let mut names: Vec<&String> = schemas.keys().collect();
                names.sort_unstable();
                names
                    .into_iter()
                    .for_each(|name| walk(&schemas[name.as_str()], &format!("{here}/{}", escape(name)), visit));
            }
            ("oneOf" | "anyOf" | "allOf" | "prefixItems", Value::Array(schemas)) => {
                schemas.iter().enumerate().for_each(|(index, schema)| walk(schema, &format!("{here}/{index}"), visit));
            }
            (
                "items"
                | "additionalProperties"
                | "unevaluatedProperties"
                | "unevaluatedItems"
                | "not"
                | "if"
                | "then"
                | "else"
                | "contains"
                | "propertyNames",
                schema,
            ) => walk(schema, &here, visit),
            _ => {}
        }
    }
}

/// A definition that refers to itself, directly or through others.
fn cycle(schema: &Value) -> Option<String> {
    let definitions = ["$defs", "definitions"].into_iter().find_map(|keyword| schema.get(keyword)?.as_object())?;
    let mut names: Vec<&String> = definitions.keys().collect();
    names.sort_unstable();
    let referred = |schema: &Value| {
        let mut found = BTreeSet::new();
        walk(schema, "", &mut |node, _| {
            let reference = node.get("$ref").and_then(Value::as_str);
            if let Some(name) = reference.and_then(|reference| reference.rsplit('/').next()) {
                found.insert(name.to_owned());
            }
        });
        found
    };
    names
        .into_iter()
        .find(|name| {
            let mut seen = BTreeSet::new();
            let mut open: Vec<String> = referred(&definitions[name.as_str()]).into_iter().collect();
            while let Some(next) = open.pop() {
                if next == **name {
                    return true;
                }
                if seen.insert(next.clone()) {
                    open.extend(definitions.get(&next).map(&referred).unwrap_or_default());
                }
            }
            false
        })
        .cloned()
}
