use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What time it is, to the store. It decides what has expired; how long [`Store::watch`](crate::Store::watch) waits is
/// the runtime's time.
pub trait Clock: fmt::Debug + Send + Sync + 'static {
    /// The time now.
    fn now(&self) -> SystemTime;
}

/// The system's time.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }
}

/// A clock that stands still until it is moved, for tests. Clones are one clock.
///
/// ```
/// use std::time::Duration;
///
/// use haft_store::{Clock, ManualClock};
///
/// let clock = ManualClock::new();
/// let before = clock.now();
/// clock.advance(Duration::from_secs(60));
/// assert_eq!(clock.now(), before + Duration::from_secs(60));
/// ```
#[derive(Debug, Clone)]
pub struct ManualClock {
    /// Milliseconds since 1970.
    now: Arc<AtomicU64>,
}

impl ManualClock {
    /// A clock that shows the system's time of this moment.
    pub fn new() -> Self {
        Self { now: Arc::new(AtomicU64::new(millis(SystemTime::now()))) }
    }

    /// Moves it forward.
    pub fn advance(&self, by: Duration) {
        self.now.fetch_add(span(by), Ordering::SeqCst);
    }
}

impl Default for ManualClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for ManualClock {
    fn now(&self) -> SystemTime {
        time(self.now.load(Ordering::SeqCst))
    }
}

/// The latest time that is kept, in milliseconds since 1970: some 9,000 years hence, and exact in a float, which Redis's
/// scripts count in.
const LATEST: u64 = 1 << 48;

/// A time as stores keep it: milliseconds since 1970.
pub(crate) fn millis(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, span)
}

/// What [`millis`] made, as a time again.
pub(crate) fn time(millis: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(millis.min(LATEST))
}

/// A duration in milliseconds, rounded down and bounded.
pub(crate) fn span(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(LATEST).min(LATEST)
}
