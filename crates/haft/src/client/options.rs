use std::fmt;
use std::time::Duration;

use haft_wire::ProgressParams;

use super::inbound::OnProgress;

/// How one request is made.
#[derive(Default)]
pub struct CallOptions {
    pub(super) timeout: Option<Duration>,
    pub(super) idle: Option<Duration>,
    pub(super) progress: Option<OnProgress>,
}

impl CallOptions {
    /// How long to wait for the result, in all; the client's own timeout unless set. The call is cancelled then.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// How long the server may be silent: progress begins this time anew, but not the one of
    /// [`timeout`](CallOptions::timeout). Asks for progress.
    #[must_use]
    pub fn idle_timeout(mut self, timeout: Duration) -> Self {
        self.idle = Some(timeout);
        self
    }

    /// Asks for progress, and what to do with it. The function must not block.
    #[must_use]
    pub fn on_progress(mut self, callback: impl FnMut(ProgressParams) + Send + 'static) -> Self {
        self.progress = Some(Box::new(callback));
        self
    }

    pub(super) fn wants_progress(&self) -> bool {
        self.progress.is_some() || self.idle.is_some()
    }
}

impl fmt::Debug for CallOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallOptions").field("timeout", &self.timeout).field("idle", &self.idle).finish_non_exhaustive()
    }
}
