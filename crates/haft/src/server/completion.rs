//! `completion/complete`: what the arguments of prompts and the variables of templates may be.

use haft_wire::{
    CompleteParams, CompleteResult, CompletionArgument, CompletionContext, CompletionReference, ResultType, method,
};

use super::call::{self, Operation};
use super::dispatch::{Exchange, Stop};
use super::mrtr::Asking;
use super::outcome;
use super::prompts::no_prompts;
use super::scopes::Requirement;
use crate::completion::{Completer, Completions, Partial};
use crate::error::ProtocolError;

/// spec: `server/utilities/completion#requesting-completions`
pub(super) async fn completion_complete(exchange: Exchange<'_>) -> Result<Vec<u8>, Stop> {
    let params = CompleteParams::read(exchange.params)?;
    let id = exchange.id;
    Ok(outcome::encode(id, &complete(exchange, params).await?)?)
}

/// Finds the function that completes the argument and runs it. An argument without one has no suggestions.
pub(super) async fn complete(exchange: Exchange<'_>, params: CompleteParams) -> Result<CompleteResult, Stop> {
    let CompleteParams { reference, argument: CompletionArgument { name, value }, context } = params;
    let CompletionContext { arguments } = context.unwrap_or_default();
    let inner = &exchange.server.inner;
    let (kind, subject, completable) = match &reference {
        CompletionReference::Prompt { name: prompt, .. } => {
            let prompts = inner.prompts.as_ref().ok_or_else(|| no_prompts(prompt))?;
            let found = prompts.prompt(prompt, |requirement| exchange.shows(requirement))?;
            let known = found.arguments.iter().map(|argument| argument.name.as_str()).collect();
            ("prompt", prompt, Completable { known, completers: &found.completers, requires: &found.requires })
        }
        CompletionReference::Resource { uri } => {
            let resources = inner.resources.as_ref().ok_or_else(|| outcome::no_resource(uri, None))?;
            ("resource template", uri, resources.completable(uri)?)
        }
    };
    exchange.check_scopes(kind, subject, completable.requires)?;
    let completer = completable.completer(&name)?;
    let completions = match completer {
        None => Completions::default(),
        Some(completer) => {
            let partial = Partial::new(value, arguments.unwrap_or_default().into_iter().collect());
            let operation =
                Operation { method: method::COMPLETION_COMPLETE, name: subject.as_str().into(), logs: false };
            // A completion must not ask: its result can't say so.
            let asking = Asking::mute(&exchange);
            call::handle(exchange, operation, &[], asking, |context| completer.run(partial, context)).await?
        }
    };
    let meta = Some(outcome::identity(inner));
    Ok(CompleteResult { result_type: ResultType::Complete, completion: completions.into_wire(), meta })
}

/// What has arguments: their names, and what completes some of them.
pub(super) struct Completable<'a> {
    pub(super) known: Vec<&'a str>,
    pub(super) completers: &'a [(String, Completer)],
    pub(super) requires: &'a Requirement,
}

impl<'a> Completable<'a> {
    fn completer(&self, name: &str) -> Result<Option<&'a Completer>, ProtocolError> {
        if !self.known.contains(&name) {
            let message = format!("Invalid completion: {}.", outcome::unknown_argument(name, &self.known));
            return Err(ProtocolError::invalid_params(message));
        }
        Ok(self.completers.iter().find(|(argument, _)| argument == name).map(|(_, completer)| completer))
    }
}
