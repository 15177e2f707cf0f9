use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context as Cx, Poll};

use haft_wire::ErrorObject;

use super::Asking;
use super::question::{Needs, Question, Read};
use crate::error::{IntoToolError, ProtocolError, ToolError};

/// A question on its way to the client: await it, alone or joined with others.
///
/// Made by [`Context::ask`](crate::Context::ask) and its kin. It must be awaited by the call's own future; in a task of
/// its own or on another thread it is an [`AskErrorKind::Misused`].
#[must_use = "a question is asked when it is awaited"]
pub struct Ask<T> {
    asking: Asking,
    question: Result<Question, AskError>,
    read: Read<T>,
}

impl<T> Ask<T> {
    pub(super) fn new(asking: &Asking, question: Result<Question, AskError>, read: Read<T>) -> Self {
        Self { asking: asking.clone(), question, read }
    }
}

impl<T> Future for Ask<T> {
    type Output = Result<T, AskError>;

    fn poll(self: Pin<&mut Self>, _: &mut Cx<'_>) -> Poll<Self::Output> {
        let question = match &self.question {
            Ok(question) => question,
            Err(error) => return Poll::Ready(Err(error.clone())),
        };
        if !self.asking.is_polled() {
            let what = "it is awaited outside the call's own future, in a task or on a thread of its own";
            return Poll::Ready(Err(AskError::new(&question.key, AskErrorKind::Misused, what)));
        }
        // A question without an answer leaves no waker: the round ends, and the future with it.
        self.asking.put(question, self.read)
    }
}

impl<T> fmt::Debug for Ask<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ask").field("question", &self.question).finish_non_exhaustive()
    }
}

/// Why a question has no answer, and never because it still waits for one.
///
/// Through `?` it becomes a [`ToolError`] that tells the model what the user did; a client that can't be asked gets
/// -32021 with the capability that it lacks.
#[derive(Debug, Clone)]
pub struct AskError {
    key: String,
    kind: AskErrorKind,
    detail: String,
    needs: Option<Needs>,
}

/// What kind of [`AskError`] it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AskErrorKind {
    /// The user said no.
    Declined,
    /// The user closed the question without an answer.
    Cancelled,
    /// The client doesn't declare the capability that the question needs.
    Unsupported,
    /// The client was asked and gave no answer that can be read: it failed, is gone, or took too long.
    Failed,
    /// The code that asks is wrong: an invalid URL, a state that isn't JSON, or a question outside the call.
    Misused,
}

impl AskError {
    pub(super) fn new(key: impl Into<String>, kind: AskErrorKind, detail: impl Into<String>) -> Self {
        Self { key: key.into(), kind, detail: detail.into(), needs: None }
    }

    pub(super) fn unsupported(key: &str, needs: Needs) -> Self {
        Self { needs: Some(needs), ..Self::new(key, AskErrorKind::Unsupported, "") }
    }

    /// The key of the question.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// What kind of error it is.
    pub fn kind(&self) -> AskErrorKind {
        self.kind
    }
}

impl fmt::Display for AskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, detail, .. } = self;
        match self.kind {
            AskErrorKind::Declined => write!(f, "the user declined to answer {key:?}"),
            AskErrorKind::Cancelled => write!(f, "the user closed {key:?} without an answer"),
            AskErrorKind::Unsupported => write!(f, "the client cannot be asked {key:?}: it lacks {}", self.lacks()),
            AskErrorKind::Failed => write!(f, "the question {key:?} has no answer: {detail}"),
            AskErrorKind::Misused => write!(f, "the question {key:?} cannot be asked: {detail}"),
        }
    }
}

impl std::error::Error for AskError {}

impl AskError {
    fn lacks(&self) -> &'static str {
        self.needs.map_or("a capability", Needs::name)
    }

    /// What a model is told of it, where that is for the model to know.
    fn for_model(&self) -> Option<(String, &'static str)> {
        let key = &self.key;
        match self.kind {
            AskErrorKind::Declined => Some((
                format!(
                    "The user declined to answer a question ({key}) without which this call can't go on. \
                     Don't call again for the same unless the user asks for it."
                ),
                "declined",
            )),
            AskErrorKind::Cancelled => Some((
                format!(
                    "The user closed a question ({key}) without an answer, and this call can't go on without it. \
                     Ask whether to go on before you call again."
                ),
                "cancelled",
            )),
            AskErrorKind::Failed => Some((
                format!(
                    "A question ({key}) without which this call can't go on was not answered: {}. \
                     Ask the user whether to try again.",
                    self.detail
                ),
                "unanswered",
            )),
            AskErrorKind::Unsupported | AskErrorKind::Misused => None,
        }
    }
}

impl IntoToolError for AskError {
    /// spec: `basic/patterns/mrtr#server-requirements-basic-workflow`, `basic/index#error-codes`
    fn into_tool_error(self) -> ToolError {
        if let Some((text, code)) = self.for_model() {
            return ToolError::new(text).code(code);
        }
        match self.needs {
            Some(needs) => {
                let message = format!("This request needs a client with the capability {}.", needs.name());
                ProtocolError::from(ErrorObject::missing_capability(message, &needs.as_capabilities()))
                    .into_tool_error()
            }
            None => ToolError::internal(self.to_string()),
        }
    }
}
