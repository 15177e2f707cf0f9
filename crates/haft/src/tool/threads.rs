//! Threads for plain functions, which may block.
//!
//! Not the runtime's own: those would hold up the end of the process for as long as they run.

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use tokio::sync::oneshot;

/// So many functions run at once; more wait.
const MOST: usize = 512;
/// A thread with nothing to do ends after so long.
const IDLE: Duration = Duration::from_secs(5);

type Job = Box<dyn FnOnce() + Send>;

struct Threads {
    state: Mutex<State>,
    work: Condvar,
}

struct State {
    /// As many at most as calls may be in flight.
    waiting: VecDeque<Job>,
    idle: usize,
    all: usize,
}

static THREADS: Threads =
    Threads { state: Mutex::new(State { waiting: VecDeque::new(), idle: 0, all: 0 }), work: Condvar::new() };

/// Runs a function on a thread, and panics with what it panics with. Dropped before the function has begun, it never
/// begins.
pub(super) async fn run<R: Send + 'static>(function: impl FnOnce() -> R + Send + 'static) -> R {
    let (sender, returned) = oneshot::channel::<Result<R, Box<dyn Any + Send>>>();
    THREADS.take(Box::new(move || {
        if !sender.is_closed() {
            // Where nobody waits for it any more, it is lost.
            drop(sender.send(catch_unwind(AssertUnwindSafe(function))));
        }
    }));
    match returned.await {
        Ok(Ok(returned)) => returned,
        Ok(Err(panic)) => resume_unwind(panic),
        Err(_) => resume_unwind(Box::new("there is no thread to run it on")),
    }
}

impl Threads {
    fn take(&'static self, job: Job) {
        let mut state = self.lock();
        state.waiting.push_back(job);
        if state.waiting.len() <= state.idle {
            self.work.notify_one();
        } else if state.all < MOST {
            match thread::Builder::new().name("haft-blocking".to_owned()).spawn(|| self.work()) {
                Ok(_) => state.all += 1,
                // One of the others will come to it.
                Err(error) if state.all > 0 => tracing::warn!(%error, "no more threads"),
                Err(error) => {
                    tracing::error!(%error, "no thread can be started");
                    state.waiting.clear();
                }
            }
        }
    }

    fn work(&self) {
        let mut state = self.lock();
        loop {
            while let Some(job) = state.waiting.pop_front() {
                drop(state);
                job();
                state = self.lock();
            }
            state.idle += 1;
            let (woken, waited) = self.work.wait_timeout(state, IDLE).unwrap_or_else(PoisonError::into_inner);
            state = woken;
            state.idle -= 1;
            if waited.timed_out() && state.waiting.is_empty() {
                state.all -= 1;
                return;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[tokio::test]
    async fn functions_that_wait_for_each_other_come_to_an_end() {
        let (one, other) = (mpsc::channel(), mpsc::channel());
        let first = run(move || (one.0.send(1), other.1.recv_timeout(Duration::from_secs(60))));
        let second = run(move || (other.0.send(2), one.1.recv_timeout(Duration::from_secs(60))));
        let ((_, two), (_, one)) = tokio::join!(first, second);
        assert_eq!((one, two), (Ok(1), Ok(2)));
    }

    #[tokio::test]
    async fn a_panic_is_passed_on_and_its_thread_lives_on() {
        let panicked = tokio::spawn(run(|| panic!("on purpose"))).await;
        assert!(panicked.is_err_and(|error| error.is_panic()));
        assert_eq!(run(|| 5).await, 5);
    }
}
