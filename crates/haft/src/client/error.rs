use std::fmt;

use crate::error::ProtocolError;

/// Characters of an error's text: part of it may be a server's.
const LONGEST: usize = 4_000;

/// Why a request of a [`Client`](crate::Client) failed.
///
/// A tool that ran and failed is no `ClientError`: its result has `is_error`. What a server said is part of the text, as it
/// said it and at most 4,000 characters in all: escape it before a person sees it.
#[derive(Debug)]
pub struct ClientError {
    kind: ErrorKind,
    message: String,
}

/// The kinds of [`ClientError`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The server answered with a JSON-RPC error.
    Protocol(ProtocolError),
    /// The server has no such tool, in whichever of the two forms it said so.
    UnknownTool,
    /// The arguments break the tool's input schema, and nothing was sent
    /// ([`CheckArguments::Enforce`](crate::CheckArguments::Enforce)).
    InvalidArguments,
    /// No answer came in time; the request was cancelled.
    Timeout,
    /// The connection ended before the answer came.
    Closed,
    /// The server has ended the session, and opened no other.
    SessionOver,
    /// The server's process could not be started, or its end could not be learnt.
    Spawn,
    /// The server could not be reached.
    Connect,
    /// The server answered with this HTTP status, and without a message.
    Http(u16),
    /// The server wants authorization that this client doesn't have.
    Unauthorized,
    /// The server and this client have no revision of the protocol in common.
    Version,
    /// The server's answer breaks the protocol.
    InvalidResponse,
    /// The server asks for input, which this client doesn't give.
    InputRequired,
    /// The server asked again and again.
    TooManyRounds,
    /// The request could not be written as JSON.
    Encoding,
    /// The task that the call had become was stopped before it had a result.
    Cancelled,
}

impl ClientError {
    pub(super) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let mut message = message.into();
        if let Some((end, _)) = message.char_indices().nth(LONGEST) {
            message.truncate(end);
            message.push('…');
        }
        Self { kind, message }
    }

    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::InvalidResponse, message)
    }

    pub(super) fn unknown_result(method: &str, kind: &str) -> Self {
        Self::invalid(format!("the result of {method} has the unknown resultType {kind:?}"))
    }

    /// What kind of failure it is.
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// The code of the JSON-RPC error that the server answered with, if it did.
    pub(super) fn code(&self) -> Option<i64> {
        match &self.kind {
            ErrorKind::Protocol(error) => Some(error.code()),
            _ => None,
        }
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
