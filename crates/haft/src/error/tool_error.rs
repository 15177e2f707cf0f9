use std::any::Any;
use std::error::Error;
use std::fmt;
use std::io;

use super::ProtocolError;
use crate::server::AskError;

/// A failure for the **model**: a tool result with `isError: true` whose text says what to do next.
///
/// ```
/// use haft::ToolError;
///
/// fn find(id: &str) -> Result<&'static str, ToolError> {
///     match id {
///         "A-1001" => Ok("shipped"),
///         _ => Err(ToolError::new(format!("No order {id}. Ask the user to check the ID on their receipt."))),
///     }
/// }
/// # assert!(find("A-9999").is_err());
/// ```
///
/// Any [`std::error::Error`] turns into a `ToolError` through `?`, as an **internal** one: the operator's log has it in
/// full under an incident id, the model gets a short sentence with that id and nothing else. A [`ProtocolError`] that
/// passes through `?` stays a protocol error; an [`AskError`] tells the model what the user did. For `anyhow::Error` and boxed errors there is
/// [`ResultExt::internal`](crate::ResultExt::internal).
///
/// Like `anyhow::Error`, this type doesn't implement [`std::error::Error`]; that is what lets `?` take them all.
///
/// spec: `server/tools#error-handling`
pub struct ToolError {
    pub(crate) kind: Kind,
}

pub(crate) enum Kind {
    Model { text: String, code: Option<String> },
    Internal { source: Box<dyn Error + Send + Sync>, retry: bool },
    Protocol(ProtocolError),
}

impl ToolError {
    /// An error that the model reads, word for word.
    ///
    /// Say what is wrong and what to do about it: "Error 404" helps nobody.
    pub fn new(text: impl Into<String>) -> Self {
        Self { kind: Kind::Model { text: text.into(), code: None } }
    }

    /// An internal failure: `source` goes to the operator's log, never to the model.
    pub fn internal(source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        let source = source.into();
        let retry = is_transient(source.as_ref());
        Self { kind: Kind::Internal { source, retry } }
    }

    /// Adds a code that programs can branch on. It travels in the result's `_meta` under `dev.haft/code`; the model
    /// sees the text alone. Without effect on internal and protocol errors.
    #[must_use]
    pub fn code(mut self, value: impl Into<String>) -> Self {
        if let Kind::Model { code, .. } = &mut self.kind {
            *code = Some(value.into());
        }
        self
    }

    /// Says of an internal error whether calling again can help; the model is told.
    ///
    /// Unless said, it is taken from the error: time-outs and broken connections may pass, all else won't.
    #[must_use]
    pub fn retry(mut self, helps: bool) -> Self {
        if let Kind::Internal { retry, .. } = &mut self.kind {
            *retry = helps;
        }
        self
    }

    /// The text that a model would read, where this error is for the model.
    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Model { text, .. } => Some(text),
            Kind::Internal { .. } | Kind::Protocol(_) => None,
        }
    }
}

/// Whether the same call may succeed later: an I/O error of a passing kind anywhere in the chain.
pub(super) fn is_transient(error: &(dyn Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(io) = error.downcast_ref::<io::Error>() {
            use io::ErrorKind::{
                ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted, NotConnected, ResourceBusy,
                TimedOut, WouldBlock,
            };
            return matches!(
                io.kind(),
                ConnectionAborted
                    | ConnectionRefused
                    | ConnectionReset
                    | Interrupted
                    | NotConnected
                    | ResourceBusy
                    | TimedOut
                    | WouldBlock
            );
        }
        next = error.source();
    }
    false
}

impl<E: Error + Send + Sync + 'static> From<E> for ToolError {
    fn from(error: E) -> Self {
        let any: &dyn Any = &error;
        if let Some(protocol) = any.downcast_ref::<ProtocolError>() {
            return Self { kind: Kind::Protocol(protocol.clone()) };
        }
        match any.downcast_ref::<AskError>() {
            Some(unanswered) => unanswered.clone().into_tool_error(),
            None => Self::internal(error),
        }
    }
}

impl fmt::Debug for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Model { text, code } => f.debug_struct("ToolError").field("text", text).field("code", code).finish(),
            Kind::Internal { source, retry } => {
                f.debug_struct("ToolError").field("internal", source).field("retry", retry).finish()
            }
            Kind::Protocol(error) => f.debug_struct("ToolError").field("protocol", error).finish(),
        }
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Model { text, .. } => f.write_str(text),
            Kind::Internal { source, .. } => write!(f, "internal error: {source}"),
            Kind::Protocol(error) => error.fmt(f),
        }
    }
}

/// An error type of your own as the `E` of a tool's `Result<T, E>`.
///
/// ```
/// use haft::{IntoToolError, ToolError};
///
/// enum CancelError {
///     Shipped(String),
/// }
///
/// impl IntoToolError for CancelError {
///     fn into_tool_error(self) -> ToolError {
///         match self {
///             Self::Shipped(id) => {
///                 ToolError::new(format!("{id} has already shipped. Offer a return instead.")).code("shipped")
///             }
///         }
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of a tool",
    label = "not an error that a tool may return",
    note = "return `Result<_, ToolError>` and use `?`: any `std::error::Error` becomes an internal `ToolError`",
    note = "or implement `haft::IntoToolError` for `{Self}`"
)]
pub trait IntoToolError {
    /// What the model (or the client, or the operator) gets.
    fn into_tool_error(self) -> ToolError;
}

impl IntoToolError for ToolError {
    fn into_tool_error(self) -> ToolError {
        self
    }
}

impl IntoToolError for ProtocolError {
    fn into_tool_error(self) -> ToolError {
        ToolError { kind: Kind::Protocol(self) }
    }
}

impl IntoToolError for std::convert::Infallible {
    fn into_tool_error(self) -> ToolError {
        match self {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_protocol_error_passes_through_the_question_mark_unchanged() {
        fn tool() -> Result<(), ToolError> {
            Err(ProtocolError::invalid_params("no"))?;
            Ok(())
        }
        let Err(ToolError { kind: Kind::Protocol(error) }) = tool() else { panic!("not a protocol error") };
        assert_eq!((error.code(), error.message()), (-32602, "no"));
    }

    #[test]
    fn a_timeout_deep_in_the_chain_may_be_retried_and_a_missing_file_may_not() {
        #[derive(Debug)]
        struct Outer(io::Error);
        impl fmt::Display for Outer {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("outer")
            }
        }
        impl Error for Outer {
            fn source(&self) -> Option<&(dyn Error + 'static)> {
                Some(&self.0)
            }
        }
        for (kind, expected) in [(io::ErrorKind::TimedOut, true), (io::ErrorKind::NotFound, false)] {
            let Kind::Internal { retry, .. } = ToolError::from(Outer(kind.into())).kind else { panic!() };
            assert_eq!(retry, expected, "{kind:?}");
        }
    }
}
