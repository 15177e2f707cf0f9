//! Prompts: from their definitions to `prompts/get`.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroUsize;
use std::sync::Arc;

use haft_wire::{GetPromptParams, GetPromptResult, Prompt as Definition, method};
use serde_json::value::{RawValue, to_raw_value};

use super::builder::UnknownArguments;
use super::call::{self, Operation};
use super::dispatch::{Exchange, Stop};
use super::listing::{Cacheable, Listing};
use super::mrtr::{Asking, Inputs};
use super::outcome::{self, shown};
use super::problems::{BuildProblem, Sink, check_unique, is_name};
use super::scopes::Requirement;
use crate::error::ProtocolError;
use crate::params::Params;
use crate::prompt::Prompt;

/// All prompts, frozen.
pub(super) struct Prompts {
    prompts: Vec<Prompt>,
    names: HashMap<String, usize>,
    unknown_arguments: UnknownArguments,
    pub(super) list: Listing,
}

/// Checks prompts and writes their definitions; `problems` has whatever is wrong with them.
pub(super) fn prepare(prompts: &[Prompt], problems: &mut Vec<BuildProblem>) -> Vec<Box<RawValue>> {
    let places = prompts.iter().map(|prompt| (prompt.name.as_str(), prompt.place.as_str()));
    check_unique("prompt", "name", "duplicate_name", places, problems);
    prompts.iter().filter_map(|prompt| prepare_one(prompt, problems)).collect()
}

fn prepare_one(prompt: &Prompt, problems: &mut Vec<BuildProblem>) -> Option<Box<RawValue>> {
    let mut sink = Sink { subject: &prompt.name, place: &prompt.place, problems };
    sink.check_name("prompt", &prompt.name);
    sink.check_icons(&prompt.icons);
    sink.check_meta(&prompt.meta);
    prompt.requires.check(&mut sink);
    for (index, argument) in prompt.arguments.iter().enumerate() {
        let name = &argument.name;
        if !is_name(name) {
            let message =
                format!("the argument {name:?}: a name has 1 to 128 letters, digits, `_`, `-` or `.` (ASCII)");
            sink.push("argument", message);
        }
        if prompt.arguments.iter().take(index).any(|other| other.name == *name) {
            sink.push("argument", format!("there is already an argument `{name}`; rename one of them"));
        }
    }
    for (name, _) in &prompt.completers {
        if !prompt.arguments.iter().any(|argument| argument.name == *name) {
            sink.push("argument", format!("there is no argument `{name}` to complete; add it or rename one of them"));
        }
    }
    let definition = Definition {
        name: prompt.name.clone(),
        title: prompt.title.clone(),
        description: prompt.description.clone(),
        arguments: prompt.arguments.clone(),
        icons: prompt.icons.clone(),
        meta: (!prompt.meta.is_empty()).then(|| prompt.meta.clone()),
    };
    to_raw_value(&definition)
        .map_err(|error| sink.push("encoding", format!("the definition cannot be written as JSON: {error}")))
        .ok()
}

impl Prompts {
    pub(super) fn freeze(
        prompts: Vec<Prompt>,
        definitions: &[Box<RawValue>],
        unknown_arguments: UnknownArguments,
        cacheable: &Arc<Cacheable>,
        page_size: Option<NonZeroUsize>,
    ) -> Result<Self, serde_json::Error> {
        let names = prompts.iter().enumerate().map(|(index, prompt)| (prompt.name.clone(), index)).collect();
        let requirements = prompts.iter().map(|prompt| &prompt.requires);
        let list = cacheable.listing(method::PROMPTS_LIST, definitions, requirements, page_size)?;
        Ok(Self { prompts, names, unknown_arguments, list })
    }

    /// The scopes that they ask for, in the order of the list.
    #[cfg(feature = "http")]
    pub(super) fn scopes(&self) -> impl Iterator<Item = &str> {
        self.prompts.iter().flat_map(|prompt| &prompt.requires.scopes).map(String::as_str)
    }

    /// The prompt of this name; names are case-sensitive. Where there is none, one of those that `shows` admits is proposed.
    pub(super) fn prompt(&self, name: &str, shows: impl Fn(&Requirement) -> bool) -> Result<&Prompt, ProtocolError> {
        let found = self.names.get(name).and_then(|&index| self.prompts.get(index));
        found.ok_or_else(|| {
            let known = self.prompts.iter().filter(|prompt| shows(&prompt.requires));
            let known = known.map(|prompt| prompt.name.as_str());
            outcome::unknown("prompt", name, known, method::PROMPTS_LIST)
        })
    }

    /// The arguments as the function may have them, or every reason why not.
    fn check(&self, prompt: &Prompt, given: BTreeMap<String, Box<RawValue>>) -> Result<Params, ProtocolError> {
        let mut problems = Vec::new();
        let mut params = Vec::with_capacity(given.len());
        // `null` is how some clients leave an argument out.
        let given: BTreeMap<_, _> = given.into_iter().filter(|(_, value)| value.get() != "null").collect();
        for (name, value) in &given {
            if prompt.arguments.iter().any(|argument| argument.name == *name) {
                match serde_json::from_str::<String>(value.get()) {
                    Ok(value) => params.push((name.clone(), value)),
                    Err(_) => problems.push(format!("`{name}` must be a string")),
                }
            } else if self.unknown_arguments == UnknownArguments::Refuse {
                problems.push(unknown_argument(prompt, name));
            }
        }
        for argument in prompt.arguments.iter().filter(|argument| argument.required == Some(true)) {
            if !given.contains_key(&argument.name) {
                let what = argument.description.as_ref().map(|text| format!(" ({text})")).unwrap_or_default();
                problems.push(format!("`{}` is missing{what}", argument.name));
            }
        }
        if problems.is_empty() {
            return Ok(params.into_iter().collect());
        }
        let list = problems.join("; ");
        Err(ProtocolError::invalid_params(format!("Invalid arguments of the prompt {}: {list}.", prompt.name)))
    }
}

fn unknown_argument(prompt: &Prompt, name: &str) -> String {
    let known: Vec<&str> = prompt.arguments.iter().map(|argument| argument.name.as_str()).collect();
    outcome::unknown_argument(name, &known)
}

/// The error for a prompt of a server that has none.
pub(super) fn no_prompts(name: &str) -> ProtocolError {
    ProtocolError::invalid_params(format!("Unknown prompt: {}; this server has none", shown(name)))
}

/// spec: `server/prompts#getting-a-prompt`
pub(super) async fn prompts_get(exchange: Exchange<'_>) -> Result<Vec<u8>, Stop> {
    let GetPromptParams { name, arguments, input_responses, request_state } = GetPromptParams::read(exchange.params)?;
    let inputs = Inputs { responses: input_responses, state: request_state };
    let id = exchange.id;
    Ok(outcome::encode(id, &get(exchange, &name, arguments.unwrap_or_default(), inputs).await?)?)
}

/// Finds a prompt, checks its arguments and fills it in.
pub(super) async fn get(
    exchange: Exchange<'_>,
    name: &str,
    arguments: BTreeMap<String, Box<RawValue>>,
    inputs: Inputs,
) -> Result<GetPromptResult, Stop> {
    exchange.asked_for(name);
    let inner = &exchange.server.inner;
    let prompts = inner.prompts.as_ref().ok_or_else(|| no_prompts(name))?;
    let prompt = prompts.prompt(name, |requirement| exchange.shows(requirement))?;
    #[cfg(feature = "otel")]
    exchange.is_about(|| super::observe::Target::Prompt(name.into()));
    exchange.check_scopes("prompt", name, &prompt.requires)?;
    let bound = to_raw_value(&arguments).ok();
    let params = prompts.check(prompt, arguments)?;
    let state = inputs.state.clone();
    let asking = Asking::open(&exchange, method::PROMPTS_GET, name.to_owned(), bound, inputs)?;
    exchange.server.use_up(state.as_deref()).await?;
    let operation = Operation { method: method::PROMPTS_GET, name: name.into(), logs: prompt.logs };
    let fill = |context| (prompt.filler)(params, context);
    let mut result = call::handle(exchange, operation, &prompt.needs, asking, fill).await?;
    if let Some(sanitizer) = &inner.sanitizer {
        sanitizer.messages(name, &mut result.messages);
    }
    result.description = result.description.or_else(|| prompt.description.clone());
    result.meta.get_or_insert_default().extend(outcome::identity(inner));
    Ok(result)
}
