//! The way of a tool's parameters: one exact schema that is checked, one published schema that hosts see.

use std::collections::BTreeMap;

use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use super::buffered;
use super::exact::{Exact, without_null};
use super::inline::Inliner;
use super::marks::{derived_headers, secrets};
use super::object::{Object, branches, is_object, property_names, type_of};
use super::params::Param;
use super::place::Place;
use super::publish::Publish;
use super::said::said_of;
use super::values::{check_written, settle};
use super::variants::reserve;
use crate::canonical::ordered_schema_text;
use crate::{Problem, portable};

/// How the schemas of a tool's parameters are made.
#[derive(Clone, Copy, Debug)]
pub struct InputOptions<'a> {
    /// Whether unknown arguments are refused, at every depth.
    pub closed: bool,
    /// Rules of the portable profile that the tool opts out of, by name.
    pub allow: &'a [&'a str],
}

impl Default for InputOptions<'_> {
    fn default() -> Self {
        InputOptions { closed: true, allow: &[] }
    }
}

/// The arguments that belong to one parameter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Members {
    /// Property names at the root of the arguments: the parameter's own name, or those of a flattened type.
    pub names: Vec<String>,
    /// Whether all names that no other parameter has belong to it (a flattened map).
    pub rest: bool,
}

/// The schemas of a tool's parameters, and what was read off them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Input {
    /// The schema that arguments are checked against. What it admits (after
    /// [`Checker::normalise`](crate::Checker::normalise)), serde takes.
    pub exact: Value,
    /// The text of the schema that hosts see, keys in canonical order.
    pub published: String,
    /// The schema that hosts see: never stricter than the exact one.
    pub published_value: Value,
    /// JSON pointers of values that are never shown.
    pub secrets: Vec<String>,
    /// JSON pointer of an argument, and the header that repeats it.
    pub headers: Vec<(String, String)>,
    /// The names of all arguments, in the order of the parameters.
    pub names: Vec<String>,
    /// The arguments of each parameter, by the parameter's position.
    pub members: Vec<Members>,
}

/// Makes the schemas of a tool's parameters.
///
/// # Errors
///
/// Every [`Problem`] at once: what hosts don't take and `options.allow` doesn't name, and what is wrong in any case
/// (names that clash, a pattern on an integer, a secret that is sent as a header).
pub fn input(params: &[Param], options: &InputOptions<'_>) -> Result<Input, Vec<Problem>> {
    let mut arguments = Arguments::default();
    let recursive = arguments.gather(params);
    let names = std::mem::take(&mut arguments.names);
    let members = std::mem::take(&mut arguments.members);
    let mut problems = std::mem::take(&mut arguments.problems);

    let mut exactly = Exact::new(options.closed);
    let mut exact = exactly.schema(arguments.into_schema(), &Place::root());
    problems.append(&mut exactly.problems);
    check_written(params, &exact, &mut problems);
    settle(&mut exact);
    buffered::check(&exact, &mut problems);
    // What is wrong inside a recursive type was reported where it is used.
    let definitions =
        recursive.into_iter().map(|(name, schema)| (name, exactly.schema(schema, &Place::in_definition())));
    let mut exact_definitions: Object = definitions.collect();
    if !options.closed {
        reserve(&mut exact);
        exact_definitions.values_mut().for_each(reserve);
    }

    let mut publish = Publish::default();
    let mut published = publish.schema(&exact, &Place::root());
    problems.append(&mut publish.problems);
    let definitions = exact_definitions.iter();
    let definitions = definitions.map(|(name, schema)| (name.clone(), publish.schema(schema, &Place::in_definition())));
    let published_definitions: Object = definitions.collect();
    for (schema, definitions) in [(&mut exact, exact_definitions), (&mut published, published_definitions)] {
        let Some(schema) = schema.as_object_mut() else { continue };
        // The description is that of a flattened type; the tool has one of its own.
        schema.remove("description");
        order_required(schema, &names);
        if !definitions.is_empty() {
            schema.insert("$defs".to_owned(), Value::Object(definitions));
        }
    }

    let headers = derived_headers(&published, &mut problems);
    let secrets = secrets(params, &exact);
    for (pointer, _) in headers.iter().filter(|(pointer, _)| secrets.contains(pointer)) {
        let message = "a secret can't be repeated in a header, where proxies read it; drop `header` or `secret`";
        problems.push(Problem::new("schema", format!("/properties{pointer}"), message));
    }
    // The rules of the profile once more, on the result: descriptions that are too long, keywords that slipped through.
    for problem in portable::input_schema(&published) {
        let known = |known: &Problem| problem.place.starts_with(&known.place) && !known.place.is_empty();
        if problem.rule != portable::RECURSION && !problems.iter().any(known) {
            problems.push(problem);
        }
    }
    problems.retain(|problem| !options.allow.contains(&problem.rule));
    problems.dedup();
    if !problems.is_empty() {
        return Err(problems);
    }
    let text = ordered_schema_text(&published, &names);
    Ok(Input { exact, published: text, published_value: published, secrets, headers, names, members })
}

/// The parameters as one object, before it is brought into any form.
#[derive(Default)]
struct Arguments {
    properties: Object,
    required: Vec<Value>,
    flattened: Vec<Value>,
    names: Vec<String>,
    members: Vec<Members>,
    problems: Vec<Problem>,
}

impl Arguments {
    /// Takes all parameters; gives the definitions of recursive types.
    fn gather(&mut self, params: &[Param]) -> BTreeMap<String, Value> {
        let mut generator = SchemaSettings::draft2020_12().for_deserialize().into_generator();
        let schemas: Vec<(Value, Value)> = params
            .iter()
            .map(|param| ((param.schema)(&mut generator).to_value(), (param.flat_schema)(&mut generator).to_value()))
            .collect();
        let definitions = generator.take_definitions(true);
        let mut inliner = Inliner::new(&definitions);
        for (param, (plain, flat)) in params.iter().zip(schemas) {
            let members = if param.flattened {
                self.flatten(param, plain, flat, &mut inliner)
            } else {
                self.add(param, plain, &mut inliner)
            };
            for name in &members.names {
                if self.names.contains(name) {
                    let message = format!("two arguments are called `{name}`; rename one");
                    self.problems.push(Place::root().property(name).problem("schema", message));
                } else {
                    self.names.push(name.clone());
                }
            }
            self.members.push(members);
        }
        let recursive = inliner.recursive_definitions();
        self.problems.append(&mut inliner.problems);
        for name in recursive.keys() {
            let message = format!(
                "the type `{name}` contains itself, and some hosts refuse every tool of the session for it; use a flat list with ids, or allow(recursion)"
            );
            self.problems.push(Problem::new(portable::RECURSION, "", message));
        }
        recursive
    }

    fn add(&mut self, param: &Param, schema: Value, inliner: &mut Inliner<'_>) -> Members {
        let place = Place::root().property(param.name);
        let schema = inliner.inline(schema, &place);
        let optional = param.optional || param.default.is_some();
        let schema = if optional { without_null(schema) } else { schema };
        let schema = said_of(param, schema, &place, &mut self.problems);
        self.properties.entry(param.name).or_insert(schema);
        if !optional {
            self.required.push(param.name.into());
        }
        Members { names: vec![param.name.to_owned()], rest: false }
    }

    fn flatten(&mut self, param: &Param, plain: Value, flat: Value, inliner: &mut Inliner<'_>) -> Members {
        let root = Place::root();
        if !admits_only_objects(&without_null(inliner.inline(plain, &root))) {
            let message = format!(
                "`{}` isn't a struct, a map or an enum of structs, so its fields can't be arguments; name it as one argument instead",
                param.rust_type
            );
            self.problems.push(root.problem("schema", message));
            return Members::default();
        }
        let flat = inliner.inline(flat, &root);
        let members = members_of(&flat);
        self.flattened.push(flat);
        members
    }

    fn into_schema(self) -> Value {
        json!({ "type": "object", "properties": self.properties, "required": self.required, "allOf": self.flattened })
    }
}

/// Lists required arguments in the order of the parameters.
fn order_required(schema: &mut Object, names: &[String]) {
    let Some(Value::Array(required)) = schema.get_mut("required") else { return };
    required.sort_by_key(|name| names.iter().position(|known| name == known));
}

/// Whether every value that the schema admits is an object.
fn admits_only_objects(schema: &Value) -> bool {
    if schema == &Value::Bool(true) || is_object(schema) {
        return true;
    }
    let all = |parts: &Vec<Value>| !parts.is_empty() && parts.iter().all(admits_only_objects);
    type_of(schema).is_none()
        && (branches(schema).is_some_and(|(_, parts)| all(parts))
            || schema.get("allOf").and_then(Value::as_array).is_some_and(|parts| parts.iter().any(admits_only_objects)))
}

/// The property names of a flattened schema, over all its variants.
fn members_of(schema: &Value) -> Members {
    let mut members = Members::default();
    collect_members(schema, &mut members);
    members
}

fn collect_members(schema: &Value, members: &mut Members) {
    for name in property_names(schema) {
        if !members.names.iter().any(|known| known == name) {
            members.names.push(name.to_owned());
        }
    }
    let others = schema.get("additionalProperties").or_else(|| schema.get("unevaluatedProperties"));
    members.rest |=
        others.is_some_and(|others| *others != Value::Bool(false)) || schema.get("patternProperties").is_some();
    for keyword in ["oneOf", "anyOf", "allOf"] {
        let parts = schema.get(keyword).and_then(Value::as_array);
        parts.into_iter().flatten().for_each(|part| collect_members(part, members));
    }
}
