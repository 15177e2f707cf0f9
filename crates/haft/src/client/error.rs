use std::fmt;

use crate::error::ProtocolError;

/// Why a request of a [`Client`](crate::Client) failed.
///
/// A tool that ran and failed is no `ClientError`: its result has `is_error`.
#[derive(Debug)]
pub struct ClientError {
    kind: ErrorKind,
    message: String,
}

/// The kinds of [`ClientError`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The server answered with a JSON-RPC error, such as -32602 for an unknown tool.
    Protocol(ProtocolError),
    /// No answer came in time; the request was cancelled.
    Timeout,
    /// The connection ended before the answer came.
    Closed,
    /// The server's process could not be started, or its end could not be learnt.
    Spawn,
    /// The server's answer breaks the protocol.
    InvalidResponse,
    /// The server asks for input, which this client doesn't give.
    InputRequired,
    /// The request could not be written as JSON.
    Encoding,
}

impl ClientError {
    pub(super) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// What kind of failure it is.
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }
}

impl From<ProtocolError> for ClientError {
    fn from(error: ProtocolError) -> Self {
        let message = format!("the server answered with an error: {error}");
        Self::new(ErrorKind::Protocol(error), message)
    }
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ClientError {}
