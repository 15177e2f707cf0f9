use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{code, fields, order};

/// The error of a response, spec: basic/index#error-responses.
///
/// It speaks to the program at the other end, not to a model: what a model can put right is a tool result with
/// `isError`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ErrorObject {
    /// One of [`code`], or a code of the application outside of -32768..=-32000.
    pub code: i64,
    /// One sentence for a person who reads a log.
    pub message: String,
    /// More of it, for programs.
    #[serde(
        default,
        deserialize_with = "fields::present",
        serialize_with = "order::optional_value",
        skip_serializing_if = "Option::is_none"
    )]
    pub data: Option<Value>,
}

impl ErrorObject {
    /// An error without `data`.
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        ErrorObject { code, message: message.into(), data: None }
    }

    /// The same error with `data`.
    pub fn with_data(mut self, data: impl Into<Value>) -> Self {
        self.data = Some(data.into());
        self
    }

    /// -32700: the frame is not JSON.
    pub fn parse_error(message: impl Into<String>) -> Self {
        Self::new(code::PARSE_ERROR, message)
    }

    /// -32600: the frame is JSON, but not a message.
    pub fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(code::INVALID_REQUEST, message)
    }

    /// -32601: no such method.
    pub fn method_not_found(method: &str) -> Self {
        Self::new(code::METHOD_NOT_FOUND, format!("Method not found: {}", fields::quoted(method)))
    }

    /// -32602: parameters that the method doesn't take.
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(code::INVALID_PARAMS, message)
    }

    /// -32603: the receiver failed.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(code::INTERNAL_ERROR, message)
    }

    /// -32020: a header says something else than the body.
    pub fn header_mismatch(message: impl Into<String>) -> Self {
        Self::new(code::HEADER_MISMATCH, message)
    }
}

impl fmt::Display for ErrorObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (code {})", self.message, self.code)
    }
}

impl std::error::Error for ErrorObject {}

/// A message of the other side doesn't have the shape that the protocol gives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadError {
    message: String,
}

impl ReadError {
    pub(crate) fn new(what: &str, cause: impl fmt::Display) -> Self {
        ReadError { message: format!("{what}: {cause}") }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ReadError {}
