use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use haft_store::{MAX_PAGE, MemoryStore, Store};

use crate::tool::TaskSupport;

/// Where a server keeps its tasks, and what they may take: see [`ServerBuilder::tasks`](crate::ServerBuilder::tasks).
#[derive(Clone)]
pub struct TaskOptions {
    store: Option<Arc<dyn Store>>,
    pub(super) ttl: Duration,
    max_ttl: Duration,
    pub(super) poll_interval: Duration,
    pub(super) max_per_caller: usize,
    pub(super) max_running: usize,
    pub(super) lease: Duration,
}

impl Default for TaskOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl TaskOptions {
    /// In memory, each for an hour.
    pub fn new() -> Self {
        Self {
            store: None,
            ttl: Duration::from_secs(3600),
            max_ttl: Duration::from_secs(24 * 3600),
            poll_interval: Duration::from_secs(1),
            max_per_caller: 256,
            max_running: 1024,
            lease: Duration::from_secs(30),
        }
    }

    /// Where tasks are kept. In memory unless set: they end with the process. Processes that answer for one another
    /// share a store.
    #[must_use]
    pub fn store_in(mut self, store: Arc<dyn Store>) -> Self {
        self.store = Some(store);
        self
    }

    /// For how long a task is kept whose tool says nothing of it, from its beginning on. One hour unless set.
    #[must_use]
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.ttl = ttl;
        self
    }

    /// The longest that any tool's tasks may be kept; a tool that says more is a problem of `build`. A day unless set.
    #[must_use]
    pub fn max_ttl(mut self, ttl: Duration) -> Self {
        self.max_ttl = ttl;
        self
    }

    /// How often clients are asked to ask, where the tool says nothing of it. Once a second unless set.
    #[must_use]
    pub fn poll_interval(mut self, interval: Duration) -> Self {
        self.poll_interval = interval;
        self
    }

    /// How many tasks one caller may have, those included that are done and not yet over. 256 unless set, at most 1,000.
    /// Anonymous callers count as one. A call beyond it isn't run, and the model is told.
    #[must_use]
    pub fn max_per_caller(mut self, tasks: usize) -> Self {
        self.max_per_caller = tasks.clamp(1, MAX_PAGE);
        self
    }

    /// How many tasks run in this process at once. 1,024 unless set, at least 1. A call beyond it isn't run, and the model
    /// is told.
    #[must_use]
    pub fn max_running(mut self, tasks: usize) -> Self {
        self.max_running = tasks.max(1);
        self
    }

    /// For how long a process that runs a task may be silent before it counts as dead. 30 s unless set, at least 100 ms.
    #[must_use]
    pub fn lease(mut self, lease: Duration) -> Self {
        self.lease = lease.max(Duration::from_millis(100));
        self
    }

    /// The store; a new one in memory unless there is one.
    pub(super) fn store(&self) -> Arc<dyn Store> {
        self.store.clone().unwrap_or_else(|| Arc::new(MemoryStore::new()))
    }

    pub(super) fn ttl_of(&self, support: &TaskSupport) -> Duration {
        support.ttl.unwrap_or(self.ttl).min(self.max_ttl)
    }

    pub(super) fn poll_interval_of(&self, support: &TaskSupport) -> Duration {
        support.poll_interval.unwrap_or(self.poll_interval)
    }

    /// What a tool can't mean by what it says of tasks.
    pub(in crate::server) fn problems(&self, support: &TaskSupport) -> Vec<String> {
        let mut problems = Vec::new();
        let (ttl, interval) = (support.ttl.unwrap_or(self.ttl), self.poll_interval_of(support));
        if ttl < Duration::from_millis(1) {
            problems.push(
                "its tasks are kept for no time at all; give them a `ttl` that leaves time to fetch the result"
                    .to_owned(),
            );
        }
        if support.ttl.is_some() && ttl > self.max_ttl {
            problems.push(format!(
                "its tasks would be kept for {ttl:?}, and this server keeps none longer than {:?}; say less, or raise \
                 `TaskOptions::max_ttl`",
                self.max_ttl
            ));
        }
        if interval < Duration::from_millis(1) {
            problems
                .push("its tasks would be asked for without a pause; give them a `poll` of at least 1 ms".to_owned());
        }
        problems
    }
}

impl fmt::Debug for TaskOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskOptions").field("ttl", &self.ttl).field("lease", &self.lease).finish_non_exhaustive()
    }
}
