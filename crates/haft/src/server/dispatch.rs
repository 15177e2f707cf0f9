//! Stop 3, dispatch. in: a request; out: its answer's bytes, by way of its method; next: `server/registry`.

use std::time::Instant;

use haft_wire::{
    CallToolParams, CancelledParams, ErrorObject, ListParams, Request, RequestId, RequestMeta, VERSION, encode, method,
};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::cancellation::Cancellation;
use super::outbound::Outbound;
use super::{EmptyLists, Server, call, outcome};
use crate::error::ProtocolError;

/// Answers one request. `None` when it was cancelled: then nothing more goes out for it.
///
/// `outbound` is closed in any case, so that nothing can follow the answer.
pub(crate) async fn answer(
    server: &Server,
    request: Request,
    cancellation: Cancellation,
    outbound: Outbound,
) -> Option<Vec<u8>> {
    let Request { id, method, params } = request;
    let started = Instant::now();
    let answer = route(server, &id, &method, params.as_deref(), cancellation.clone(), outbound.clone()).await;
    outbound.close();
    if cancellation.is_cancelled() {
        tracing::debug!(%id, method, "cancelled");
        return None;
    }
    let answer = answer?;
    tracing::debug!(%id, method, ok = answer.is_ok(), elapsed = ?started.elapsed(), "answered");
    Some(match answer {
        Ok(frame) => frame,
        Err(error) => encode::error(Some(&id), error.object()),
    })
}

async fn route(
    server: &Server,
    id: &RequestId,
    method: &str,
    params: Option<&RawValue>,
    cancellation: Cancellation,
    outbound: Outbound,
) -> Option<Result<Vec<u8>, ProtocolError>> {
    let inner = &server.inner;
    let meta = match check_meta(method, inner.resources.is_some(), params) {
        Ok(meta) => meta,
        Err(error) => return Some(Err(error)),
    };
    Some(match method {
        method::DISCOVER => frozen(id, &inner.discover),
        method::TOOLS_LIST => {
            cursor(params).and_then(|cursor| inner.registry.page(cursor.as_deref())).and_then(|page| frozen(id, page))
        }
        method::TOOLS_CALL => return tools_call(server, id, params, meta, cancellation, outbound).await,
        _ => match &inner.resources {
            Some(resources) => no_resources(id, method, params, resources),
            None => Err(unknown_method(method)),
        },
    })
}

/// A server whose tools embed resources declares the capability, and has nothing to list or read.
fn no_resources(
    id: &RequestId,
    method: &str,
    params: Option<&RawValue>,
    lists: &EmptyLists,
) -> Result<Vec<u8>, ProtocolError> {
    match method {
        method::RESOURCES_LIST => no_cursor(params).and_then(|()| frozen(id, &lists.resources)),
        method::RESOURCES_TEMPLATES_LIST => no_cursor(params).and_then(|()| frozen(id, &lists.templates)),
        _ => Err(ProtocolError::invalid_params(
            "Resource not found: this server has none to read; those that its tools embed come with their results.",
        )),
    }
}

/// What every request has to carry, whatever its method.
///
/// A version that isn't spoken here comes first (the method may belong to it), then the method, then what is missing.
///
/// spec: `basic/index#_meta`, `basic/versioning#protocol-version-negotiation`
fn check_meta(method: &str, resources: bool, params: Option<&RawValue>) -> Result<RequestMeta, ProtocolError> {
    if method == INITIALIZE {
        return Err(unsupported_version(initialize_version(params).as_deref()));
    }
    let meta = RequestMeta::read(params)?;
    if let Some(requested) = meta.protocol_version.as_deref()
        && requested != VERSION
    {
        return Err(unsupported_version(Some(requested)));
    }
    if !is_known(method, resources) {
        return Err(unknown_method(method));
    }
    meta.require()?;
    Ok(meta)
}

/// What clients of older revisions begin with.
const INITIALIZE: &str = "initialize";

fn is_known(method: &str, resources: bool) -> bool {
    match method {
        method::DISCOVER | method::TOOLS_LIST | method::TOOLS_CALL => true,
        method::RESOURCES_LIST | method::RESOURCES_TEMPLATES_LIST | method::RESOURCES_READ => resources,
        _ => false,
    }
}

fn unknown_method(method: &str) -> ProtocolError {
    let shown: String = method.chars().take(128).flat_map(char::escape_debug).collect();
    ProtocolError::method_not_found(format!("Method not found: {shown}"))
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

fn unsupported_version(requested: Option<&str>) -> ProtocolError {
    let mut error = ErrorObject::unsupported_version(requested.unwrap_or("unknown"), &[VERSION]);
    error.message = format!(
        "Unsupported protocol version: this server speaks {VERSION}, in which every request names its version in \
         `params._meta` and nothing is initialized."
    );
    error.into()
}

fn frozen(id: &RequestId, result: &RawValue) -> Result<Vec<u8>, ProtocolError> {
    encode::result(id, result).map_err(|error| {
        tracing::error!(%error, "a result could not be encoded");
        ProtocolError::internal("the result could not be encoded")
    })
}

/// The cursor of a list request. An empty one is a cursor.
fn cursor(params: Option<&RawValue>) -> Result<Option<String>, ProtocolError> {
    Ok(ListParams::read(params)?.cursor)
}

fn no_cursor(params: Option<&RawValue>) -> Result<(), ProtocolError> {
    match cursor(params)? {
        None => Ok(()),
        Some(_) => Err(ProtocolError::invalid_params("Invalid cursor: this list has one page only.")),
    }
}

/// spec: `server/tools#calling-tools`
async fn tools_call(
    server: &Server,
    id: &RequestId,
    params: Option<&RawValue>,
    meta: RequestMeta,
    cancellation: Cancellation,
    outbound: Outbound,
) -> Option<Result<Vec<u8>, ProtocolError>> {
    let found = call_params(params)
        .and_then(|(name, arguments)| Ok((server.inner.registry.tool(&name)?, arguments)))
        .and_then(|(entry, arguments)| call::check_needs(entry, &meta).map(|()| (entry, arguments)));
    let (entry, arguments) = match found {
        Ok(found) => found,
        Err(error) => return Some(Err(error)),
    };
    let request = call::Request { arguments, id: id.clone(), meta, cancellation, outbound: outbound.clone() };
    let result = call::call(server, entry, request).await?;
    // Closed before the result is encoded: a function that runs on in the background must not report after it.
    outbound.close();
    Some(result.and_then(|result| outcome::encode(id, &result)))
}

/// The tool's name and the arguments; absent arguments, and `null`, are none.
fn call_params(params: Option<&RawValue>) -> Result<(String, Map<String, Value>), ProtocolError> {
    let CallToolParams { name, arguments, request_state, .. } = CallToolParams::read(params)?;
    if request_state.is_some() {
        return Err(ProtocolError::invalid_params(
            "Invalid `requestState`: this server gave none. Send the call without it.",
        ));
    }
    let arguments = match arguments {
        None => Map::new(),
        Some(arguments) => serde_json::from_str(arguments.get()).map_err(|error| {
            ProtocolError::invalid_params(format!("Malformed tools/call: `arguments` can't be read: {error}"))
        })?,
    };
    Ok((name, arguments))
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
