//! Stop 8, encode. in: a reply or a call; out: its bytes, one line without the line break; next: the transport's writer.

use std::fmt;

use memchr::memchr2;
use serde::Serialize;

use crate::strict::{self, StrictError};
use crate::{ErrorObject, RequestId};

/// Longer than most messages, so that these are written without growing.
const USUAL: usize = 512;

/// A message that can't be written as JSON.
#[derive(Debug)]
pub struct EncodeError {
    cause: StrictError,
}

impl EncodeError {
    /// JSON pointer, within `params` or `result`, to what can't be written.
    pub fn path(&self) -> &str {
        self.cause.path()
    }
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the message can't be written as JSON: {}", self.cause)
    }
}

impl std::error::Error for EncodeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.cause)
    }
}

impl From<StrictError> for EncodeError {
    fn from(cause: StrictError) -> Self {
        EncodeError { cause }
    }
}

/// The response to a request that succeeded, spec: basic/index#result-responses.
///
/// # Errors
///
/// If `result` holds NaN, an infinity or a map key that is no string.
pub fn result<T: Serialize + ?Sized>(id: &RequestId, result: &T) -> Result<Vec<u8>, EncodeError> {
    let mut line = Line::begin();
    line.id(id)?;
    line.member("result", result)?;
    Ok(line.end())
}

/// The response to a request that failed, spec: basic/index#error-responses. Without an id (the request's couldn't be
/// read) it has no member `id`.
pub fn error(id: Option<&RequestId>, error: &ErrorObject) -> Vec<u8> {
    let write = |error: &ErrorObject| {
        let mut line = Line::begin();
        if let Some(id) = id {
            line.id(id)?;
        }
        line.member("error", error)?;
        Ok::<_, StrictError>(line.end())
    };
    // `data` is a JSON value and so can be written; should it ever not be, an answer without it beats none.
    write(error)
        .or_else(|_| write(&ErrorObject { data: None, ..error.clone() }))
        .unwrap_or_else(|_| br#"{"jsonrpc":"2.0","error":{"code":-32603,"message":"Internal error"}}"#.to_vec())
}

/// A request. `params` is an object; every request of the protocol has one, for its `_meta`
/// ([`WithMeta`](crate::WithMeta)).
///
/// # Errors
///
/// If `params` holds NaN, an infinity or a map key that is no string.
pub fn request<T: Serialize + ?Sized>(
    id: &RequestId,
    method: &str,
    params: Option<&T>,
) -> Result<Vec<u8>, EncodeError> {
    let mut line = Line::begin();
    line.id(id)?;
    line.call(method, params)?;
    Ok(line.end())
}

/// A notification. Without parameters: `notification("notifications/tools/list_changed", None::<&()>)`.
///
/// # Errors
///
/// If `params` holds NaN, an infinity or a map key that is no string.
pub fn notification<T: Serialize + ?Sized>(method: &str, params: Option<&T>) -> Result<Vec<u8>, EncodeError> {
    let mut line = Line::begin();
    line.call(method, params)?;
    Ok(line.end())
}

/// A message that is being written.
struct Line {
    out: Vec<u8>,
}

impl Line {
    fn begin() -> Self {
        let mut out = Vec::with_capacity(USUAL);
        out.extend_from_slice(br#"{"jsonrpc":"2.0""#);
        Line { out }
    }

    fn id(&mut self, id: &RequestId) -> Result<(), StrictError> {
        self.member("id", id)
    }

    fn call<T: Serialize + ?Sized>(&mut self, method: &str, params: Option<&T>) -> Result<(), StrictError> {
        self.member("method", method)?;
        match params {
            Some(params) => self.member("params", params),
            None => Ok(()),
        }
    }

    fn member<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), StrictError> {
        self.out.extend_from_slice(b",\"");
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
        strict::write(value, &mut self.out)
    }

    fn end(mut self) -> Vec<u8> {
        self.out.push(b'}');
        // Raw values keep the space between their tokens; within strings line breaks are always escaped.
        let mut from = 0;
        while let Some(at) = self.out.get(from..).and_then(|rest| memchr2(b'\n', b'\r', rest)) {
            from += at;
            self.out[from] = b' ';
        }
        self.out
    }
}
