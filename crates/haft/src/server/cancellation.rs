use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// One request's "stop": set once, seen by every clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cancellation {
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    cancelled: AtomicBool,
    expired: AtomicBool,
    ending: AtomicBool,
    waiting: Notify,
}

impl Cancellation {
    /// The client gave up: nothing more goes out.
    pub(crate) fn cancel(&self) {
        self.state.set(&self.state.cancelled);
    }

    /// The call's time is over: it is answered, and nobody waits for what still runs.
    pub(crate) fn expire(&self) {
        self.state.set(&self.state.expired);
    }

    /// The connection is coming to its end: what would go on for ever ends now, as it should. Calls don't mind.
    pub(crate) fn end(&self) {
        self.state.set(&self.state.ending);
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.state.cancelled.load(Ordering::Acquire)
    }

    pub(crate) async fn cancelled(&self) {
        self.state.wait_until(|| self.is_cancelled()).await;
    }

    /// Whether nobody waits for the call any more.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.is_cancelled() || self.state.expired.load(Ordering::Acquire)
    }

    pub(crate) async fn abandoned(&self) {
        self.state.wait_until(|| self.is_abandoned()).await;
    }

    /// Cancelled, or at the end of the connection.
    pub(crate) async fn stopped(&self) {
        self.state.wait_until(|| self.is_cancelled() || self.state.ending.load(Ordering::Acquire)).await;
    }
}

impl State {
    fn set(&self, flag: &AtomicBool) {
        flag.store(true, Ordering::Release);
        self.waiting.notify_waiters();
    }

    async fn wait_until(&self, done: impl Fn() -> bool) {
        loop {
            let mut notified = std::pin::pin!(self.waiting.notified());
            // Registered before the flags are read: one that is set between the two is not missed.
            notified.as_mut().enable();
            if done() {
                return;
            }
            notified.await;
        }
    }
}
