use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::fetch::Fetcher;
use super::keys::{Algorithm, KeySet};

/// When keys are fetched, and for how long they are used.
#[derive(Debug, Clone, Copy)]
pub(super) struct Times {
    /// The age at which they are fetched again.
    pub(super) refresh: Duration,
    /// Between two fetches because of unknown keys, and at most between two that fail.
    pub(super) pause: Duration,
    /// The age at which they are used no more.
    pub(super) keep: Duration,
}

impl Default for Times {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { refresh: seconds(600), pause: seconds(30), keep: seconds(6 * 3600) }
    }
}

/// How long a request waits for keys. Longer than a fetch may take that has to look for metadata first.
const PATIENCE: Duration = Duration::from_secs(12);
/// A fetch that takes longer has gone astray.
const ASTRAY: Duration = Duration::from_secs(60);
/// Between a first failure and the next attempt.
const FIRST_PAUSE: Duration = Duration::from_secs(1);

/// The keys of an issuer, fetched when they are needed and kept current.
///
/// One fetch runs at a time, in a task of its own, so that a client that goes away doesn't end what others wait for. The
/// task ends with this.
pub(super) struct Remote {
    shared: Arc<Shared>,
}

struct Shared {
    fetcher: Fetcher,
    times: Times,
    state: Mutex<State>,
    /// Told at the end of every fetch.
    done: watch::Sender<()>,
}

#[derive(Default)]
struct State {
    held: Option<(Arc<KeySet>, Instant)>,
    last: Option<(Instant, Fetch)>,
    /// Failures since the last success.
    failures: u32,
    task: Option<AbortHandle>,
}

/// What became of a fetch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fetch {
    Running,
    Done,
    Failed,
}

/// Why there is no key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    /// The issuer has none of this name and kind.
    Unknown,
    /// That can't be found out now.
    Unavailable,
}

/// What to do for a token.
enum Step {
    Use(Arc<KeySet>),
    Wait,
    Miss(Missing),
}

impl Remote {
    pub(super) fn new(fetcher: Fetcher, times: Times) -> Self {
        let (done, _) = watch::channel(());
        Self { shared: Arc::new(Shared { fetcher, times, state: Mutex::default(), done }) }
    }

    /// Keys with one of this name for this algorithm among them.
    pub(super) async fn find(&self, id: Option<&str>, algorithm: Algorithm) -> Result<Arc<KeySet>, Missing> {
        let mut done = self.shared.done.subscribe();
        for may_fetch in [true, false] {
            match self.shared.step(id, algorithm, may_fetch) {
                Step::Use(keys) => return Ok(keys),
                Step::Miss(missing) => return Err(missing),
                // An error says that this is gone, which it isn't.
                Step::Wait => drop(tokio::time::timeout(PATIENCE, done.changed()).await),
            }
        }
        Err(Missing::Unavailable)
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        if let Some(task) = self.shared.lock().task.take() {
            task.abort();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn step(self: &Arc<Self>, id: Option<&str>, algorithm: Algorithm, may_fetch: bool) -> Step {
        let now = Instant::now();
        let mut state = self.lock();
        let held = state.held.as_ref().map(|(keys, since)| (Arc::clone(keys), now - *since));
        let due = held.as_ref().is_none_or(|(_, age)| *age >= self.times.refresh);
        let usable = held.filter(|(_, age)| *age < self.times.keep).map(|(keys, _)| keys);
        match usable {
            Some(keys) if keys.has(id, algorithm) => {
                if due && may_fetch {
                    self.start(&mut state, now);
                }
                Step::Use(keys)
            }
            usable => {
                if may_fetch && self.start(&mut state, now) {
                    return Step::Wait;
                }
                match state.last {
                    Some((_, Fetch::Done)) if usable.is_some() => Step::Miss(Missing::Unknown),
                    _ => Step::Miss(Missing::Unavailable),
                }
            }
        }
    }

    /// Sees to it that a fetch is running, unless the last one was only just now; says whether one is.
    fn start(self: &Arc<Self>, state: &mut State, now: Instant) -> bool {
        let pause = match state.last {
            None => Duration::ZERO,
            Some((began, Fetch::Running)) if now - began < ASTRAY => return true,
            Some((_, Fetch::Done)) => self.times.pause,
            Some((_, Fetch::Running | Fetch::Failed)) => pause_after(state.failures).min(self.times.pause),
        };
        if state.last.is_some_and(|(began, _)| now - began < pause) {
            return false;
        }
        state.last = Some((now, Fetch::Running));
        let shared = Arc::clone(self);
        let task = tokio::spawn(async move {
            let fetched = shared.fetcher.fetch().await;
            shared.finish(fetched);
        });
        if let Some(astray) = state.task.replace(task.abort_handle()) {
            astray.abort();
        }
        true
    }

    fn finish(&self, fetched: Result<KeySet, String>) {
        let now = Instant::now();
        let mut state = self.lock();
        match fetched {
            Ok(keys) => {
                tracing::debug!(?keys, "the keys of an authorization server were fetched");
                state.held = Some((Arc::new(keys), now));
                state.last = Some((now, Fetch::Done));
                state.failures = 0;
            }
            Err(error) => {
                tracing::warn!(error, "the keys of an authorization server can't be had");
                state.last = Some((now, Fetch::Failed));
                state.failures = state.failures.saturating_add(1);
            }
        }
        drop(state);
        self.done.send_replace(());
    }
}

/// Twice as long after each failure.
fn pause_after(failures: u32) -> Duration {
    FIRST_PAUSE.saturating_mul(1_u32.checked_shl(failures.saturating_sub(1).min(16)).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::super::fetch::Source;
    use super::*;

    const SET: &str = r#"{"keys":[{"kid":"a","kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}"#;

    /// Keys from a server that is never asked: what it would say is said by the test.
    struct Played(Remote);

    impl Played {
        fn new() -> Self {
            let source = Source::url("http://127.0.0.1:1/jwks").expect("a source");
            Self(Remote::new(Fetcher::new(source).expect("a fetcher"), Times::default()))
        }

        /// What is done for a token with this key, and whether that begins a fetch.
        fn step(&self, key: &str) -> (&'static str, bool) {
            let step = match self.0.shared.step(Some(key), Algorithm::Es256, true) {
                Step::Use(_) => "use",
                Step::Wait => "wait",
                Step::Miss(Missing::Unknown) => "unknown",
                Step::Miss(Missing::Unavailable) => "unavailable",
            };
            let task = self.0.shared.lock().task.take();
            (step, task.inspect(AbortHandle::abort).is_some())
        }

        fn succeed(&self) {
            self.0.shared.finish(KeySet::parse(SET.as_bytes()));
        }

        fn fail(&self) {
            self.0.shared.finish(Err("down".to_owned()));
        }
    }

    async fn pass(seconds: u64) {
        tokio::time::advance(Duration::from_secs(seconds)).await;
    }

    #[tokio::test(start_paused = true)]
    async fn unknown_keys_lead_to_one_fetch_in_a_while() {
        let played = Played::new();
        assert_eq!(played.step("a"), ("wait", true));
        assert_eq!(played.step("b"), ("wait", false), "others wait for the same fetch");
        played.succeed();
        assert_eq!(played.step("a"), ("use", false));
        for _ in 0..1000 {
            assert_eq!(played.step("b"), ("unknown", false));
        }
        pass(29).await;
        assert_eq!(played.step("b"), ("unknown", false));
        pass(2).await;
        assert_eq!(played.step("b"), ("wait", true));
        assert_eq!(played.step("a"), ("use", false), "nobody waits who needs nothing new");
    }

    #[tokio::test(start_paused = true)]
    async fn failures_lead_to_fetches_that_grow_rare() {
        let played = Played::new();
        for pause in [1, 2, 4, 8, 16, 30, 30] {
            assert_eq!(played.step("a"), ("wait", true), "{pause}");
            played.fail();
            pass(pause - 1).await;
            assert_eq!(played.step("a"), ("unavailable", false), "{pause}");
            pass(1).await;
        }
        assert_eq!(played.step("a"), ("wait", true));
        played.succeed();
        pass(31).await;
        assert_eq!(played.step("b"), ("wait", true));
        played.fail();
        assert_eq!(played.step("b"), ("unavailable", false), "it may be one that is new");
        pass(1).await;
        assert_eq!(played.step("b"), ("wait", true), "a success begins the count anew");
    }

    #[tokio::test(start_paused = true)]
    async fn keys_are_renewed_and_kept_for_a_bounded_time_without() {
        let played = Played::new();
        played.step("a");
        played.succeed();
        pass(599).await;
        assert_eq!(played.step("a"), ("use", false));
        pass(1).await;
        assert_eq!(played.step("a"), ("use", true));
        played.fail();
        pass(3600).await;
        assert_eq!(played.step("a"), ("use", true));
        played.fail();
        pass(5 * 3600 - 600 - 1).await;
        assert_eq!(played.step("a"), ("use", true));
        played.fail();
        pass(1).await;
        assert_eq!(played.step("a").0, "unavailable", "six hours after they were fetched");
        pass(60).await;
        assert_eq!(played.step("a"), ("wait", true));
        played.succeed();
        assert_eq!(played.step("a"), ("use", false));
    }

    #[tokio::test(start_paused = true)]
    async fn a_fetch_that_never_ends_gives_way() {
        let played = Played::new();
        assert_eq!(played.step("a"), ("wait", true));
        pass(59).await;
        assert_eq!(played.step("a"), ("wait", false));
        pass(1).await;
        assert_eq!(played.step("a"), ("wait", true));
    }

    #[test]
    fn pauses_grow() {
        let pauses: Vec<u64> = [0, 1, 2, 3, 6, u32::MAX].iter().map(|n| pause_after(*n).as_secs()).collect();
        assert_eq!(pauses, [1, 1, 2, 4, 32, 65_536]);
    }
}
