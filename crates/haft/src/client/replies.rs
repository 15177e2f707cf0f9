use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use haft_wire::Request;
use tokio::task::JoinSet;

/// Requests of a server's own that are answered side by side.
const MOST: usize = 32;
/// Bytes of their parameters; one may be longer by itself.
const MOST_BYTES: usize = 16 << 20;

/// Answers to what a server asks, in bounded number and size. They are given up when this is dropped.
#[derive(Default)]
pub(super) struct Replies {
    running: JoinSet<()>,
    bytes: Arc<AtomicUsize>,
}

impl Replies {
    /// Answers a request, once there is room for it.
    pub(super) async fn answer<F: Future<Output = ()> + Send + 'static>(
        &mut self,
        request: Request,
        reply: impl FnOnce(Request) -> F,
    ) {
        let size = request.params.as_ref().map_or(0, |params| params.get().len());
        while self.running.try_join_next().is_some() {}
        while self.running.len() >= MOST
            || (!self.running.is_empty() && self.bytes.load(Ordering::Acquire) + size > MOST_BYTES)
        {
            self.running.join_next().await;
        }
        self.bytes.fetch_add(size, Ordering::AcqRel);
        let held = Held { size, bytes: Arc::clone(&self.bytes) };
        let reply = reply(request);
        self.running.spawn(async move {
            // Given back however the answer ends.
            let _held = held;
            reply.await;
        });
    }
}

struct Held {
    size: usize,
    bytes: Arc<AtomicUsize>,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.bytes.fetch_sub(self.size, Ordering::AcqRel);
    }
}
