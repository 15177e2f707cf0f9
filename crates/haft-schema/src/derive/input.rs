//! The way of a tool's parameters: one exact schema that is checked, one published schema that hosts see.

use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use super::exact::{Exact, without_null};
use super::inline::Inliner;
use super::number::{SAFE, compare, whole};
use super::object::{Object, branches, is_object, property, property_names, type_of};
use super::params::Param;
use super::place::{Place, escape};
use super::publish::Publish;
use super::values::{check_written, settle};
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
    let root = Place::root();
    let mut generator = SchemaSettings::draft2020_12().for_deserialize().into_generator();
    let schemas: Vec<(Value, Value)> = params
        .iter()
        .map(|param| ((param.schema)(&mut generator).to_value(), (param.flat_schema)(&mut generator).to_value()))
        .collect();
    let definitions = generator.take_definitions(true);
    let mut inliner = Inliner::new(&definitions);
    let mut problems = Vec::new();

    let mut properties = Object::new();
    let mut required: Vec<Value> = Vec::new();
    let mut flattened: Vec<Value> = Vec::new();
    let mut members: Vec<Members> = Vec::with_capacity(params.len());
    let mut names: Vec<String> = Vec::new();
    for (param, (plain, flat)) in params.iter().zip(schemas) {
        let own = if param.flattened {
            let plain = without_null(inliner.inline(plain, &root));
            if !admits_only_objects(&plain) {
                let message = format!(
                    "`{}` isn't a struct, a map or an enum of structs, so its fields can't be arguments; name it as one argument instead",
                    param.rust_type
                );
                problems.push(root.problem("schema", message));
                members.push(Members::default());
                continue;
            }
            let flat = inliner.inline(flat, &root);
            let own = members_of(&flat);
            flattened.push(flat);
            own
        } else {
            let place = root.property(param.name);
            let schema = inliner.inline(plain, &place);
            let optional = param.optional || param.default.is_some();
            let schema = if optional { without_null(schema) } else { schema };
            let schema = said_of(param, schema, &place, &mut problems);
            properties.insert(param.name.to_owned(), schema);
            if !optional {
                required.push(param.name.into());
            }
            Members { names: vec![param.name.to_owned()], rest: false }
        };
        for name in &own.names {
            if names.contains(name) {
                let message = format!("two arguments are called `{name}`; rename one");
                problems.push(root.property(name).problem("schema", message));
            } else {
                names.push(name.clone());
            }
        }
        members.push(own);
    }
    let recursive = inliner.recursive_definitions();
    problems.append(&mut inliner.problems);
    for name in recursive.keys() {
        let message = format!(
            "the type `{name}` contains itself, and some hosts refuse every tool of the session for it; use a flat list with ids, or allow(recursion)"
        );
        problems.push(root.problem("recursion", message));
    }

    let arguments = json!({ "type": "object", "properties": properties, "required": required, "allOf": flattened });
    let mut exactly = Exact::new(options.closed);
    let mut exact = exactly.schema(arguments, &root);
    if let Some(exact) = exact.as_object_mut() {
        // That of a flattened type, which stands where the tool's own description is read.
        exact.remove("description");
        order_required(exact, &names);
    }
    check_written(params, &exact, &mut problems);
    settle(&mut exact);
    let exact_definitions: Object =
        recursive.into_iter().map(|(name, schema)| (name, exactly.schema(schema, &Place::inside_definition()))).collect();
    problems.append(&mut exactly.problems);

    let mut publish = Publish::default();
    let mut published = publish.schema(&exact, &root);
    let definitions: Object = exact_definitions
        .iter()
        .map(|(name, schema)| (name.clone(), publish.schema(schema, &Place::inside_definition())))
        .collect();
    problems.append(&mut publish.problems);

    let headers = headers(&published, &mut problems);
    let secrets = secrets(params, &exact);
    for (pointer, _) in &headers {
        if secrets.iter().any(|secret| secret == pointer) {
            let message = "a secret can't be repeated in a header, where proxies read it; drop `header` or `secret`";
            problems.push(Problem { rule: "schema", place: format!("/properties{pointer}"), message: message.to_owned() });
        }
    }
    if !exact_definitions.is_empty() {
        if let Some(root) = exact.as_object_mut() {
            root.insert("$defs".to_owned(), Value::Object(exact_definitions));
        }
        if let Some(root) = published.as_object_mut() {
            root.insert("$defs".to_owned(), Value::Object(definitions));
        }
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

/// The schema of a parameter with what its author said about it.
fn said_of(param: &Param, schema: Value, place: &Place, problems: &mut Vec<Problem>) -> Value {
    let mut object = match schema {
        Value::Object(object) => object,
        Value::Bool(false) => return schema,
        _ => Object::new(),
    };
    let kind = object.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut misfit = |what: &str, needs: &str| {
        let message = format!("{} has {what}, which needs {needs}; its type is `{}`", place.subject(), param.rust_type);
        problems.push(place.problem("schema", message));
    };
    if let Some(description) = param.description {
        object.insert("description".to_owned(), description.into());
    }
    if let Some(pattern) = param.pattern {
        if kind == "string" {
            object.insert("pattern".to_owned(), pattern.into());
        } else {
            misfit("a pattern", "a string");
        }
    }
    let bounds = [
        ("minimum", &param.minimum, std::cmp::Ordering::Greater),
        ("exclusiveMinimum", &param.exclusive_minimum, std::cmp::Ordering::Greater),
        ("maximum", &param.maximum, std::cmp::Ordering::Less),
        ("exclusiveMaximum", &param.exclusive_maximum, std::cmp::Ordering::Less),
    ];
    for (keyword, bound, tighter) in bounds {
        let Some(bound) = bound else { continue };
        if !matches!(kind.as_str(), "integer" | "number") {
            misfit("a range", "a number");
            break;
        }
        if !object.get(keyword).is_some_and(|said| compare(bound, said) != Some(tighter)) {
            object.insert(keyword.to_owned(), bound.clone());
        }
    }
    let (least, greatest) = match kind.as_str() {
        "array" => ("minItems", "maxItems"),
        "object" => ("minProperties", "maxProperties"),
        _ => ("minLength", "maxLength"),
    };
    if param.min_length.is_some() || param.max_length.is_some() {
        if matches!(kind.as_str(), "string" | "array" | "object") {
            object.extend(param.min_length.map(|length| (least.to_owned(), length.into())));
            object.extend(param.max_length.map(|length| (greatest.to_owned(), length.into())));
        } else {
            misfit("a length", "a string, a list or a map");
        }
    }
    if !param.examples.is_empty() {
        object.insert("examples".to_owned(), param.examples.clone().into());
    }
    if let Some(default) = &param.default {
        object.insert("default".to_owned(), default.clone());
    }
    if let Some(header) = param.header {
        object.insert("x-mcp-header".to_owned(), header.into());
    }
    Value::Object(object)
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
    members.rest |= others.is_some_and(|others| *others != Value::Bool(false)) || schema.get("patternProperties").is_some();
    for keyword in ["oneOf", "anyOf", "allOf"] {
        let parts = schema.get(keyword).and_then(Value::as_array);
        parts.into_iter().flatten().for_each(|part| collect_members(part, members));
    }
}

/// The headers that arguments are repeated in (spec: server/tools, `x-mcp-header`), read off the published schema.
fn headers(published: &Value, problems: &mut Vec<Problem>) -> Vec<(String, String)> {
    let mut headers: Vec<(String, String)> = Vec::new();
    collect_headers(published, &Place::root(), "", &mut headers, problems);
    headers
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
    let values = ["items", "additionalProperties"].into_iter().filter_map(|keyword| schema.get(keyword));
    for branch in values.chain(branches(schema).into_iter().flat_map(|(_, parts)| parts)) {
        let mut unreachable = Vec::new();
        collect_headers(branch, place, pointer, &mut unreachable, &mut Vec::new());
        if branch.get("x-mcp-header").is_some() || !unreachable.is_empty() {
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
fn secrets(params: &[Param], exact: &Value) -> Vec<String> {
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
