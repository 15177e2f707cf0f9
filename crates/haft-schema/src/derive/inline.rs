//! Puts each definition where it is referred to, so that no `$ref` is left but those of recursive types.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::merge::merge;
use super::object::{ANNOTATIONS, Object};
use super::place::Place;
use crate::Problem;

/// Types that share types can grow exponentially when inlined; a schema past this is no use to any host.
const MAX_SUBSCHEMAS: usize = 20_000;

const PREFIX: &str = "#/$defs/";

/// Inlines the definitions of one schema generator.
pub(super) struct Inliner<'a> {
    definitions: &'a Object,
    /// The definitions being expanded, outermost first.
    open: Vec<String>,
    recursive: BTreeSet<String>,
    count: usize,
    pub(super) problems: Vec<Problem>,
}

impl<'a> Inliner<'a> {
    pub(super) fn new(definitions: &'a Object) -> Self {
        Inliner { definitions, open: Vec::new(), recursive: BTreeSet::new(), count: 0, problems: Vec::new() }
    }

    /// The schema with its references resolved.
    pub(super) fn inline(&mut self, schema: Value, place: &Place) -> Value {
        self.count += 1;
        if self.count == MAX_SUBSCHEMAS {
            let message = format!(
                "{} has more than {MAX_SUBSCHEMAS} subschemas once its types are written out; use smaller types",
                place.subject()
            );
            self.problems.push(place.problem("schema", message));
        }
        if self.count >= MAX_SUBSCHEMAS {
            return json!({});
        }
        let Value::Object(mut object) = schema else { return schema };
        let reference = object.remove("$ref");
        let mut inlined: Object = object
            .into_iter()
            .map(|(key, value)| {
                let value = self.keyword(&key, value, place);
                (key, value)
            })
            .collect();
        let Some(reference) = reference else { return Value::Object(inlined) };
        let Some(name) = reference.as_str().and_then(definition_name) else {
            // A reference that somebody wrote by hand; compiling the schema says whether it resolves.
            inlined.insert("$ref".to_owned(), reference);
            return Value::Object(inlined);
        };
        if self.open.contains(&name) {
            if inlined.keys().any(|key| !ANNOTATIONS.contains(&key.as_str())) {
                let message = format!(
                    "{} adds fields to its own recursive type `{name}`; give the variant a field that holds it instead",
                    place.subject()
                );
                self.problems.push(place.problem("schema", message));
            }
            self.recursive.insert(name);
            inlined.insert("$ref".to_owned(), reference);
            return Value::Object(inlined);
        }
        let Some(target) = self.definitions.get(&name) else {
            inlined.insert("$ref".to_owned(), reference);
            return Value::Object(inlined);
        };
        self.open.push(name);
        let target = self.inline(target.clone(), place);
        self.open.pop();
        match target {
            Value::Object(target) => {
                let mut rest = Vec::new();
                merge(&mut inlined, target, &mut rest);
                if !rest.is_empty() {
                    match inlined.get_mut("allOf").and_then(Value::as_array_mut) {
                        Some(all) => all.append(&mut rest),
                        None => {
                            inlined.insert("allOf".to_owned(), rest.into());
                        }
                    }
                }
                Value::Object(inlined)
            }
            other if inlined.is_empty() => other,
            Value::Bool(false) => json!(false),
            _ => Value::Object(inlined),
        }
    }

    /// The definitions that recursive types still refer to, each inlined once.
    pub(super) fn recursive_definitions(&mut self) -> BTreeMap<String, Value> {
        let mut done = BTreeMap::new();
        while let Some(name) = self.recursive.iter().find(|name| !done.contains_key(*name)).cloned() {
            let definition = self.definitions.get(&name).cloned().unwrap_or_default();
            self.open.push(name.clone());
            let definition = self.inline(definition, &Place::root());
            self.open.pop();
            done.insert(name, definition);
        }
        done
    }

    fn keyword(&mut self, keyword: &str, value: Value, place: &Place) -> Value {
        match (keyword, value) {
            ("properties", Value::Object(properties)) => {
                let inlined = properties.into_iter().map(|(name, schema)| {
                    let schema = self.inline(schema, &place.property(&name));
                    (name, schema)
                });
                Value::Object(inlined.collect())
            }
            ("patternProperties" | "dependentSchemas" | "$defs" | "definitions", Value::Object(schemas)) => {
                let place = place.values();
                Value::Object(schemas.into_iter().map(|(name, schema)| (name, self.inline(schema, &place))).collect())
            }
            ("oneOf" | "anyOf" | "allOf" | "prefixItems", Value::Array(schemas)) => {
                let inlined = schemas.into_iter().enumerate();
                let inlined = inlined.map(|(index, schema)| self.inline(schema, &place.keyword(keyword, index)));
                Value::Array(inlined.collect())
            }
            ("items" | "contains", schema) => self.inline(schema, &place.items()),
            ("additionalProperties" | "unevaluatedProperties", schema) => self.inline(schema, &place.values()),
            ("not" | "if" | "then" | "else" | "propertyNames" | "unevaluatedItems", schema) => {
                self.inline(schema, place)
            }
            (_, value) => value,
        }
    }
}

/// The name of the definition that a reference of schemars points to.
fn definition_name(reference: &str) -> Option<String> {
    let encoded = reference.strip_prefix(PREFIX)?;
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        let code = (byte == b'%').then(|| tail.get(..2)).flatten();
        let code = code.and_then(|code| u8::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok());
        match code {
            Some(code) => {
                bytes.push(code);
                rest = tail.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(byte);
                rest = tail;
            }
        }
    }
    Some(String::from_utf8(bytes).ok()?.replace("~1", "/").replace("~0", "~"))
}
