//! Definitions in the shape that each API takes: schemas rewritten where an API refuses something, or the tool left out.
//!
//! A schema is [`inline`]d, made an object by [`root`] and [`tidy`]ed, and then made [`strict`], or said in what
//! [`gemini`] has. What is rendered is never the last word on a call's arguments: the client and the server check them
//! against the schema itself.

mod gemini;
mod inline;
mod root;
mod strict;
mod tidy;

use serde_json::{Map, Value, json};

use super::catalog::Exposed;
use super::{Toolbox, shown};

/// An API that tools are rendered for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Api {
    /// The Messages API of Anthropic.
    Anthropic,
    /// The Responses API of OpenAI.
    OpenAiResponses,
    /// The Chat Completions API of OpenAI, and of the many that do as it does.
    OpenAiChat,
    /// The Gemini API: elements of `functionDeclarations`.
    Gemini,
}

/// Tools that OpenAI's APIs take in one request.
const MOST_FOR_OPENAI: usize = 128;
/// Keywords that they refuse at the root of a schema, with those that compose it.
const REFUSED_BY_OPENAI: [&str; 2] = ["enum", "not"];
/// Bytes of a schema: what is larger leaves a model no room to think.
const LARGEST: usize = 256 << 10;
/// What of one schema is not schemas itself, such as the values of an `enum`, and what there is in all definitions together;
/// see [`weight`].
const HEAVIEST: usize = 100_000;
const HEAVIEST_OF_ALL: usize = 1_000_000;

/// Definitions, as an API takes them.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Rendered {
    /// The definitions, for the request's `tools` (for Gemini, for `functionDeclarations` in it).
    pub tools: Vec<Value>,
    /// Tools that the API would refuse.
    pub left_out: Vec<RenderNote>,
    /// Tools that are there with less than they have.
    pub reduced: Vec<RenderNote>,
}

/// Something that an API makes impossible.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RenderNote {
    /// The tool, by the name that the model sees.
    pub name: String,
    /// What it is. Escaped.
    pub reason: String,
}

impl Toolbox {
    /// All tools as `api` takes them, in the order of [`tools`](Toolbox::tools).
    ///
    /// The order and the text stay the same for as long as the tools do.
    pub fn render(&self, api: Api) -> Rendered {
        let catalog = self.catalog();
        render(catalog.tools.iter().map(AsRef::as_ref), api)
    }

    /// The tools of these names, as `api` takes them: those that [`search`](Toolbox::search) found, for one.
    pub fn render_only<S: AsRef<str>>(&self, api: Api, names: impl IntoIterator<Item = S>) -> Rendered {
        let catalog = self.catalog();
        render(names.into_iter().filter_map(|name| catalog.get(name.as_ref())).map(AsRef::as_ref), api)
    }
}

fn render<'a>(tools: impl Iterator<Item = &'a Exposed>, api: Api) -> Rendered {
    let mut rendered = Rendered::default();
    let most = if matches!(api, Api::OpenAiResponses | Api::OpenAiChat) { MOST_FOR_OPENAI } else { usize::MAX };
    let mut left = HEAVIEST_OF_ALL;
    for tool in tools {
        let note = |reason: String| RenderNote { name: tool.public.name.clone(), reason: shown::line(&reason, 1_000) };
        let mut reduced = Vec::new();
        match definition(tool, api, &mut reduced) {
            Ok(_) if rendered.tools.len() == most => {
                rendered.left_out.push(note(format!("the API takes {most} tools in one request")));
            }
            Ok(definition) if weight(&definition) > left => {
                rendered
                    .left_out
                    .push(note("the definitions before it are as large as they may be together".to_owned()));
            }
            Ok(definition) => {
                left -= weight(&definition);
                rendered.tools.push(definition);
                rendered.reduced.extend(reduced.into_iter().map(note));
            }
            Err(reason) => rendered.left_out.push(note(reason)),
        }
    }
    rendered
}

fn definition(tool: &Exposed, api: Api, reduced: &mut Vec<String>) -> Result<Value, String> {
    let name = &tool.public.name;
    let said = tool.public.definition.description.as_deref().filter(|text| !text.trim().is_empty());
    // OpenAI's limit; the others have none, and so one that nobody needs.
    let longest = if matches!(api, Api::OpenAiResponses | Api::OpenAiChat) { 1_024 } else { 8_192 };
    let description = shown::lines(said.unwrap_or(&tool.public.display_name), longest);
    if tool.public.definition.input_schema.get().len() > LARGEST {
        return Err(format!("its input schema has more than {LARGEST} bytes"));
    }
    let own = tool.schema();
    let inlined = inline::inlined(&own);
    if api == Api::Gemini {
        let schema = root::flat(&inlined.map_err(|error| error.to_string())?, reduced)?;
        let parameters = gemini::parameters(&tidy::tidied(&schema), reduced)?;
        let mut declaration = Map::new();
        declaration.insert("name".to_owned(), name.as_str().into());
        declaration.insert("description".to_owned(), description.into());
        declaration.extend(parameters.map(|parameters| ("parameters".to_owned(), parameters)));
        return Ok(Value::Object(declaration));
    }
    // These take references, so a schema that is endless without them keeps them.
    let (schema, finite) = match inlined {
        Ok(schema) => (schema, true),
        Err(error) if error.is_fatal() => return Err(error.to_string()),
        Err(_) if own.get("$ref").is_some() => return Err("its input schema refers to itself".to_owned()),
        Err(_) => (own, false),
    };
    let mut schema = tidy::tidied(&root::flat(&schema, reduced)?);
    if api == Api::Anthropic {
        let schema = root::with_names(schema, root::anthropic_name, reduced)?;
        return Ok(json!({"name": name, "description": description, "input_schema": schema}));
    }
    for keyword in REFUSED_BY_OPENAI {
        if schema.as_object_mut().and_then(|members| members.remove(keyword)).is_some() {
            reduced.push(format!("{keyword} at the root of its input schema is not offered: the API refuses it"));
        }
    }
    let strict = Some(&schema).filter(|_| finite).and_then(strict::schema);
    let is_strict = strict.is_some();
    let parameters = strict.unwrap_or(schema);
    let function = json!({"name": name, "description": description, "parameters": parameters, "strict": is_strict});
    Ok(match (api, function) {
        (Api::OpenAiResponses, Value::Object(mut function)) => {
            function.insert("type".to_owned(), "function".into());
            Value::Object(function)
        }
        (_, function) => json!({"type": "function", "function": function}),
    })
}

/// Keywords whose value is one schema, a list of them, or a map with schemas as values. All others hold data.
const ONE: [&str; 12] = [
    "items",
    "additionalProperties",
    "additionalItems",
    "contains",
    "propertyNames",
    "not",
    "if",
    "then",
    "else",
    "unevaluatedItems",
    "unevaluatedProperties",
    "contentSchema",
];
const LISTS: [&str; 5] = ["allOf", "anyOf", "oneOf", "prefixItems", "items"];
const MAPS: [&str; 5] = ["properties", "patternProperties", "dependentSchemas", "$defs", "definitions"];

/// The size of a value: its values, and pieces of its strings.
fn weight(value: &Value) -> usize {
    const PIECE: usize = 64;
    match value {
        Value::Array(items) => 1 + items.iter().map(weight).sum::<usize>(),
        Value::Object(members) => {
            1 + members.iter().map(|(name, value)| 1 + name.len() / PIECE + weight(value)).sum::<usize>()
        }
        Value::String(text) => 1 + text.len() / PIECE,
        Value::Null | Value::Bool(_) | Value::Number(_) => 1,
    }
}

/// The size of what in a schema's members is not schemas.
fn own_weight(members: &Map<String, Value>) -> usize {
    let holds_schemas = |name: &str| ONE.contains(&name) || LISTS.contains(&name) || MAPS.contains(&name);
    members.iter().filter(|(name, _)| !holds_schemas(name)).map(|(_, value)| weight(value)).sum()
}

/// A copy of a schema's members with `change` applied to each schema right below it.
fn map_children<E>(
    schema: &Map<String, Value>,
    mut change: impl FnMut(&Value) -> Result<Value, E>,
) -> Result<Map<String, Value>, E> {
    let mut mapped = Map::new();
    for (keyword, value) in schema {
        let name = keyword.as_str();
        let value = match value {
            Value::Object(members) if MAPS.contains(&name) => {
                let members: Result<Map<_, _>, E> =
                    members.iter().map(|(name, schema)| Ok((name.clone(), change(schema)?))).collect();
                Value::Object(members?)
            }
            Value::Array(schemas) if LISTS.contains(&name) => {
                Value::Array(schemas.iter().map(&mut change).collect::<Result<_, E>>()?)
            }
            Value::Object(_) | Value::Bool(_) if ONE.contains(&name) => change(value)?,
            other => other.clone(),
        };
        mapped.insert(keyword.clone(), value);
    }
    Ok(mapped)
}
