//! Counts calls by caller.

use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::middleware::NoOpMiddleware;
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};

use crate::tool::RateLimit;

type Keyed<C> = RateLimiter<String, HashMapStateStore<String>, C, NoOpMiddleware<<C as Clock>::Instant>>;

/// Below as many callers, none is forgotten before its time.
const FEW: usize = 1024;
/// As many callers are remembered, and no more.
const MOST: usize = 1 << 16;

/// The calls of one tool, by the identity of who calls.
pub(super) struct Limiter<C: Clock = DefaultClock> {
    quota: Quota,
    clock: C,
    callers: Mutex<Callers<C>>,
}

struct Callers<C: Clock> {
    calls: Keyed<C>,
    /// So many callers, and those who haven't called for a while are forgotten.
    tidy_at: usize,
}

impl Limiter {
    /// `None` for a limit that can't be.
    pub(super) fn new(rate: RateLimit) -> Option<Self> {
        Self::with_clock(rate, DefaultClock::default())
    }
}

impl<C: Clock + Clone> Limiter<C> {
    fn with_clock(rate: RateLimit, clock: C) -> Option<Self> {
        let (per_second, burst) = (NonZeroU32::new(rate.per_second)?, NonZeroU32::new(rate.burst)?);
        let quota = Quota::per_second(per_second).allow_burst(burst);
        let calls = Keyed::new(quota, HashMapStateStore::default(), clock.clone());
        Some(Self { quota, clock, callers: Mutex::new(Callers { calls, tidy_at: FEW }) })
    }

    /// Counts one call.
    ///
    /// # Errors
    /// How long to wait, when there were too many.
    pub(super) fn check(&self, identity: String) -> Result<(), Duration> {
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        if callers.calls.len() >= callers.tidy_at {
            self.tidy(&mut callers);
        }
        callers.calls.check_key(&identity).map_err(|until| until.wait_time_from(self.clock.now()))
    }

    /// Forgets callers who may make a full burst again, to whom it makes no difference. Where that leaves too many, all
    /// begin anew: memory is bounded, and nobody is refused for what others do.
    fn tidy(&self, callers: &mut Callers<C>) {
        callers.calls.retain_recent();
        if callers.calls.len() >= MOST {
            callers.calls = Keyed::new(self.quota, HashMapStateStore::default(), self.clock.clone());
        }
        callers.calls.shrink_to_fit();
        callers.tidy_at = (callers.calls.len() * 2).clamp(FEW, MOST);
    }
}

#[cfg(test)]
mod tests {
    use governor::clock::FakeRelativeClock;

    use super::*;

    fn limiter(rate: RateLimit) -> (Limiter<FakeRelativeClock>, FakeRelativeClock) {
        let clock = FakeRelativeClock::default();
        let limiter = Limiter::with_clock(rate, clock.clone());
        (limiter.unwrap_or_else(|| panic!("a limit that can be")), clock)
    }

    fn known(limiter: &Limiter<FakeRelativeClock>) -> usize {
        limiter.callers.lock().unwrap_or_else(PoisonError::into_inner).calls.len()
    }

    #[test]
    fn a_burst_goes_through_and_then_so_many_a_second() {
        let (limiter, clock) = limiter(RateLimit::per_second(2).burst(5));
        let check = || limiter.check("ada".to_owned());
        for _ in 0..5 {
            assert_eq!(check(), Ok(()));
        }
        assert_eq!(check(), Err(Duration::from_millis(500)));
        clock.advance(Duration::from_millis(500));
        assert_eq!(check(), Ok(()));
        assert_eq!(check(), Err(Duration::from_millis(500)));
    }

    #[test]
    fn callers_are_counted_each_by_itself() {
        let (limiter, _) = limiter(RateLimit::per_second(1));
        assert_eq!(limiter.check("ada".to_owned()), Ok(()));
        assert!(limiter.check("ada".to_owned()).is_err());
        assert_eq!(limiter.check("bob".to_owned()), Ok(()));
    }

    #[test]
    fn who_has_not_called_for_a_while_is_forgotten() {
        let (limiter, clock) = limiter(RateLimit::per_second(1));
        for caller in 0..FEW {
            assert_eq!(limiter.check(caller.to_string()), Ok(()));
        }
        clock.advance(Duration::from_secs(5));
        assert_eq!(limiter.check("ada".to_owned()), Ok(()));
        assert_eq!(known(&limiter), 1);
    }

    #[test]
    fn memory_is_bounded_however_many_call_at_once() {
        let (limiter, _) = limiter(RateLimit::per_second(1));
        for caller in 0..MOST * 2 + 10 {
            assert_eq!(limiter.check(caller.to_string()), Ok(()));
            assert!(known(&limiter) <= MOST);
        }
        assert!(limiter.check((MOST * 2 + 9).to_string()).is_err(), "the last ones are still counted");
    }

    #[test]
    fn what_can_not_be_is_no_limit() {
        assert!(Limiter::new(RateLimit::per_second(0)).is_none());
        assert!(Limiter::new(RateLimit::per_second(1).burst(0)).is_none());
        assert!(Limiter::new(RateLimit::per_second(RateLimit::MOST).burst(u32::MAX)).is_some());
    }
}
