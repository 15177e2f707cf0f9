use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use crate::{Clock, Entry, MAX_WAIT, Store, StoreError, StoreErrorKind, Version, Watched};

/// The longest pause before an entry is looked at again that should have expired, or that could not be read.
const LONGEST_GRACE: Duration = Duration::from_secs(1);

/// Who waits in this process, by key. A key has a place only while somebody waits for it.
#[derive(Debug, Default)]
pub(crate) struct Waiters {
    keys: Mutex<HashMap<Arc<str>, Arc<Notify>>>,
}

impl Waiters {
    /// Wakes all who wait for a key, and those who are about to.
    pub(crate) fn wake(&self, key: &str) {
        // Under the lock: an `Arc` that is cloned here would look like somebody who waits.
        if let Some(waiting) = self.lock().get(key) {
            waiting.notify_waiters();
        }
    }

    /// Wakes everybody: something may have been missed.
    #[cfg(feature = "redis")]
    pub(crate) fn wake_all(&self) {
        self.lock().values().for_each(|waiting| waiting.notify_waiters());
    }

    /// What [`Store::watch`] does in all stores that call [`Waiters::wake`] after each change.
    pub(crate) async fn watch<S: Store>(
        &self,
        store: &S,
        clock: &dyn Clock,
        key: &str,
        since: Version,
        at_most: Duration,
    ) -> Result<Watched, StoreError> {
        let deadline = Instant::now() + at_most.min(MAX_WAIT);
        let waiting = Waiting::new(self, key);
        let mut grace = Duration::from_millis(1);
        loop {
            let mut changed = std::pin::pin!(waiting.notify.notified());
            // Registered before the entry is read: a change between the two is not missed.
            changed.as_mut().enable();
            let entry = match store.get(key).await {
                Ok(None) => return Ok(Watched::Gone),
                Ok(Some(entry)) if entry.version != since => return Ok(Watched::Changed(entry)),
                Ok(Some(entry)) => entry,
                // It may be back in time.
                Err(error) if error.kind() == StoreErrorKind::Unavailable && Instant::now() < deadline => {
                    sleep_until((Instant::now() + grace).min(deadline)).await;
                    grace = (grace * 2).min(LONGEST_GRACE);
                    continue;
                }
                Err(error) => return Err(error),
            };
            if Instant::now() >= deadline {
                return Ok(Watched::Unchanged(entry));
            }
            let until = expiry(&entry, clock).map_or(deadline, |expiry| (expiry + grace).min(deadline));
            tokio::select! {
                () = changed => {}
                // One that ought to be over and isn't: the store counts by another clock.
                () = sleep_until(until) => grace = (grace * 2).min(LONGEST_GRACE),
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Arc<str>, Arc<Notify>>> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// When the entry expires if nobody uses it, by the runtime's clock.
fn expiry(entry: &Entry, clock: &dyn Clock) -> Option<Instant> {
    let left = entry.expires?.duration_since(clock.now()).unwrap_or_default();
    Some(Instant::now() + left.min(MAX_WAIT))
}

/// One who waits.
struct Waiting<'a> {
    waiters: &'a Waiters,
    key: &'a str,
    notify: Arc<Notify>,
}

impl<'a> Waiting<'a> {
    fn new(waiters: &'a Waiters, key: &'a str) -> Self {
        let notify = Arc::clone(waiters.lock().entry(key.into()).or_default());
        Self { waiters, key, notify }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut keys = self.waiters.lock();
        // The table's own and this one: nobody else waits, and under the lock nobody begins to.
        if Arc::strong_count(&self.notify) == 2 {
            keys.remove(self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Created, MemoryStore, NewEntry};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn who_waits_no_more_takes_no_place() {
        let (store, waiters) = (MemoryStore::new(), Waiters::default());
        let Created::New(entry) = store.create("a", NewEntry::new("")).await.expect("in memory") else {
            panic!("taken")
        };
        let wait = || waiters.watch(&store, &crate::SystemClock, "a", entry.version, Duration::from_secs(1));
        let (one, other) = tokio::join!(wait(), async {
            drop(tokio::time::timeout(Duration::from_millis(1), wait()).await);
            waiters.wake("a");
            assert_eq!(waiters.lock().len(), 1);
        });
        assert_eq!(one.expect("in memory"), Watched::Unchanged(entry));
        assert!(waiters.lock().is_empty(), "{other:?}");
    }
}
