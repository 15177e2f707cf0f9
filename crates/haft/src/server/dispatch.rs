//! Stop 3, dispatch. in: a request; out: its answer's bytes, by way of its method; next: `server/registry`.

use std::sync::Arc;

use futures_util::future::BoxFuture;
#[cfg(feature = "tasks")]
use haft_wire::TaskResult;
use haft_wire::{
    CallToolParams, CancelledParams, ErrorObject, InputRequiredResult, ListParams, Request, RequestId, RequestMeta,
    VERSION, code, encode, method,
};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use tracing::Instrument;

use super::cancellation::Cancellation;
use super::listing::Listing;
use super::mrtr::{Asking, Inputs, Peer};
use super::observe::Observed;
#[cfg(feature = "otel")]
use super::observe::Target;
use super::outbound::Outbound;
#[cfg(feature = "tasks")]
use super::registry;
use super::scopes::{Forbidden, Requirement};
#[cfg(feature = "tasks")]
use super::tasks::{self, Started};
use super::{Inner, Principal, Server, call, completion, listen, outcome, prompts, resources};
use crate::error::ProtocolError;
#[cfg(feature = "tasks")]
use crate::tool::TaskSupport;

/// One request, with what its transport knows of it beyond its bytes.
pub(crate) struct Incoming {
    pub(crate) request: Request,
    pub(crate) principal: Principal,
    pub(crate) cancellation: Cancellation,
    /// Where to send what goes out before the answer.
    pub(crate) outbound: Outbound,
    /// What the request needn't say, as it was settled before.
    pub(crate) settled: Option<Settled>,
}

/// What a client said once, for all of its requests.
pub(crate) struct Settled {
    /// Who asks and how, in the place of what the request's `_meta` says.
    pub(crate) meta: RequestMeta,
    /// The revision of the protocol that it speaks.
    pub(crate) revision: &'static str,
    /// Answers questions while the call waits.
    pub(crate) peer: Arc<dyn Peer>,
}

/// A request whose `_meta` is in order.
pub(super) struct Checked {
    pub(super) meta: RequestMeta,
    #[cfg_attr(not(feature = "otel"), expect(dead_code, reason = "a plain span doesn't say it"))]
    pub(super) revision: &'static str,
    peer: Option<Arc<dyn Peer>>,
}

/// The bytes that answer a request.
pub(crate) struct Answer {
    pub(crate) frame: Vec<u8>,
    /// What transports with a status say by theirs.
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "other transports have no status"))]
    pub(crate) status: Status,
}

/// How far a request came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Status {
    /// To its method, which answered with a result or an error.
    Answered,
    /// Its `_meta`, its version or the client's capabilities were not enough.
    Refused,
    /// It has no such method.
    NoMethod,
    /// The caller's scopes were not enough.
    Forbidden(Box<Forbidden>),
}

/// Why there is no result.
pub(super) enum Stop {
    /// The client gave up: nothing more goes out.
    Cancelled,
    /// The client has to answer first; then it comes again.
    InputRequired(Box<InputRequiredResult>),
    /// The client gets this error.
    Failed(ProtocolError, Status),
}

impl From<ProtocolError> for Stop {
    fn from(error: ProtocolError) -> Self {
        // A method may find out only half-way that the client can't be asked.
        let refused = error.code() == code::MISSING_REQUIRED_CLIENT_CAPABILITY;
        Self::Failed(error, if refused { Status::Refused } else { Status::Answered })
    }
}

impl From<ErrorObject> for Stop {
    fn from(error: ErrorObject) -> Self {
        ProtocolError::from(error).into()
    }
}

/// What every method gets.
pub(super) struct Exchange<'a> {
    pub(super) server: &'a Server,
    pub(super) id: &'a RequestId,
    pub(super) params: Option<&'a RawValue>,
    pub(super) meta: RequestMeta,
    pub(super) principal: Principal,
    pub(super) cancellation: Cancellation,
    pub(super) outbound: Outbound,
    pub(super) peer: Option<Arc<dyn Peer>>,
    /// Whoever watches the request; nobody does in this process.
    pub(super) observed: Option<&'a Observed>,
}

impl Exchange<'_> {
    /// Says by which name, or which URI, the client asks.
    pub(super) fn asked_for(&self, name: &str) {
        if let Some(observed) = self.observed {
            observed.asked_for(name);
        }
    }

    /// Says what the request is about.
    #[cfg(feature = "otel")]
    pub(super) fn is_about(&self, target: impl FnOnce() -> Target) {
        if let Some(observed) = self.observed {
            observed.is_about(target());
        }
    }

    /// Whether lists show the caller what asks for this.
    pub(super) fn shows(&self, requirement: &Requirement) -> bool {
        self.server.inner.implications.shows(&self.principal, requirement)
    }

    /// Whether the caller may use what asks for this.
    pub(super) fn grants(&self, requirement: &Requirement) -> bool {
        self.server.inner.implications.grants(&self.principal, requirement)
    }

    /// Refuses a caller without the scopes that something asks for.
    ///
    /// spec: `basic/authorization#runtime-insufficient-scope-errors`
    pub(super) fn check_scopes(&self, kind: &str, name: &str, requirement: &Requirement) -> Result<(), Stop> {
        if self.grants(requirement) {
            return Ok(());
        }
        let forbidden = Forbidden::new(&self.principal, requirement);
        tracing::debug!(kind, name, principal = ?self.principal, "the caller's scopes are not enough");
        let error = forbidden.error(kind, &outcome::shown(name), requirement);
        Err(Stop::Failed(error, Status::Forbidden(Box::new(forbidden))))
    }
}

/// Answers one request. `None` when it was cancelled: then nothing more goes out for it.
///
/// Its way out is closed in any case, so that nothing can follow the answer.
pub(crate) async fn answer(server: &Server, incoming: Incoming) -> Option<Answer> {
    let Incoming { request: Request { id, method, params }, principal, cancellation, outbound, settled } = incoming;
    let checked = match settled {
        Some(settled) if is_known(&method, &server.inner) => {
            Ok(Checked { meta: settled.meta, revision: settled.revision, peer: Some(settled.peer) })
        }
        Some(_) => Err(unknown_method(&method)),
        None => {
            check_meta(server, &method, params.as_deref()).map(|meta| Checked { meta, revision: VERSION, peer: None })
        }
    };
    let observed = Observed::begin(&method, &id, checked.as_ref().ok(), &principal);
    let answered = match checked {
        Ok(Checked { meta, peer, .. }) => {
            let (cancellation, outbound) = (cancellation.clone(), outbound.clone());
            let (span, params, observed) = (observed.span(), params.as_deref(), Some(&observed));
            let exchange =
                Exchange { server, id: &id, params, meta, principal, cancellation, outbound, peer, observed };
            // A subscription lasts, and there may be very many: it must not take the room that other methods need.
            let running: BoxFuture<'_, _> = match method.as_str() {
                method::SUBSCRIPTIONS_LISTEN => listen::listen(exchange),
                _ => Box::pin(route(&method, exchange)),
            };
            running.instrument(span).await
        }
        Err(stop) => Err(stop),
    };
    outbound.close();
    observed.end(&server.inner, &answered, cancellation.is_cancelled());
    let answered = match answered {
        Err(Stop::InputRequired(required)) => outcome::encode(&id, &required).map_err(Stop::from),
        answered => answered,
    };
    match answered {
        _ if cancellation.is_cancelled() => None,
        Err(Stop::Cancelled | Stop::InputRequired(_)) => None,
        Ok(frame) => Some(Answer { frame, status: Status::Answered }),
        Err(Stop::Failed(error, status)) => Some(Answer { frame: encode::error(Some(&id), error.object()), status }),
    }
}

async fn route(method: &str, exchange: Exchange<'_>) -> Result<Vec<u8>, Stop> {
    let inner = &exchange.server.inner;
    match method {
        method::DISCOVER => Ok(frozen(exchange.id, &inner.discover)?),
        method::TOOLS_LIST => {
            let cursor = ListParams::read(exchange.params)?.cursor;
            let page = inner.registry.now().list.page(cursor.as_deref(), |requirement| exchange.shows(requirement))?;
            Ok(frozen(exchange.id, &page)?)
        }
        method::TOOLS_CALL => tools_call(exchange).await,
        method::RESOURCES_READ => resources::resources_read(exchange).await,
        method::PROMPTS_GET => prompts::prompts_get(exchange).await,
        method::COMPLETION_COMPLETE => completion::completion_complete(exchange).await,
        #[cfg(feature = "tasks")]
        method::TASKS_GET | method::TASKS_UPDATE | method::TASKS_CANCEL => tasks::answer(method, exchange).await,
        _ => {
            let list = listing(method, inner).ok_or_else(|| unknown_method(method))?;
            let cursor = ListParams::read(exchange.params)?.cursor;
            Ok(frozen(exchange.id, &list.page(cursor.as_deref(), |requirement| exchange.shows(requirement))?)?)
        }
    }
}

/// The list that a method asks for.
fn listing<'a>(method: &str, server: &'a Inner) -> Option<&'a Listing> {
    match method {
        method::RESOURCES_LIST => server.resources.as_ref().map(|resources| &resources.list),
        method::RESOURCES_TEMPLATES_LIST => server.resources.as_ref().map(|resources| &resources.template_list),
        method::PROMPTS_LIST => server.prompts.as_ref().map(|prompts| &prompts.list),
        _ => None,
    }
}

/// What every request has to carry, whatever its method.
///
/// A version that isn't spoken here comes first (the method may belong to it), then the method, then what is missing.
///
/// spec: `basic/index#_meta`, `basic/versioning#protocol-version-negotiation`
fn check_meta(server: &Server, method: &str, params: Option<&RawValue>) -> Result<RequestMeta, Stop> {
    let refused = |error: ErrorObject| Stop::Failed(error.into(), Status::Refused);
    let meta = RequestMeta::read(params).map_err(refused);
    if method == INITIALIZE && !meta.as_ref().is_ok_and(|meta| meta.protocol_version.is_some()) {
        return Err(refused(unsupported_version(initialize_version(params).as_deref())));
    }
    let meta = meta?;
    if let Some(requested) = meta.protocol_version.as_deref()
        && requested != VERSION
    {
        return Err(refused(unsupported_version(Some(requested))));
    }
    if !is_known(method, &server.inner) {
        return Err(unknown_method(method));
    }
    meta.require().map_err(refused)?;
    Ok(meta)
}

/// What clients of older revisions begin with.
const INITIALIZE: &str = "initialize";

/// Methods of what the server doesn't declare are unknown to it.
fn is_known(method: &str, server: &Inner) -> bool {
    match method {
        method::DISCOVER | method::TOOLS_LIST | method::TOOLS_CALL => true,
        method::RESOURCES_READ => server.resources.is_some(),
        method::PROMPTS_GET => server.prompts.is_some(),
        method::COMPLETION_COMPLETE => server.completes,
        method::SUBSCRIPTIONS_LISTEN => server.hub.offers_anything() || server.has_tasks(),
        method::TASKS_GET | method::TASKS_UPDATE | method::TASKS_CANCEL => server.has_tasks(),
        _ => listing(method, server).is_some(),
    }
}

pub(super) fn unknown_method(method: &str) -> Stop {
    let message = format!("Method not found: {}", outcome::shown(method));
    Stop::Failed(ProtocolError::method_not_found(message), Status::NoMethod)
}

/// The version that a client of an older protocol asks for.
fn initialize_version(params: Option<&RawValue>) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Initialize {
        protocol_version: Option<String>,
    }
    serde_json::from_str::<Initialize>(params?.get()).ok()?.protocol_version
}

pub(crate) fn unsupported_version(requested: Option<&str>) -> ErrorObject {
    let mut error = ErrorObject::unsupported_version(requested.unwrap_or("unknown"), &[VERSION]);
    error.message = format!(
        "Unsupported protocol version: this server speaks {VERSION}, in which every request names its version in \
         `params._meta` and nothing is initialized."
    );
    error
}

fn frozen(id: &RequestId, result: &RawValue) -> Result<Vec<u8>, ProtocolError> {
    encode::result(id, result).map_err(|error| {
        tracing::error!(%error, "a result could not be encoded");
        ProtocolError::internal("the result could not be encoded")
    })
}

/// spec: `server/tools#calling-tools`
async fn tools_call(exchange: Exchange<'_>) -> Result<Vec<u8>, Stop> {
    let CallToolParams { name, arguments: raw, input_responses, request_state } =
        CallToolParams::read(exchange.params)?;
    let arguments = call_arguments(raw.as_deref())?;
    exchange.asked_for(&name);
    // Held to the end: the tool that was there when the call came, whatever becomes of the list.
    let entry = exchange.server.inner.registry.now().tool(&name, |requirement| exchange.shows(requirement))?;
    #[cfg(feature = "otel")]
    exchange.is_about(|| Target::Tool(entry.name.clone()));
    exchange.check_scopes("tool", &entry.name, &entry.requires)?;
    call::check_needs("tool", &entry.name, &entry.needs, &exchange.meta)?;
    let inputs = Inputs { responses: input_responses, state: request_state };
    #[cfg(feature = "tasks")]
    let as_task = as_task(&exchange, &entry)?;
    let state = inputs.state.clone();
    let asking = Asking::open(&exchange, method::TOOLS_CALL, name, raw, inputs)?;
    exchange.server.use_up(state.as_deref()).await?;
    let Exchange { server, id, meta, principal, cancellation, outbound, observed, .. } = exchange;
    let (id_of_call, closing) = (id.clone(), outbound.clone());
    let call = call::Request { arguments, id: id_of_call, meta, principal, cancellation, outbound, asking };
    #[cfg(feature = "tasks")]
    let result = match as_task {
        Some((tasks, support)) => match tasks::start(server, tasks, (entry, support), call).await? {
            Started::Task(task) => {
                let result = TaskResult::created(*task, Some(outcome::identity(&server.inner)));
                return Ok(outcome::encode(id, &result)?);
            }
            Started::Done(result) => result,
        },
        None => call::call(server, &entry, call).await?,
    };
    #[cfg(not(feature = "tasks"))]
    let result = call::call(server, &entry, call).await?;
    if let Some(observed) = observed {
        observed.returned(&result);
    }
    // Closed before the result is encoded: a function that runs on in the background must not report after it.
    closing.close();
    Ok(outcome::encode(id, &result)?)
}

/// Whether a call may become a task: what for, and how.
///
/// # Errors
/// -32021 where it has to, and the client doesn't know tasks.
///
/// spec: `extensions/tasks#capability-negotiation`
#[cfg(feature = "tasks")]
fn as_task<'a>(
    exchange: &Exchange<'a>,
    entry: &registry::Entry,
) -> Result<Option<(&'a tasks::Tasks, TaskSupport)>, ProtocolError> {
    let (Some(support), Some(tasks)) = (entry.task, &exchange.server.inner.tasks) else { return Ok(None) };
    // Clients of older revisions have other tasks, if any.
    if exchange.peer.is_none() && tasks::known_to(&exchange.meta) {
        return Ok(Some((tasks, support)));
    }
    match support.required {
        true => Err(tasks::unknown_to_client(&format!("The tool {}", entry.name))),
        false => Ok(None),
    }
}

/// Absent arguments, and `null`, are none.
fn call_arguments(arguments: Option<&RawValue>) -> Result<Map<String, Value>, ProtocolError> {
    arguments.map_or(Ok(Map::new()), |arguments| {
        serde_json::from_str(arguments.get()).map_err(|error| {
            ProtocolError::invalid_params(format!("Malformed tools/call: `arguments` can't be read: {error}"))
        })
    })
}

pub(super) fn not_an_object(arguments: &Value) -> ProtocolError {
    let found = match arguments {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    };
    ProtocolError::invalid_params(format!(
        "Malformed tools/call: `params.arguments` must be an object with the arguments by name, got {found}."
    ))
}

/// What a notification asks of the connection.
pub(crate) fn cancelled_request(params: Option<&RawValue>) -> Option<RequestId> {
    serde_json::from_str::<CancelledParams>(params?.get()).ok().map(|cancelled| cancelled.request_id)
}
