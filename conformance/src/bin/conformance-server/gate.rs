//! A gate that calls wait at, so that a client can tell what it sees before they end.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use haft::prelude::*;
use tokio::sync::watch;

/// For the calls of one process.
#[derive(Clone)]
pub(crate) struct Gate {
    /// How often it was opened.
    opened: Arc<watch::Sender<u64>>,
    /// How many calls were cancelled while they waited.
    left: Arc<AtomicUsize>,
}

impl Gate {
    pub(crate) fn new() -> Self {
        Self { opened: Arc::new(watch::Sender::new(0)), left: Arc::default() }
    }
}

/// Counts a call that is cancelled.
struct Leaving<'a>(Option<&'a AtomicUsize>);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        if let Some(left) = self.0 {
            left.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[toolset]
impl Gate {
    /// Use this to wait until the gate was opened twice, and to hear of it.
    #[tool(read_only, closed_world)]
    async fn test_gate_pass(&self, context: Context) -> Result<&'static str, ToolError> {
        let mut leaving = Leaving(Some(&self.left));
        let mut opened = self.opened.subscribe();
        for progress in [1.0, 2.0] {
            context.progress(progress, Some(2.0));
            opened.changed().await.internal()?;
        }
        leaving.0 = None;
        Ok("Passed.")
    }

    /// Use this to open the gate. Returns how many calls waited.
    #[tool(additive, closed_world)]
    async fn test_gate_open(&self) -> String {
        let waiting = self.opened.receiver_count();
        self.opened.send_modify(|opened| *opened += 1);
        waiting.to_string()
    }

    /// Use this to see how many calls were cancelled while they waited.
    #[tool(read_only, closed_world)]
    async fn test_gate_left(&self) -> String {
        self.left.load(Ordering::Relaxed).to_string()
    }
}
