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
    waiting: Notify,
}

impl Cancellation {
    pub(crate) fn cancel(&self) {
        self.state.cancelled.store(true, Ordering::Release);
        self.state.waiting.notify_waiters();
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.state.cancelled.load(Ordering::Acquire)
    }

    pub(crate) async fn cancelled(&self) {
        let mut notified = std::pin::pin!(self.state.waiting.notified());
        // Registered before the flag is read: a `cancel` between the two is not missed.
        notified.as_mut().enable();
        if !self.is_cancelled() {
            notified.await;
        }
    }
}
