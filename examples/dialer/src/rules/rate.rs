//! How many calls an account may place: counted in the store, so that it holds over all processes.

use std::time::Duration;

use haft::store::{Created, Lifetime, NewEntry, Outcome, Set, Store};
use jiff::Timestamp;

use crate::refusal::Refusal;

/// So many calls an hour, all at once if need be; the allowance comes back evenly.
///
/// What is kept is one time for each account: when its allowance will be whole again (the generic cell rate algorithm).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rate {
    hour: u32,
}

const HOUR: i64 = 3_600_000;
/// How often it is tried to write down a call while others of the same account are written down.
const ATTEMPTS: usize = 64;

impl Rate {
    /// At least one.
    pub(crate) fn per_hour(calls: u32) -> Self {
        Self { hour: calls.max(1) }
    }

    /// Takes one call from the account's allowance.
    ///
    /// # Errors
    /// Where nothing is left of it, with when there will be.
    pub(super) async fn take(self, store: &dyn Store, account: &str, now: Timestamp) -> Result<(), Refusal> {
        let key = format!("rate:{account}");
        let now = now.as_millisecond();
        let lifetime = Lifetime::after(Duration::from_secs(2 * 3600));
        let mut entry =
            match store.create(&key, NewEntry::new(written(self.next(None, now)?)).lifetime(lifetime)).await? {
                Created::New(_) => return Ok(()),
                Created::Taken(entry) => entry,
            };
        for _ in 0..ATTEMPTS {
            let set = Set::new(written(self.next(read(&entry.value), now)?)).lifetime(lifetime);
            entry = match store.compare_and_set(&key, entry.version, set).await? {
                Outcome::Done(_) => return Ok(()),
                Outcome::Conflict(entry) => entry,
                Outcome::Gone => break,
            };
        }
        // More callers at once than anybody has business with.
        Err(refused(now, now.saturating_add(1_000)))
    }

    /// When the allowance is whole again after one more call.
    fn next(self, whole: Option<i64>, now: i64) -> Result<i64, Refusal> {
        let each = (HOUR / i64::from(self.hour)).max(1);
        let next = whole.unwrap_or(now).max(now).saturating_add(each);
        let allowed = now.saturating_add(each.saturating_mul(i64::from(self.hour)));
        if next <= allowed { Ok(next) } else { Err(refused(now, now.saturating_add(next - allowed))) }
    }
}

fn refused(now: i64, until: i64) -> Refusal {
    let seconds = u64::try_from((until - now + 999) / 1_000).unwrap_or_default();
    // To the second, and rather later.
    let until = Timestamp::from_second(until.saturating_add(999) / 1_000).unwrap_or(Timestamp::MAX);
    Refusal::RateLimited { until, seconds }
}

fn written(time: i64) -> [u8; 8] {
    time.to_be_bytes()
}

fn read(value: &[u8]) -> Option<i64> {
    value.try_into().ok().map(i64::from_be_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use haft::store::MemoryStore;

    #[tokio::test]
    async fn the_allowance_is_used_up_and_comes_back() {
        let (store, rate) = (MemoryStore::new(), Rate::per_hour(4));
        let at = |seconds: i64| Timestamp::from_second(1_800_000_000 + seconds).expect("a time");
        for _ in 0..4 {
            rate.take(&store, "acme", at(0)).await.expect("within the allowance");
        }
        let Err(Refusal::RateLimited { until, seconds }) = rate.take(&store, "acme", at(1)).await else {
            panic!("a fifth call was let through")
        };
        assert_eq!((until, seconds), (at(900), 899));
        rate.take(&store, "other", at(1)).await.expect("somebody else's allowance");
        assert!(rate.take(&store, "acme", at(899)).await.is_err());
        rate.take(&store, "acme", at(900)).await.expect("a quarter of an hour later");
        assert!(rate.take(&store, "acme", at(900)).await.is_err());
    }

    #[tokio::test]
    async fn callers_at_once_share_one_allowance() {
        let store = std::sync::Arc::new(MemoryStore::new());
        let now = Timestamp::from_second(1_800_000_000).expect("a time");
        let tasks = (0..30).map(|_| {
            let store = store.clone();
            tokio::spawn(async move { Rate::per_hour(10).take(&*store, "acme", now).await.is_ok() })
        });
        let mut admitted = 0;
        for task in tasks.collect::<Vec<_>>() {
            admitted += usize::from(task.await.expect("no panic"));
        }
        assert_eq!(admitted, 10);
    }
}
