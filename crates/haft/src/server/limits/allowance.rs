//! The time that a call may take.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

/// A clock that runs down, and stands still while the call waits for somebody else.
///
/// A question to the user that the call waits for takes no time of the call's: whoever sends it holds a [`Pause`]. (Where
/// a question ends the call instead, each round has the whole time.)
#[derive(Clone)]
pub(in crate::server) struct Allowance {
    shared: Arc<Shared>,
}

struct Shared {
    clock: Mutex<Clock>,
    changed: Notify,
}

struct Clock {
    /// When the time is over, if nothing stops the clock; what is left of it while it stands still.
    left: Left,
    pauses: usize,
}

#[derive(Clone, Copy)]
enum Left {
    Until(Instant),
    Duration(Duration),
}

/// A far future, for limits that no clock can reach.
const FAR: Duration = Duration::from_secs(60 * 60 * 24 * 365);

impl Allowance {
    pub(super) fn new(limit: Duration) -> Self {
        let left = Left::Until(after(limit));
        Self { shared: Arc::new(Shared { clock: Mutex::new(Clock { left, pauses: 0 }), changed: Notify::new() }) }
    }

    /// Waits until the time is over.
    pub(in crate::server) async fn over(&self) {
        loop {
            let mut changed = std::pin::pin!(self.shared.changed.notified());
            // Registered before the clock is read: a change between the two is not missed.
            changed.as_mut().enable();
            let left = self.shared.lock().left;
            match left {
                Left::Until(end) if end <= Instant::now() => return,
                Left::Until(end) => tokio::select! {
                    () = sleep_until(end) => {}
                    () = changed => {}
                },
                Left::Duration(_) => changed.await,
            }
        }
    }

    /// Stops the clock until the pause is dropped. Pauses may overlap.
    pub(in crate::server) fn pause(&self) -> Pause {
        let mut clock = self.shared.lock();
        clock.pauses += 1;
        if let Left::Until(end) = clock.left {
            clock.left = Left::Duration(end.saturating_duration_since(Instant::now()));
        }
        drop(clock);
        self.shared.changed.notify_waiters();
        Pause { shared: Arc::clone(&self.shared) }
    }
}

/// While it lives, a call's time stands still.
pub(in crate::server) struct Pause {
    shared: Arc<Shared>,
}

impl Drop for Pause {
    fn drop(&mut self) {
        let mut clock = self.shared.lock();
        clock.pauses -= 1;
        if let (0, Left::Duration(left)) = (clock.pauses, clock.left) {
            clock.left = Left::Until(after(left));
        }
        drop(clock);
        self.shared.changed.notify_waiters();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Clock> {
        self.clock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn after(left: Duration) -> Instant {
    Instant::now() + left.min(FAR)
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::task::{Context, Poll, Waker};

    use tokio::time::{advance, timeout};

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn the_time_of_a_pause_does_not_count() {
        let allowance = Allowance::new(10 * SECOND);
        let started = Instant::now();
        let mut over = Box::pin(allowance.over());
        assert!(timeout(9 * SECOND, &mut over).await.is_err());
        let pause = allowance.pause();
        let longer = allowance.pause();
        drop(pause);
        assert!(timeout(3600 * SECOND, &mut over).await.is_err());
        drop(longer);
        over.await;
        assert_eq!(started.elapsed(), 3610 * SECOND);
    }

    #[tokio::test(start_paused = true)]
    async fn a_limit_past_every_clock_is_none() {
        let allowance = Allowance::new(Duration::MAX);
        assert!(timeout(3600 * SECOND, allowance.over()).await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn time_that_is_over_before_anybody_waits_is_over() {
        let allowance = Allowance::new(SECOND);
        advance(2 * SECOND).await;
        let polled = std::pin::pin!(allowance.over()).poll(&mut Context::from_waker(Waker::noop()));
        assert_eq!(polled, Poll::Ready(()));
    }
}
