use futures_util::future::BoxFuture;
use serde_json::value::RawValue;

use super::Question;

/// Somebody at the other end who answers while the call waits.
pub(crate) trait Peer: Send + Sync {
    /// Puts one question. The future ends in any case: with an answer, or with the reason why there is none.
    fn ask(&self, question: Question) -> BoxFuture<'static, Given>;

    /// The client need not hold its connection until the answer is there: it may come back for it.
    fn let_go(&self) {}

    /// Whether the call is a task.
    #[cfg(feature = "tasks")]
    fn is_task(&self) -> bool {
        false
    }

    /// What there is to say of how far the call is, where that is kept.
    fn say(&self, _message: &str) {}
}

/// What became of a question.
#[derive(Debug, Clone)]
pub(crate) enum Given {
    /// The client's answer, whatever it says.
    Answer(Box<RawValue>),
    /// There is none, and why.
    Failed(String),
}
