use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use tokio::sync::{mpsc, oneshot};

use crate::{StoreError, StoreErrorKind};

/// Work that may wait for the thread; who comes later waits for a place.
const QUEUE: usize = 1024;

/// The most that is done together.
const BATCH: usize = 256;

type Asked<W, D> = (W, oneshot::Sender<Result<D, StoreError>>);

/// A thread that does work in batches. It ends when this is dropped, after what it was given.
pub(super) struct Lane<W, D>(mpsc::Sender<Asked<W, D>>);

impl<W: Send + 'static, D: Send + 'static> Lane<W, D> {
    /// Starts the thread. The function does a whole batch or fails for all of it; its answers are in the batch's order.
    pub(super) fn start(
        name: &str,
        run: impl Fn(Vec<W>) -> Result<Vec<D>, StoreError> + Send + 'static,
    ) -> Result<Self, StoreError> {
        let (sender, mut queue) = mpsc::channel::<Asked<W, D>>(QUEUE);
        let serve = move || {
            let mut batch = Vec::with_capacity(BATCH);
            while queue.blocking_recv_many(&mut batch, BATCH) > 0 {
                let (work, waiting): (Vec<_>, Vec<_>) = batch.drain(..).unzip();
                // A file that was damaged under our feet is an error of ours too, whatever the library does about it.
                let done = catch_unwind(AssertUnwindSafe(|| run(work))).unwrap_or_else(|_| Err(damaged()));
                answer(waiting, done);
            }
        };
        thread::Builder::new().name(name.to_owned()).spawn(serve).map_err(|error| {
            StoreError::new(StoreErrorKind::Failed, "the system gives no thread for the store").with_source(error)
        })?;
        Ok(Self(sender))
    }

    pub(super) async fn run(&self, work: W) -> Result<D, StoreError> {
        let ended = || StoreError::new(StoreErrorKind::Failed, "the store's thread has ended");
        let (sender, answer) = oneshot::channel();
        self.0.send((work, sender)).await.map_err(|_| ended())?;
        answer.await.map_err(|_| ended())?
    }
}

fn answer<D>(waiting: Vec<oneshot::Sender<Result<D, StoreError>>>, done: Result<Vec<D>, StoreError>) {
    match done {
        // Who doesn't wait any more gets nothing.
        Ok(done) => waiting.into_iter().zip(done).for_each(|(waiting, done)| drop(waiting.send(Ok(done)))),
        Err(error) => {
            for waiting in waiting {
                drop(waiting.send(Err(StoreError::new(error.kind(), error.to_string()))));
            }
        }
    }
}

fn damaged() -> StoreError {
    StoreError::new(StoreErrorKind::Corrupt, "the store's file is damaged: restore it from a backup, or move it away")
}
