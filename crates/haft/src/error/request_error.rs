use std::any::Any;
use std::error::Error;
use std::fmt;

use super::tool_error::{self, is_transient};
use super::{IntoToolError, ProtocolError, ToolError};
use crate::server::AskError;

/// Why a resource could not be read, a prompt not filled in, an argument not completed: a JSON-RPC error for the
/// **client**, or an internal failure.
///
/// Any [`std::error::Error`] turns into one through `?`, as an **internal** error: the operator's log has it in full
/// under an incident id, the client gets -32603 with that id and nothing else. A [`ProtocolError`] that passes through
/// `?` stays what it is, and so does a [`ToolError`], whose text for the model becomes the message of a -32602.
///
/// ```
/// use haft::prelude::*;
///
/// fn note(id: u32) -> Result<&'static str, RequestError> {
///     match id {
///         1 => Ok("Buy milk."),
///         _ => Err(RequestError::not_found()),
///     }
/// }
/// # assert!(note(2).is_err());
/// ```
///
/// spec: `server/resources#error-handling`, `server/prompts#error-handling`
pub struct RequestError {
    pub(crate) kind: RequestErrorKind,
}

pub(crate) enum RequestErrorKind {
    NotFound,
    Argument { name: String, reason: String },
    Protocol(ProtocolError),
    Internal { source: Box<dyn Error + Send + Sync>, retry: bool },
}

impl RequestError {
    /// There is no such resource: -32602, with the URI that was asked for in `data`.
    pub fn not_found() -> Self {
        Self { kind: RequestErrorKind::NotFound }
    }

    /// The request can't be met as it is: -32602 with this message.
    pub fn invalid(message: impl Into<String>) -> Self {
        ProtocolError::invalid_params(message).into()
    }

    /// The value of this argument won't do, and why: -32602. Of a template's variable it means that there is no such
    /// resource.
    ///
    /// `reason` goes on from the name, as in "must be a number".
    pub fn argument(name: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { kind: RequestErrorKind::Argument { name: name.into(), reason: reason.into() } }
    }

    /// An internal failure: `source` goes to the operator's log, never to the client.
    pub fn internal(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        let source = source.into();
        let retry = is_transient(source.as_ref());
        Self { kind: RequestErrorKind::Internal { source, retry } }
    }
}

impl<E: Error + Send + Sync + 'static> From<E> for RequestError {
    fn from(error: E) -> Self {
        let any: &dyn Any = &error;
        if let Some(protocol) = any.downcast_ref::<ProtocolError>() {
            return Self { kind: RequestErrorKind::Protocol(protocol.clone()) };
        }
        match any.downcast_ref::<AskError>() {
            Some(unanswered) => unanswered.clone().into_tool_error().into(),
            None => Self::internal(error),
        }
    }
}

impl From<ToolError> for RequestError {
    fn from(error: ToolError) -> Self {
        match error.kind {
            tool_error::Kind::Model { text, .. } => Self::invalid(text),
            tool_error::Kind::Internal { source, retry } => Self { kind: RequestErrorKind::Internal { source, retry } },
            tool_error::Kind::Protocol(error) => error.into(),
        }
    }
}

impl fmt::Debug for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            RequestErrorKind::NotFound => f.write_str("RequestError(not found)"),
            RequestErrorKind::Argument { name, reason } => {
                f.debug_struct("RequestError").field("argument", name).field("reason", reason).finish()
            }
            RequestErrorKind::Protocol(error) => f.debug_struct("RequestError").field("protocol", error).finish(),
            RequestErrorKind::Internal { source, retry } => {
                f.debug_struct("RequestError").field("internal", source).field("retry", retry).finish()
            }
        }
    }
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            RequestErrorKind::NotFound => f.write_str("not found"),
            RequestErrorKind::Argument { name, reason } => write!(f, "`{name}` {reason}"),
            RequestErrorKind::Protocol(error) => error.fmt(f),
            RequestErrorKind::Internal { source, .. } => write!(f, "internal error: {source}"),
        }
    }
}

/// An error type of your own as the `E` of what a reader, a prompt or a completer returns.
///
/// ```
/// use haft::{IntoRequestError, RequestError};
///
/// enum NoteError {
///     Gone,
/// }
///
/// impl IntoRequestError for NoteError {
///     fn into_request_error(self) -> RequestError {
///         match self {
///             Self::Gone => RequestError::not_found(),
///         }
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of a resource, prompt or completion",
    label = "not an error that such a function may return",
    note = "return `Result<_, RequestError>` and use `?`: any `std::error::Error` becomes an internal `RequestError`",
    note = "or implement `haft::IntoRequestError` for `{Self}`"
)]
pub trait IntoRequestError {
    /// What the client (or the operator) gets.
    fn into_request_error(self) -> RequestError;
}

impl IntoRequestError for RequestError {
    fn into_request_error(self) -> RequestError {
        self
    }
}

impl IntoRequestError for ToolError {
    fn into_request_error(self) -> RequestError {
        self.into()
    }
}

impl IntoRequestError for ProtocolError {
    fn into_request_error(self) -> RequestError {
        self.into()
    }
}

impl IntoRequestError for std::convert::Infallible {
    fn into_request_error(self) -> RequestError {
        match self {}
    }
}
