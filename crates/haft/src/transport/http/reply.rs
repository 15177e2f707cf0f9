//! Answers that are there in one piece.

use bytes::Bytes;
use haft_wire::{ErrorObject, RequestId, encode};
use http::header::{CACHE_CONTROL, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderValue, Response, StatusCode};

use super::{HttpBody, HttpOptions, admission, events};
use crate::server::{Answer, Status};

pub(super) fn empty(status: StatusCode) -> Response<HttpBody> {
    with(status, HttpBody::empty())
}

/// A JSON-RPC message.
pub(super) fn json(status: StatusCode, frame: impl Into<Bytes>) -> Response<HttpBody> {
    let mut answer = with(status, HttpBody::whole(frame));
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

/// A line for people.
pub(super) fn text(status: StatusCode, line: &'static str) -> Response<HttpBody> {
    let mut answer = with(status, HttpBody::whole(Bytes::from_static(line.as_bytes())));
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    answer
}

/// A JSON-RPC error, with the id of the request where that is known.
pub(super) fn error(status: StatusCode, id: Option<&RequestId>, error: &ErrorObject) -> Response<HttpBody> {
    json(status, encode::error(id, error))
}

/// A request that was refused before anybody read it as a message.
pub(super) fn refused(status: StatusCode, why: impl Into<String>) -> Response<HttpBody> {
    error(status, None, &ErrorObject::invalid_request(why))
}

/// The answer to a request, as JSON or as the only event of a stream.
pub(super) fn answer(answer: Answer, as_json: bool, options: &HttpOptions) -> Response<HttpBody> {
    let Answer { frame, status } = answer;
    let code = code(&status);
    let mut answer = if as_json { json(code, frame) } else { events::whole(code, &frame) };
    if let Status::Forbidden(forbidden) = &status {
        answer.headers_mut().insert(WWW_AUTHENTICATE, admission::forbidden(options, forbidden));
    }
    answer
}

/// spec: `basic/transports/streamable-http#protocol-version-header`, `basic/authorization#error-handling`
fn code(status: &Status) -> StatusCode {
    match status {
        Status::Answered => StatusCode::OK,
        Status::Refused => StatusCode::BAD_REQUEST,
        Status::NoMethod => StatusCode::NOT_FOUND,
        Status::Forbidden(forbidden) if forbidden.anonymous => StatusCode::UNAUTHORIZED,
        Status::Forbidden(_) => StatusCode::FORBIDDEN,
    }
}

fn with(status: StatusCode, body: HttpBody) -> Response<HttpBody> {
    let mut answer = Response::new(body);
    *answer.status_mut() = status;
    answer
}
