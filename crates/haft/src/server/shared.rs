//! What the processes of one server agree on by a store: which request states were used, and how often callers call.

#[cfg(feature = "handles")]
use std::sync::Arc;
use std::time::Duration;

#[cfg(feature = "handles")]
use haft_store::{Created, Lifetime, NewEntry, Store};
#[cfg(all(feature = "handles", feature = "http"))]
use haft_store::{Outcome, Set, StoreError, StoreErrorKind};

use crate::error::ProtocolError;
#[cfg(feature = "http")]
use crate::tool::RateLimit;

/// The store, where the server was given one.
#[derive(Clone, Default)]
pub(super) struct Shared {
    #[cfg(feature = "handles")]
    store: Option<Arc<dyn Store>>,
    /// The server's name: several servers may share a store.
    #[cfg(feature = "handles")]
    server: String,
}

/// A state is remembered for so much longer than it is good: clocks differ.
#[cfg(feature = "handles")]
const LONGER: Duration = Duration::from_secs(60);

/// How often a call is counted against others at the same moment before it counts for this process alone.
#[cfg(all(feature = "handles", feature = "http"))]
const MOST_TRIES: usize = 16;

#[cfg(feature = "handles")]
impl Shared {
    pub(super) fn new(store: Arc<dyn Store>, server: String) -> Self {
        Self { store: Some(store), server }
    }

    /// Uses a state up.
    ///
    /// # Errors
    /// For the client: where it was used before; internal, where the store can't say. Nobody is let through by a failure.
    pub(super) async fn claim(&self, state: Option<&str>, ttl: Duration) -> Result<(), ProtocolError> {
        let (Some(store), Some(state)) = (&self.store, state) else { return Ok(()) };
        let key = format!("state:{}", crate::handles::digest(&[&self.server, state]));
        let new = NewEntry::new("").lifetime(Lifetime::after(ttl.saturating_add(LONGER)));
        match store.create(&key, new).await {
            Ok(Created::New(_)) => Ok(()),
            Ok(Created::Taken(_)) => Err(ProtocolError::invalid_params(
                "Invalid `requestState`: it was used before, and each is good for one request. Send the request again \
                 without it.",
            )),
            Err(error) => {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "whether a request state was used can't be told"
                );
                Err(ProtocolError::internal(
                    "The server can't tell now whether this request was made before. Try again later.",
                ))
            }
        }
    }

    /// Counts a call for all processes. `None` where there is no store, or none that answers: then each counts for itself.
    ///
    /// # Errors
    /// How long to wait, when there were too many.
    #[cfg(feature = "http")]
    pub(super) async fn count(
        &self,
        (tool, identity): (&str, &str),
        rate: RateLimit,
        now: std::time::SystemTime,
    ) -> Option<Result<(), Duration>> {
        let store = self.store.as_ref()?;
        let key = format!("rate:{}", crate::handles::digest(&[&self.server, tool, identity]));
        match count(&**store, &key, rate, now).await {
            Ok(counted) => Some(counted),
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "calls can't be counted for all processes; this one counts its own"
                );
                None
            }
        }
    }
}

#[cfg(not(feature = "handles"))]
impl Shared {
    pub(super) async fn claim(&self, _: Option<&str>, _: Duration) -> Result<(), ProtocolError> {
        Ok(())
    }

    #[cfg(feature = "http")]
    pub(super) async fn count(
        &self,
        _: (&str, &str),
        _: RateLimit,
        _: std::time::SystemTime,
    ) -> Option<Result<(), Duration>> {
        None
    }
}

/// What is kept is the time at which the caller's calls so far would be through, one after the other at the rate: a call is
/// refused while that is further away than a burst.
#[cfg(all(feature = "handles", feature = "http"))]
async fn count(
    store: &dyn Store,
    key: &str,
    rate: RateLimit,
    now: std::time::SystemTime,
) -> Result<Result<(), Duration>, StoreError> {
    let nanos = |since: Duration| u64::try_from(since.as_nanos()).unwrap_or(u64::MAX);
    let now = now.duration_since(std::time::UNIX_EPOCH).map_or(0, nanos);
    let each = 1_000_000_000 / u64::from(rate.per_second.max(1));
    let burst = each.saturating_mul(u64::from(rate.burst.max(1)) - 1);
    // Long after the last call it makes no difference that there were calls.
    let lifetime = Lifetime::after(Duration::from_nanos(burst.saturating_add(each)) + LONGER);
    let mut there = store.get(key).await?;
    for _ in 0..MOST_TRIES {
        let through = there.as_ref().and_then(|entry| Some(u64::from_be_bytes(entry.value.as_ref().try_into().ok()?)));
        let through = through.unwrap_or(0).max(now);
        let too_many = (through - now).saturating_sub(burst);
        if too_many > 0 {
            return Ok(Err(Duration::from_nanos(too_many)));
        }
        let through = through.saturating_add(each).to_be_bytes();
        there = match there {
            None => match store.create(key, NewEntry::new(through).lifetime(lifetime)).await? {
                Created::New(_) => return Ok(Ok(())),
                Created::Taken(newer) => Some(newer),
            },
            Some(entry) => {
                match store.compare_and_set(key, entry.version, Set::new(through).lifetime(lifetime)).await? {
                    Outcome::Done(_) => return Ok(Ok(())),
                    Outcome::Conflict(newer) => Some(newer),
                    Outcome::Gone => None,
                }
            }
        };
    }
    Err(StoreError::new(
        StoreErrorKind::Unavailable,
        format!("{MOST_TRIES} attempts to count a call met as many others"),
    ))
}

#[cfg(all(test, feature = "handles", feature = "http"))]
mod tests {
    use std::time::SystemTime;

    use haft_store::MemoryStore;

    use super::*;

    #[tokio::test]
    async fn calls_count_for_all_processes_together() {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let processes = [Shared::new(Arc::clone(&store), "orders".into()), Shared::new(store, "orders".into())];
        let rate = RateLimit::per_second(2).burst(5);
        let now = SystemTime::now();
        let call = |process: usize, identity: &'static str, after: u64| {
            processes[process].count(("get", identity), rate, now + Duration::from_millis(after))
        };
        for n in 0..5 {
            assert_eq!(call(n % 2, "ada", 0).await, Some(Ok(())));
        }
        assert_eq!(call(0, "ada", 0).await, Some(Err(Duration::from_millis(500))));
        assert_eq!(call(1, "ada", 400).await, Some(Err(Duration::from_millis(100))));
        assert_eq!(call(1, "bob", 0).await, Some(Ok(())), "each by itself");
        assert_eq!(call(1, "ada", 500).await, Some(Ok(())));
        assert!(matches!(call(0, "ada", 500).await, Some(Err(_))));
        for n in 0..5 {
            assert_eq!(call(n % 2, "ada", 60_000).await, Some(Ok(())), "a whole burst after a pause");
        }
        assert_eq!(Shared::default().count(("get", "ada"), rate, now).await, None);
    }

    #[tokio::test]
    async fn a_state_is_used_once() {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let processes = [Shared::new(Arc::clone(&store), "orders".into()), Shared::new(store, "orders".into())];
        let ttl = Duration::from_secs(60);
        assert!(processes[0].claim(Some("a"), ttl).await.is_ok());
        for process in &processes {
            let refused = process.claim(Some("a"), ttl).await.expect_err("used");
            assert_eq!(refused.code(), -32602);
            assert!(process.claim(None, ttl).await.is_ok());
        }
        assert!(processes[1].claim(Some("b"), ttl).await.is_ok());
        assert!(Shared::default().claim(Some("a"), ttl).await.is_ok());
    }
}
