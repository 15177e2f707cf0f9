//! Stop 7, check out. in: what the function returned; out: a tool result that keeps its schema; next: `haft-wire/encode`.

use haft_schema::{RenderOptions, Violation, render};
use haft_wire::{CallToolResult, ContentBlock, Meta, RequestId, encode as wire, meta, method};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::call::Operation;
use super::registry::{Entry, Input};
use super::{Inner, Server};
use crate::error::{Incident, Kind, ProtocolError, RequestError, RequestErrorKind, ToolError, causes};
use crate::tool::Failure;

/// The `_meta` key under which [`ToolError::code`] travels.
const ERROR_CODE: &str = "dev.haft/code";

/// What the client gets for what the function returned.
pub(super) fn check_out(
    server: &Server,
    entry: &Entry,
    returned: Result<CallToolResult, ToolError>,
) -> Result<CallToolResult, ProtocolError> {
    let result = complete(server, entry, returned)?;
    if let Some(refusal) = entry.limits.too_large(&entry.name, &result) {
        return complete(server, entry, Err(refusal));
    }
    hint(entry, &result, server.inner.settings.hint_past);
    Ok(result)
}

/// The result as it goes out, if it may.
fn complete(
    server: &Server,
    entry: &Entry,
    returned: Result<CallToolResult, ToolError>,
) -> Result<CallToolResult, ProtocolError> {
    let returned = match &server.inner.sanitizer {
        Some(sanitizer) => sanitizer.returned(&entry.name, returned),
        None => returned,
    };
    let mut result = match returned {
        Ok(result) => keep_schema(entry, result),
        Err(error) => failed(entry, error)?,
    };
    if result.content.is_empty() {
        let text = result.structured_content.as_ref().map_or("Done.", |json| json.get());
        result.content.push(ContentBlock::text(text));
    }
    result.is_error.get_or_insert(false);
    identify(server, &mut result);
    Ok(result)
}

/// The text that a model reads when its arguments are wrong.
pub(super) fn refusal(tool: &str, input: &Input, violations: &[Violation]) -> String {
    render(violations, &RenderOptions::arguments(tool).secrets(&input.secrets))
}

/// The result when arguments pass the schema and serde refuses them all the same, in the same words.
pub(super) fn undecodable(
    tool: &str,
    input: &Input,
    arguments: Map<String, Value>,
    failures: &[Failure],
) -> CallToolResult {
    let arguments = Value::Object(arguments);
    let rejected = |failure: &Failure| input.checker.rejected(&arguments, &failure.pointer, &failure.reason);
    CallToolResult::error(refusal(tool, input, &failures.iter().map(rejected).collect::<Vec<_>>()))
}

/// The result itself where it fits the output schema; else an error in its place, and the reason in the log.
fn keep_schema(entry: &Entry, result: CallToolResult) -> CallToolResult {
    let Some(checker) = &entry.output else { return result };
    if result.is_error == Some(true) {
        return result;
    }
    let reason = match &result.structured_content {
        None => "it has no structured content".to_owned(),
        Some(json) => match serde_json::from_str::<Value>(json.get()) {
            Err(error) => format!("its structured content cannot be read: {error}"),
            Ok(value) => match checker.check(&value) {
                violations if violations.is_empty() => return result,
                violations => render(&violations, &RenderOptions::output(&entry.name)),
            },
        },
    };
    let incident = Incident::new();
    tracing::error!(tool = %entry.name, %incident, reason, "a result breaks its output schema and is withheld");
    CallToolResult::error(format!(
        "{} ran, but its result does not fit its own output schema and was withheld (incident {incident}). \
         Other arguments will not help unless they ask for something else: tell the user, with the incident id.",
        entry.name
    ))
}

/// The error by its reader: the model's text, the client's code, the operator's incident.
fn failed(entry: &Entry, error: ToolError) -> Result<CallToolResult, ProtocolError> {
    match error.kind {
        Kind::Protocol(error) => Err(error),
        Kind::Model { text, code } => {
            tracing::debug!(tool = %entry.name, text, "tool error");
            let mut result = CallToolResult::error(text);
            result.meta = code.map(|code| Map::from_iter([(ERROR_CODE.to_owned(), Value::String(code))]));
            Ok(result)
        }
        Kind::Internal { source, retry } => {
            let incident = Incident::new();
            let cause = causes(source.as_ref());
            tracing::error!(tool = %entry.name, %incident, cause, "tool failed");
            let advice = if retry {
                "Trying again later may help."
            } else {
                "Trying again will not help: tell the user, with the incident id."
            };
            Ok(CallToolResult::error(format!(
                "{} failed because of an internal error (incident {incident}). {advice}",
                entry.name
            )))
        }
    }
}

/// What the client gets for an error of a function that isn't a tool.
///
/// spec: `server/resources#error-handling`, `server/prompts#error-handling`
pub(super) fn refused(operation: &Operation, error: RequestError) -> ProtocolError {
    let Operation { method, name, .. } = operation;
    let is_resource = *method == method::RESOURCES_READ;
    match error.kind {
        RequestErrorKind::Protocol(error) => error,
        RequestErrorKind::NotFound if is_resource => no_resource(name, None),
        RequestErrorKind::NotFound => ProtocolError::invalid_params(format!("Not found: {}.", shown(name))),
        RequestErrorKind::Argument { name: variable, reason } if is_resource => {
            no_resource(name, Some(&format!("`{variable}` {reason}")))
        }
        RequestErrorKind::Argument { name: argument, reason } => {
            let (kind, name) = (kind(operation), shown(name));
            ProtocolError::invalid_params(format!("Invalid arguments of the {kind} {name}: `{argument}` {reason}."))
        }
        RequestErrorKind::Internal { source, retry } => {
            let incident = Incident::new();
            let cause = causes(source.as_ref());
            tracing::error!(method, %name, %incident, cause, "a request failed");
            let advice = if retry { "Trying again later may help." } else { "Trying again will not help." };
            let message =
                format!("{} failed because of an internal error (incident {incident}). {advice}", shown(name));
            ProtocolError::internal(message)
        }
    }
}

/// The error for a resource that isn't there, with what else is to say about it.
pub(super) fn no_resource(uri: &str, detail: Option<&str>) -> ProtocolError {
    let detail = detail.map(|detail| format!(": {detail}")).unwrap_or_default();
    let message = format!("Resource not found: {}{detail}.", shown(uri));
    ProtocolError::invalid_params(message).data(json!({ "uri": uri }))
}

/// The error for a tool or prompt that isn't there: which one was meant, or where to look.
pub(super) fn unknown<'a>(
    kind: &str,
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
    list: &str,
) -> ProtocolError {
    let hint = match haft_schema::nearest(name, known) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("{list} has those of this server"),
    };
    ProtocolError::invalid_params(format!("Unknown {kind}: {}; {hint}", shown(name)))
}

/// Says that an argument is unknown, which one was meant, and which ones there are.
pub(super) fn unknown_argument(name: &str, known: &[&str]) -> String {
    let near = haft_schema::nearest(name, known.iter().copied());
    let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
    format!("`{}` is unknown{near} (known arguments: {known})", shown(name))
}

/// What runs, in a word.
pub(super) fn kind(operation: &Operation) -> &'static str {
    match operation.method {
        method::RESOURCES_READ => "resource",
        method::PROMPTS_GET => "prompt",
        method::COMPLETION_COMPLETE => "completion of",
        _ => "tool",
    }
}

/// A name of the client's choosing, for a message: escaped, and not too long.
pub(super) fn shown(name: &str) -> String {
    name.chars().take(128).flat_map(char::escape_debug).collect()
}

/// Tells the operator what hosts will make of a result that goes out all the same.
fn hint(entry: &Entry, result: &CallToolResult, past: usize) {
    for block in &result.content {
        match block {
            ContentBlock::Text(text) if text.text.len() > past => {
                let characters = text.text.chars().count();
                if characters > past {
                    tracing::warn!(
                        tool = %entry.name,
                        characters,
                        "some hosts cut a text block past {past} characters: page the result, or let the caller narrow it"
                    );
                }
            }
            ContentBlock::Resource(_) if !entry.embeds_resources => tracing::warn!(
                tool = %entry.name,
                "the result embeds a resource, but the server declares no `resources`: say `embeds_resources` in the tool's attributes"
            ),
            _ => {}
        }
    }
}

/// spec: `basic/index#_meta` (per-response protocol fields)
fn identify(server: &Server, result: &mut CallToolResult) {
    result.meta.get_or_insert_default().extend(identity(&server.inner));
}

/// The `_meta` of a result that says nothing else in it.
pub(super) fn identity(server: &Inner) -> Meta {
    Meta::from_iter([(meta::SERVER_INFO.to_owned(), server.info.clone())])
}

/// The answer's bytes.
pub(super) fn encode(id: &RequestId, result: &impl Serialize) -> Result<Vec<u8>, ProtocolError> {
    wire::result(id, result).map_err(|error| {
        tracing::error!(%error, "a result could not be encoded");
        ProtocolError::internal("the result could not be encoded")
    })
}
