//! Stop 6, call. in: an entry and raw arguments (checked by stop 5); out: what the function returned; next: `server/outcome`.

use std::any::Any;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;

use futures_util::FutureExt;
use haft_wire::{CallToolResult, ClientCapabilities, ErrorObject, RequestId, RequestMeta};
use serde_json::{Map, Value};

use super::cancellation::Cancellation;
use super::context::Context;
use super::dispatch::Stop;
use super::middleware::ToolCall;
use super::outbound::Outbound;
use super::registry::Entry;
use super::{Principal, Server, outcome};
use crate::error::{ProtocolError, ToolError};
use crate::tool::{Cancel, Capability};

/// One `tools/call`.
pub(super) struct Request {
    pub(super) arguments: Map<String, Value>,
    pub(super) id: RequestId,
    pub(super) meta: RequestMeta,
    pub(super) principal: Principal,
    pub(super) cancellation: Cancellation,
    pub(super) outbound: Outbound,
}

/// Refuses a call whose client lacks what the tool can't do without.
///
/// spec: `basic/index#_meta`
pub(super) fn check_needs(entry: &Entry, meta: &RequestMeta) -> Result<(), ProtocolError> {
    let client = meta.client_capabilities.clone().unwrap_or_default();
    let mut missing = ClientCapabilities::default();
    let mut names = Vec::new();
    for needed in &entry.needs {
        let lacking = match needed {
            Capability::Sampling => client.sampling.is_none().then(|| missing.sampling = Some(Default::default())),
            Capability::Elicitation => {
                client.elicitation.is_none().then(|| missing.elicitation = Some(Default::default()))
            }
            Capability::Roots => client.roots.is_none().then(|| missing.roots = Some(Default::default())),
        };
        names.extend(lacking.map(|()| needed.name()));
    }
    if names.is_empty() {
        return Ok(());
    }
    let message = format!("The tool {} needs a client with the capability {}.", entry.name, names.join(" and "));
    Err(ErrorObject::missing_capability(message, &missing).into())
}

/// Checks the arguments, runs the tool, checks its result.
pub(super) async fn call(server: &Server, entry: &Entry, request: Request) -> Result<CallToolResult, Stop> {
    let Request { arguments, id, meta, principal, cancellation, outbound } = request;
    let arguments = match check_in(entry, arguments) {
        Ok(arguments) => arguments,
        Err(text) => {
            tracing::debug!(tool = %entry.name, %id, "arguments refused");
            return Ok(outcome::check_out(server, entry, Ok(CallToolResult::error(text)))?);
        }
    };
    let context = Context::new(entry, id, meta, principal, cancellation.clone(), outbound);
    let running = contained(entry.service.run(ToolCall::new(arguments, context)));
    let returned = run(running, &cancellation, entry.cancel).await.ok_or(Stop::Cancelled)?;
    Ok(outcome::check_out(server, entry, returned)?)
}

/// Stop 5: the arguments as the function may have them, or every reason why not, written for the model.
fn check_in(entry: &Entry, arguments: Map<String, Value>) -> Result<Map<String, Value>, String> {
    let mut value = Value::Object(arguments);
    entry.input.checker.normalise(&mut value);
    let violations = entry.input.checker.check(&value);
    if !violations.is_empty() {
        return Err(outcome::refusal(&entry.name, &entry.input, &violations));
    }
    match value {
        Value::Object(arguments) => Ok(arguments),
        // Normalising keeps an object an object, and every input schema has an object at its root.
        other => Err(dispatch_error(&other)),
    }
}

fn dispatch_error(arguments: &Value) -> String {
    super::dispatch::not_an_object(arguments).message().to_owned()
}

type Returned = Result<CallToolResult, ToolError>;
type Running = Pin<Box<dyn Future<Output = Returned> + Send>>;

/// A panic in a tool becomes an internal error of that call. (With `panic = "abort"` the process ends instead.)
fn contained(running: impl Future<Output = Returned> + Send + 'static) -> Running {
    Box::pin(AssertUnwindSafe(running).catch_unwind().map(|returned| {
        returned.unwrap_or_else(|payload| Err(ToolError::internal(format!("the tool panicked: {}", said(&*payload)))))
    }))
}

fn said(payload: &(dyn Any + Send)) -> &str {
    payload
        .downcast_ref::<&'static str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("(no message)")
}

async fn run(mut running: Running, cancellation: &Cancellation, cancel: Cancel) -> Option<Returned> {
    tokio::select! {
        biased;
        returned = &mut running => Some(returned),
        () = cancellation.cancelled() => {
            if cancel == Cancel::Detach {
                // The write that has begun goes on to its end; the runtime owns it from here on.
                tokio::spawn(running);
            }
            None
        }
    }
}
