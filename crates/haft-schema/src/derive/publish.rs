//! The published schema: the subset of JSON Schema that every host takes, made from the exact one and never stricter.
//!
//! What the subset can't say goes into descriptions as words, or is a [`Problem`] if it would mislead.

use serde_json::{Value, json};

use super::exact::{INTEGER_KEYS, WHOLE_KEYS};
use super::formats::text_format;
use super::number::{SAFE, compare, from_whole, spell, whole};
use super::object::{
    Object, branches, choices, is_any, is_null, is_object, property, property_names, strings, type_of,
};
use super::place::Place;
use super::variants::{Member, flatten, is_tagged};
use super::words::{add_sentence, description, either};
use crate::Problem;
use crate::portable;

/// Turns exact schemas into published ones.
#[derive(Default)]
pub(super) struct Publish {
    pub(super) problems: Vec<Problem>,
}

impl Publish {
    /// The published form of an exact schema.
    pub(super) fn schema(&mut self, exact: &Value, place: &Place) -> Value {
        let mut out = annotations(exact);
        if is_any(exact) {
            if !out.contains_key("description") {
                out.insert("description".to_owned(), "Any JSON value.".into());
            }
            return Value::Object(out);
        }
        if let Some(reference) = exact.get("$ref") {
            out.insert("$ref".to_owned(), reference.clone());
            return Value::Object(out);
        }
        if let Some((_, parts)) = branches(exact) {
            self.union(&mut out, exact, parts, place);
            return Value::Object(out);
        }
        match type_of(exact) {
            Some("object") => self.record(&mut out, exact, place),
            Some("array") => self.list(&mut out, exact, place),
            Some("string") => self.text(&mut out, exact, place),
            Some("integer") => integer(&mut out, exact),
            Some("number") => number(&mut out, exact),
            Some("boolean") => {
                out.insert("type".to_owned(), "boolean".into());
                if let Some(only) = exact.get("const") {
                    add_sentence(&mut out, &format!("Always {only}."));
                }
            }
            Some("null") => self.null(place),
            _ if choices(exact).is_some() => self.text(&mut out, exact, place),
            // Nothing fits: reported when the exact schema was made.
            _ if exact.get("not") == Some(&json!({})) => {}
            _ => {
                let message = format!(
                    "{} has a schema without a type, which hosts don't take; give its schema a single `type`",
                    place.subject()
                );
                self.problems.push(place.problem("portable_input", message));
            }
        }
        if let Some(never) = exact.get("not").and_then(|not| not.get("const")) {
            add_sentence(&mut out, &format!("Not {}.", words(never)));
        }
        Value::Object(out)
    }

    fn union(&mut self, out: &mut Object, exact: &Value, parts: &[Value], place: &Place) {
        if parts.iter().any(is_null) {
            self.null(place);
        }
        if is_object(exact) && (place.is_root() || is_tagged(parts)) {
            self.flattened(out, parts, place);
            return;
        }
        if place.is_root() {
            let message = "the arguments are a union of which some variants aren't objects; flatten a struct, or an enum of structs";
            self.problems.push(place.problem("portable_input", message));
        }
        let mut published: Vec<Value> = Vec::with_capacity(parts.len());
        for (index, part) in parts.iter().enumerate().filter(|(_, part)| !is_null(part)) {
            let branch = self.schema(part, &place.keyword("anyOf", index));
            if !published.contains(&branch) {
                published.push(branch);
            }
        }
        join(out, published);
    }

    /// An enum of structs as one object.
    fn flattened(&mut self, out: &mut Object, parts: &[Value], place: &Place) {
        let mut properties = Object::new();
        let mut required = Vec::new();
        for Member { name, schemas, required: needed, note } in flatten(parts) {
            let place = place.property(&name);
            let published: Vec<Value> = schemas.iter().map(|schema| self.schema(schema, &place)).collect();
            let mut schema = Object::new();
            join(&mut schema, published);
            if !note.is_empty() {
                add_sentence(&mut schema, &note);
            }
            if needed {
                required.push(Value::from(name.as_str()));
            }
            properties.insert(name, Value::Object(schema));
        }
        out.insert("type".to_owned(), "object".into());
        out.insert("properties".to_owned(), Value::Object(properties));
        if !required.is_empty() {
            out.insert("required".to_owned(), required.into());
        }
        let closed = |part: &Value| {
            part.get("additionalProperties") == Some(&Value::Bool(false)) && part.get("patternProperties").is_none()
        };
        if parts.iter().all(closed) {
            out.insert("additionalProperties".to_owned(), false.into());
        }
        self.root_names(out, place);
    }

    fn record(&mut self, out: &mut Object, exact: &Value, place: &Place) {
        out.insert("type".to_owned(), "object".into());
        let mut properties = Object::new();
        for name in property_names(exact) {
            let Some(schema) = property(exact, name) else { continue };
            properties.insert(name.to_owned(), self.schema(schema, &place.property(name)));
        }
        // `unevaluatedProperties` counts what conditions evaluate, which aren't published: open is all that can be said.
        let others = exact.get("additionalProperties");
        let patterns = exact.get("patternProperties").and_then(Value::as_object);
        let is_map =
            properties.is_empty() && (patterns.is_some() || others.is_some_and(|others| *others != json!(false)));
        if !is_map || place.is_root() {
            out.insert("properties".to_owned(), Value::Object(properties));
        }
        let required: Vec<&str> =
            strings(exact, "required").into_iter().filter(|name| property(exact, name).is_some()).collect();
        if !required.is_empty() {
            out.insert("required".to_owned(), required.into());
        }
        copy(out, exact, &["minProperties", "maxProperties"]);
        match (patterns, others) {
            (Some(patterns), Some(Value::Bool(false))) => {
                let mut names: Vec<&String> = patterns.keys().collect();
                names.sort_unstable();
                let mut values = Vec::new();
                for name in &names {
                    let value = self.schema(&patterns[name.as_str()], &place.values());
                    if !values.contains(&value) {
                        values.push(value);
                    }
                }
                let mut value = Object::new();
                join(&mut value, values);
                out.insert("additionalProperties".to_owned(), Value::Object(value));
                add_sentence(out, &keys(&names));
            }
            (Some(_), _) => {
                out.insert("additionalProperties".to_owned(), true.into());
            }
            (None, Some(Value::Bool(said))) => {
                out.insert("additionalProperties".to_owned(), (*said).into());
            }
            (None, Some(schema)) => {
                let value = self.schema(schema, &place.values());
                out.insert("additionalProperties".to_owned(), value);
            }
            (None, None) => {}
        }
        self.root_names(out, place);
    }

    /// Root property keys go into requests to models, which hold them to an identifier's syntax.
    fn root_names(&mut self, out: &Object, place: &Place) {
        if !place.is_root() {
            return;
        }
        let Some(properties) = out.get("properties").and_then(Value::as_object) else { return };
        let mut names: Vec<&String> = properties.keys().collect();
        names.sort_unstable();
        for name in names {
            if let Err(message) = portable::argument_name(name) {
                self.problems.push(place.property(name).problem("portable_input", message));
            }
        }
    }

    fn list(&mut self, out: &mut Object, exact: &Value, place: &Place) {
        out.insert("type".to_owned(), "array".into());
        if let Some(items) = exact.get("prefixItems").and_then(Value::as_array) {
            let same = items.iter().all(|item| Some(item) == items.first());
            let instead = if same {
                format!("an array (`[T; {}]`), or a struct with named fields", items.len())
            } else {
                "a struct with named fields".to_owned()
            };
            let message = format!("{} is a tuple, which hosts don't take; use {instead}", place.subject());
            self.problems.push(place.problem("portable_input", message));
            let items: Vec<Value> = items.iter().map(|item| self.schema(item, &place.items())).collect();
            out.insert("prefixItems".to_owned(), items.into());
        } else {
            let items = exact.get("items").map(|items| self.schema(items, &place.items()));
            out.insert("items".to_owned(), items.unwrap_or_else(|| json!({})));
        }
        copy(out, exact, &["minItems", "maxItems"]);
        if exact.get("uniqueItems") == Some(&Value::Bool(true)) {
            add_sentence(out, "No duplicates.");
        }
    }

    fn text(&mut self, out: &mut Object, exact: &Value, place: &Place) {
        out.insert("type".to_owned(), "string".into());
        if let Some(list) = choices(exact) {
            if list.is_empty() || list.contains(&"") {
                let message = format!(
                    "{} is an enum with an empty value, which hosts don't take; rename the variant",
                    place.subject()
                );
                self.problems.push(place.problem("portable_input", message));
            }
            out.insert("enum".to_owned(), list.into());
            return;
        }
        copy(out, exact, &["enum", "minLength", "maxLength"]);
        copy(out, exact, &["format", "pattern"]);
        // Where the format is published, its pattern says nothing more.
        let format = exact.get("format").and_then(Value::as_str).and_then(text_format);
        let implied = format.and_then(|format| format.pattern);
        if implied.is_some() && exact.get("pattern").and_then(Value::as_str) == implied {
            out.remove("pattern");
        }
        if let Some(encoding) = exact.get("contentEncoding").and_then(Value::as_str) {
            add_sentence(out, &format!("Encoded as {encoding}."));
        }
    }

    fn null(&mut self, place: &Place) {
        let subject = place.subject();
        let message = if place.pointer().ends_with("/items") {
            format!(
                "{subject} can be null, which hosts don't take; use a list without `Option`s and leave elements out"
            )
        } else if place.pointer().ends_with("/additionalProperties") {
            format!("{subject} can be null, which hosts don't take; use a map without `Option`s and leave entries out")
        } else {
            format!(
                "{subject} can be null, which hosts don't take; write `Option<T>` at the field itself (so that it can be left out), or use a struct variant"
            )
        };
        self.problems.push(place.problem("portable_input", message));
    }
}

/// The annotations that are published.
fn annotations(exact: &Value) -> Object {
    let mut out = Object::new();
    copy(&mut out, exact, &["description", "default", "examples", "x-mcp-header"]);
    out
}

fn copy(out: &mut Object, exact: &Value, keywords: &[&str]) {
    for keyword in keywords {
        if let Some(value) = exact.get(*keyword) {
            out.insert((*keyword).to_owned(), value.clone());
        }
    }
}

/// Makes one schema of published alternatives: a value that one of them takes is taken.
fn join(out: &mut Object, alternatives: Vec<Value>) {
    let choices: Option<Vec<Vec<&str>>> = alternatives.iter().map(choices).collect();
    if let Some(choices) = choices.filter(|choices| choices.len() > 1) {
        let mut list: Vec<&str> = Vec::new();
        for choice in choices.into_iter().flatten() {
            if !list.contains(&choice) {
                list.push(choice);
            }
        }
        out.insert("type".to_owned(), "string".into());
        out.insert("enum".to_owned(), list.into());
        describe_all(out, &alternatives);
        return;
    }
    // Alternatives often differ in their documentation only.
    let mut bare: Vec<Value> = Vec::new();
    for alternative in &alternatives {
        let mut alternative = alternative.clone();
        if let Some(alternative) = alternative.as_object_mut() {
            alternative.remove("description");
        }
        if !bare.contains(&alternative) {
            bare.push(alternative);
        }
    }
    match bare.as_mut_slice() {
        [Value::Object(only)] => {
            for (keyword, value) in std::mem::take(only) {
                out.entry(keyword).or_insert(value);
            }
            describe_all(out, &alternatives);
        }
        // A branch that takes anything makes the others idle, and hosts stumble over it.
        several if several.iter().any(is_any) => {}
        _ => {
            out.insert("anyOf".to_owned(), alternatives.into());
        }
    }
}

/// Puts the descriptions of alternatives into one, unless there is one already.
fn describe_all(out: &mut Object, alternatives: &[Value]) {
    if out.contains_key("description") {
        return;
    }
    for text in alternatives.iter().map(description).filter(|text| !text.is_empty()) {
        add_sentence(out, text);
    }
}

fn integer(out: &mut Object, exact: &Value) {
    out.insert("type".to_owned(), "integer".into());
    let float = |keyword: &str| exact.get(keyword).and_then(Value::as_f64);
    let least = [
        exact.get("minimum").and_then(whole).or_else(|| Some(float("minimum")?.ceil() as i128)),
        exact
            .get("exclusiveMinimum")
            .and_then(whole)
            .or_else(|| Some(float("exclusiveMinimum")?.floor() as i128))
            .map(|bound| bound.saturating_add(1)),
    ];
    let greatest = [
        exact.get("maximum").and_then(whole).or_else(|| Some(float("maximum")?.floor() as i128)),
        exact
            .get("exclusiveMaximum")
            .and_then(whole)
            .or_else(|| Some(float("exclusiveMaximum")?.ceil() as i128))
            .map(|bound| bound.saturating_sub(1)),
    ];
    let mut least = least.into_iter().flatten().max();
    let mut greatest = greatest.into_iter().flatten().min();
    if let Some(list) = listed(exact) {
        let numbers: Vec<i128> = list.iter().filter_map(whole).collect();
        least = numbers.iter().min().copied().or(least);
        greatest = numbers.iter().max().copied().or(greatest);
        add_sentence(out, &one_of(list));
    }
    let safe = |bound: &i128| (-SAFE..=SAFE).contains(bound);
    if let Some(bound) = least.filter(safe) {
        out.insert("minimum".to_owned(), from_whole(bound));
    }
    if let Some(bound) = greatest.filter(safe) {
        out.insert("maximum".to_owned(), from_whole(bound));
    }
    multiple(out, exact);
}

fn number(out: &mut Object, exact: &Value) {
    out.insert("type".to_owned(), "number".into());
    for (inclusive, exclusive, word) in
        [("minimum", "exclusiveMinimum", "Greater than"), ("maximum", "exclusiveMaximum", "Less than")]
    {
        if let Some(bound) = exact.get(inclusive).filter(|bound| is_published_bound(bound)) {
            out.insert(inclusive.to_owned(), bound.clone());
        }
        let Some(bound) = exact.get(exclusive).filter(|bound| is_published_bound(bound)) else { continue };
        // Said as well as in words, since the inclusive bound alone is all that hosts take.
        if !exact.get(inclusive).is_some_and(|other| is_tighter(other, bound, inclusive)) {
            out.insert(inclusive.to_owned(), bound.clone());
        }
        add_sentence(out, &format!("{word} {}.", words(bound)));
    }
    if let Some(list) = listed(exact) {
        add_sentence(out, &one_of(list));
    }
    multiple(out, exact);
}

fn is_published_bound(bound: &Value) -> bool {
    bound.as_f64().is_some_and(|bound| bound.abs() <= SAFE as f64)
}

fn is_tighter(bound: &Value, than: &Value, keyword: &str) -> bool {
    let wanted = if keyword == "minimum" { std::cmp::Ordering::Greater } else { std::cmp::Ordering::Less };
    compare(bound, than) == Some(wanted)
}

fn multiple(out: &mut Object, exact: &Value) {
    if let Some(step) = exact.get("multipleOf").filter(|step| whole(step) != Some(1)) {
        add_sentence(out, &format!("A multiple of {}.", words(step)));
    }
}

/// The values of an `enum` or `const`.
fn listed(exact: &Value) -> Option<&[Value]> {
    match (exact.get("const"), exact.get("enum")) {
        (Some(only), _) => Some(std::slice::from_ref(only)),
        (None, Some(Value::Array(list))) => Some(list),
        _ => None,
    }
}

fn one_of(list: &[Value]) -> String {
    let list: Vec<String> = list.iter().map(words).collect();
    match list.as_slice() {
        [only] => format!("Always {only}."),
        _ => format!("One of {}.", list.join(", ")),
    }
}

fn words(value: &Value) -> String {
    match value {
        Value::Number(number) => spell(number),
        other => other.to_string(),
    }
}

fn keys(patterns: &[&String]) -> String {
    let patterns: Vec<&str> = patterns.iter().map(|pattern| pattern.as_str()).collect();
    match patterns.as_slice() {
        [WHOLE_KEYS] => "Keys are whole numbers.".to_owned(),
        [INTEGER_KEYS] => "Keys are integers.".to_owned(),
        _ => format!("Keys match {}.", either(patterns.iter().copied(), "or")),
    }
}
