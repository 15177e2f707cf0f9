//! What a browser is told, so that the pages of allowed origins can call the server and read its answers.

use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
    ACCESS_CONTROL_REQUEST_METHOD, ORIGIN, VARY,
};
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode};

use super::HttpBody;
use super::reply;

/// What a page may send, besides the headers that begin with `mcp-`.
const ALLOWED: [&str; 7] =
    ["accept", "authorization", "baggage", "content-type", "last-event-id", "traceparent", "tracestate"];

/// Whether a browser asks if a page may call.
pub(super) fn is_preflight(method: &Method, headers: &HeaderMap) -> bool {
    method == Method::OPTIONS && headers.contains_key(ORIGIN) && headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

/// The answer to a browser that asks; the origin has been checked.
pub(super) fn preflight(asked: &HeaderMap) -> Response<HttpBody> {
    let mut answer = reply::empty(StatusCode::NO_CONTENT);
    let headers = answer.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("POST, GET, DELETE"));
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("7200"));
    headers.append(VARY, HeaderValue::from_static("access-control-request-headers"));
    // A `*` would not do for `Mcp-Param-*`, whose names are the tools' own: what is asked for is granted by name.
    let asked = asked.get_all(ACCESS_CONTROL_REQUEST_HEADERS).iter().filter_map(|value| value.to_str().ok());
    let granted: Vec<String> = asked
        .flat_map(|list| list.split(','))
        .map(|name| name.trim().to_ascii_lowercase())
        .filter(|name| ALLOWED.contains(&name.as_str()) || name.starts_with("mcp-"))
        .collect();
    if let Ok(granted) = HeaderValue::try_from(granted.join(", ")) {
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, granted);
    }
    answer
}

/// Lets the page that asked read the answer; its origin has been checked.
pub(super) fn open(answer: &mut Response<HttpBody>, origin: Option<HeaderValue>) {
    let headers = answer.headers_mut();
    headers.append(VARY, HeaderValue::from_static("origin"));
    let Some(origin) = origin else { return };
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static("www-authenticate, mcp-session-id"));
}
