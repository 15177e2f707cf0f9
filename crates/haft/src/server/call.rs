//! Stop 6, call. in: an entry and raw arguments (checked by stop 5); out: what the function returned; next: `server/outcome`.

use std::any::Any;
use std::fmt;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use haft_wire::{CallToolResult, ClientCapabilities, ErrorObject, RequestId, RequestMeta, method};
use serde_json::{Map, Value};
use tracing::Instrument;

use super::cancellation::Cancellation;
use super::context::Context;
use super::dispatch::{Exchange, Stop, not_an_object};
use super::limits::{Allowance, Slot};
use super::middleware::ToolCall;
use super::mrtr::{self, Asking};
use super::outbound::Outbound;
use super::registry::Entry;
use super::{Principal, Server, outcome};
use crate::error::{ProtocolError, RequestError};
use crate::tool::{Cancel, Capability};

/// What is running, for its context and for errors about it.
#[derive(Debug, Clone)]
pub(super) struct Operation {
    pub(super) method: &'static str,
    /// A tool's or prompt's name, or a URI.
    pub(super) name: Arc<str>,
    /// Whether it said that it logs to the client.
    pub(super) logs: bool,
}

/// One `tools/call`.
pub(super) struct Request {
    pub(super) arguments: Map<String, Value>,
    pub(super) id: RequestId,
    pub(super) meta: RequestMeta,
    pub(super) principal: Principal,
    pub(super) cancellation: Cancellation,
    pub(super) outbound: Outbound,
    pub(super) asking: Asking,
}

/// Refuses a call whose client lacks what the called can't do without.
///
/// spec: `basic/index#_meta`
pub(super) fn check_needs(
    kind: &str,
    name: &str,
    needs: &[Capability],
    meta: &RequestMeta,
) -> Result<(), ProtocolError> {
    let client = meta.client_capabilities.as_ref();
    let lacks = |has: fn(&ClientCapabilities) -> bool| !client.is_some_and(has);
    let mut missing = ClientCapabilities::default();
    let mut names = Vec::new();
    for needed in needs {
        let lacking = match needed {
            Capability::Sampling => {
                lacks(|client| client.sampling.is_some()).then(|| missing.sampling = Some(Default::default()))
            }
            Capability::Elicitation => {
                lacks(|client| client.elicitation.is_some()).then(|| missing.elicitation = Some(Default::default()))
            }
            Capability::Roots => {
                lacks(|client| client.roots.is_some()).then(|| missing.roots = Some(Default::default()))
            }
        };
        names.extend(lacking.map(|()| needed.name()));
    }
    if names.is_empty() {
        return Ok(());
    }
    let message = format!("The {kind} {name} needs a client with the capability {}.", names.join(" and "));
    Err(ErrorObject::missing_capability(message, &missing).into())
}

/// What became of a call at the door.
pub(super) enum Admitted {
    Ready(Box<Ready>),
    /// It isn't run, and this is its answer.
    Refused(CallToolResult),
}

/// A call that may run.
pub(super) struct Ready {
    call: ToolCall,
    slot: Option<Slot>,
    cancellation: Cancellation,
    asking: Asking,
}

/// Checks the arguments, runs the tool, checks its result.
pub(super) async fn call(server: &Server, entry: &Entry, request: Request) -> Result<CallToolResult, Stop> {
    match admit(server, entry, request).await? {
        Admitted::Ready(ready) => run_tool(server, entry, *ready).await,
        Admitted::Refused(result) => Ok(result),
    }
}

/// Checks the arguments, and whether there is room for the call.
pub(super) async fn admit(server: &Server, entry: &Entry, request: Request) -> Result<Admitted, Stop> {
    let Request { arguments, id, meta, principal, cancellation, outbound, asking } = request;
    let refused = |refusal| Ok(Admitted::Refused(outcome::check_out(server, entry, refusal)?));
    if let Err(refusal) = entry.limits.admit(&server.inner.shared, &entry.name, &principal).await {
        return refused(Err(refusal));
    }
    let arguments = match check_in(entry, arguments) {
        Ok(arguments) => arguments,
        Err(text) => {
            tracing::debug!(tool = %entry.name, %id, "arguments refused");
            return refused(Ok(CallToolResult::error(text)));
        }
    };
    let slot = match entry.limits.slot(&entry.name) {
        Ok(slot) => slot,
        Err(refusal) => return refused(Err(refusal)),
    };
    let operation = Operation { method: method::TOOLS_CALL, name: Arc::clone(&entry.name), logs: entry.logs };
    let context = Context::new(operation, id, meta, principal, cancellation.clone(), outbound, asking.clone());
    let call = ToolCall::new(arguments, context, slot.clone());
    Ok(Admitted::Ready(Box::new(Ready { call, slot, cancellation, asking })))
}

/// Runs the tool, checks its result.
pub(super) async fn run_tool(server: &Server, entry: &Entry, ready: Ready) -> Result<CallToolResult, Stop> {
    let Ready { call, slot, cancellation, asking } = ready;
    let allowance = entry.limits.allowance();
    asking.limit(allowance.as_ref());
    // Called inside the future, so that what a function does before its first await is contained too.
    let service = entry.service.clone();
    let function = async move {
        let _slot = slot;
        service.run(call).await
    };
    let running = Box::pin(mrtr::drive(asking, contained(function)));
    let returned = match run(running, &cancellation, entry.cancel, allowance.as_ref()).await {
        Ended::Returned(returned) => returned?,
        Ended::Cancelled => return Err(Stop::Cancelled),
        Ended::TimedOut => Err(entry.limits.timed_out(&entry.name, entry.cancel)),
    };
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
        other => Err(not_an_object(&other).message().to_owned()),
    }
}

/// Runs the function behind a resource, a prompt or a completion, as a tool runs: contained, and until the client gives
/// up. Then it is dropped; none of them is there to write.
pub(super) async fn handle<T: Send + 'static>(
    exchange: Exchange<'_>,
    operation: Operation,
    needs: &[Capability],
    asking: Asking,
    handler: impl FnOnce(Context) -> BoxFuture<'static, Result<T, RequestError>>,
) -> Result<T, Stop> {
    let Exchange { id, meta, principal, cancellation, outbound, .. } = exchange;
    check_needs(outcome::kind(&operation), &outcome::shown(&operation.name), needs, &meta)?;
    let closing = outbound.clone();
    let context =
        Context::new(operation.clone(), id.clone(), meta, principal, cancellation.clone(), outbound, asking.clone());
    let running = Box::pin(mrtr::drive(asking, contained(handler(context))));
    let Ended::Returned(returned) = run(running, &cancellation, Cancel::Drop, None).await else {
        return Err(Stop::Cancelled);
    };
    let returned = returned?;
    // Closed before the result is encoded: a task that runs on in the background must not report after it.
    closing.close();
    returned.map_err(|error| outcome::refused(&operation, error).into())
}

type Running<T, E> = BoxFuture<'static, Result<T, E>>;

/// What a function said when it panicked.
#[derive(Debug)]
struct Panicked(String);

impl fmt::Display for Panicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "panicked: {}", self.0)
    }
}

impl std::error::Error for Panicked {}

/// A panic becomes an internal error of that call. (With `panic = "abort"` the process ends instead.)
fn contained<T: 'static, E: From<Panicked> + 'static>(
    running: impl Future<Output = Result<T, E>> + Send + 'static,
) -> Running<T, E> {
    Box::pin(
        AssertUnwindSafe(running)
            .catch_unwind()
            .map(|returned| returned.unwrap_or_else(|payload| Err(Panicked(said(&*payload).to_owned()).into()))),
    )
}

fn said(payload: &(dyn Any + Send)) -> &str {
    payload
        .downcast_ref::<&'static str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("(no message)")
}

/// How a function's run came to its end, as far as its request is concerned.
enum Ended<T, E> {
    Returned(Result<T, E>),
    Cancelled,
    TimedOut,
}

async fn run<T: Send + 'static, E: Send + 'static>(
    mut running: Running<T, E>,
    cancellation: &Cancellation,
    cancel: Cancel,
    allowance: Option<&Allowance>,
) -> Ended<T, E> {
    let over = async {
        match allowance {
            Some(allowance) => allowance.over().await,
            None => std::future::pending().await,
        }
    };
    let ended = tokio::select! {
        biased;
        returned = &mut running => return Ended::Returned(returned),
        () = cancellation.cancelled() => Ended::Cancelled,
        () = over => {
            cancellation.expire();
            Ended::TimedOut
        }
    };
    if cancel == Cancel::Detach {
        // The write that has begun goes on to its end; the runtime owns it from here on.
        tokio::spawn(running.in_current_span());
    }
    ended
}
