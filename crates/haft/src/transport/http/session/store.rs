use std::collections::{BTreeMap, HashMap};
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use tokio::sync::watch;
use tokio::time::Instant;

use super::log::{Kept, Log};
use crate::legacy::Session;
use crate::server::{Cancellation, Principal};
use crate::transport::in_flight::InFlight;

/// Bytes of randomness in a session's id.
const ID: usize = 24;
/// Logs that are done and kept all the same, in case that the client missed their end.
const MAX_DONE: usize = 32;
/// One session makes room for another only after so much time without a word.
const QUIET: Duration = Duration::from_secs(60);

/// How often sessions that are over are looked for.
const SWEEP: Duration = Duration::from_secs(60);

/// All sessions: as many as may be, each until its client ends it or is silent for too long. What runs in them ends with
/// this.
pub(super) struct Sessions {
    open: Mutex<Open>,
    most: usize,
    ttl: Duration,
    kept: Arc<Kept>,
}

#[derive(Default)]
struct Open {
    by_id: HashMap<String, Arc<Held>>,
    swept: Option<Instant>,
}

/// A session that somebody works for: it doesn't grow old meanwhile, and is young when that is done.
#[derive(Clone)]
pub(super) struct InUse(Arc<Held>);

impl Deref for InUse {
    type Target = Held;

    fn deref(&self) -> &Held {
        &self.0
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        self.0.touch();
    }
}

/// A session and what goes on in it.
pub(super) struct Held {
    pub(super) id: String,
    pub(super) session: Arc<Session>,
    pub(super) in_flight: InFlight,
    pub(super) ended: Cancellation,
    /// Which of the streams for news it is that is told; a new one takes the place of the last.
    pub(super) listener: watch::Sender<u64>,
    logs: Mutex<Logs>,
    kept: Arc<Kept>,
    used: Mutex<Instant>,
}

#[derive(Default)]
struct Logs {
    last: u64,
    kept: BTreeMap<u64, Arc<Log>>,
}

/// Why there is no new session.
#[derive(Debug)]
pub(super) enum Unopened {
    /// There are as many as there may be, and all of them are in use.
    Full,
    /// The operating system gives no randomness for an id.
    NoId(getrandom::Error),
}

impl Sessions {
    pub(super) fn new(most: usize, ttl: Duration) -> Self {
        Self { open: Mutex::default(), most, ttl, kept: Arc::default() }
    }

    /// Takes a session in, under a new id.
    pub(super) fn open(&self, session: Session) -> Result<InUse, Unopened> {
        let mut bytes = [0; ID];
        getrandom::fill(&mut bytes).map_err(Unopened::NoId)?;
        let id = URL_SAFE_NO_PAD.encode(bytes);
        let mut open = self.lock();
        open.sweep(self.ttl, self.most);
        let by_id = &mut open.by_id;
        if by_id.len() >= self.most {
            let oldest = by_id.values().filter(|held| held.is_older_than(QUIET)).min_by_key(|held| held.last_used());
            let oldest = oldest.map(|held| held.id.clone()).ok_or(Unopened::Full)?;
            by_id.remove(&oldest);
        }
        let held = Arc::new(Held {
            id: id.clone(),
            session: Arc::new(session),
            in_flight: InFlight::default(),
            ended: Cancellation::default(),
            listener: watch::Sender::new(0),
            logs: Mutex::default(),
            kept: Arc::clone(&self.kept),
            used: Mutex::new(Instant::now()),
        });
        by_id.insert(id, Arc::clone(&held));
        Ok(InUse(held))
    }

    /// The session of this id, if it belongs to this caller: nobody else learns whether there is one.
    pub(super) fn find(&self, id: &str, principal: &Principal) -> Option<InUse> {
        let mut open = self.lock();
        let held = open.by_id.get(id).filter(|held| held.belongs_to(principal))?;
        if held.is_older_than(self.ttl) {
            open.by_id.remove(id);
            return None;
        }
        let held = Arc::clone(held);
        open.sweep(self.ttl, usize::MAX);
        Some(InUse(held))
    }

    /// Ends a session: nothing that runs in it is answered any more.
    pub(super) fn end(&self, held: &Held) {
        self.lock().by_id.remove(&held.id);
        held.end();
    }

    /// Nobody listens for news any more, nor can answer a question: there are no more connections.
    pub(super) fn end_streams(&self) {
        for held in self.lock().by_id.values() {
            held.listener.send_modify(|listener| *listener += 1);
            held.session.hang_up();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Sessions {
    fn drop(&mut self) {
        self.lock().by_id.values().for_each(|held| held.end());
    }
}

impl Open {
    /// Lets go of sessions that are over: now and then, and where there is no room.
    fn sweep(&mut self, ttl: Duration, most: usize) {
        if self.by_id.len() >= most || self.swept.is_none_or(|swept| swept.elapsed() >= SWEEP) {
            self.by_id.retain(|_, held| !held.is_older_than(ttl));
            self.swept = Some(Instant::now());
        }
    }
}

impl Held {
    fn belongs_to(&self, principal: &Principal) -> bool {
        self.session.principal().identity() == principal.identity()
    }

    fn end(&self) {
        // First, so that a request that is missed by the next line finds it.
        self.ended.cancel();
        self.in_flight.cancel_all();
        self.session.hang_up();
    }

    fn touch(&self) {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// Whether nobody has worked in it, nor spoken, for so long.
    fn is_older_than(self: &Arc<Self>, age: Duration) -> bool {
        Arc::strong_count(self) == 1 && self.last_used().elapsed() >= age
    }

    fn last_used(&self) -> Instant {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A log for what goes out next.
    pub(super) fn log(&self) -> Arc<Log> {
        let mut logs = self.logs();
        logs.last += 1;
        let log = Arc::new(Log::new(logs.last, Arc::clone(&self.kept)));
        logs.kept.insert(log.id, Arc::clone(&log));
        log
    }

    /// Lets the oldest of the logs that are done go, where there are too many: whoever still reads one goes on.
    pub(super) fn trim_logs(&self) {
        let mut logs = self.logs();
        let done: Vec<u64> = logs.kept.values().filter(|log| log.is_done()).map(|log| log.id).collect();
        for (left, id) in (1..=done.len()).rev().zip(&done) {
            if left <= MAX_DONE && !self.kept.is_full() {
                break;
            }
            logs.kept.remove(id);
        }
    }

    pub(super) fn kept(&self, id: u64) -> Option<Arc<Log>> {
        self.logs().kept.get(&id).cloned()
    }

    /// Its client has all of it.
    pub(super) fn drop_log(&self, id: u64) {
        self.logs().kept.remove(&id);
    }

    fn logs(&self) -> MutexGuard<'_, Logs> {
        self.logs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use haft_wire::{Limits, Message, parse};

    use super::*;
    use crate::legacy::Version;
    use crate::server::Server;

    fn open(sessions: &Sessions, principal: Principal) -> InUse {
        let server = Server::new("test", "1.0.0").build().unwrap();
        let hello =
            br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#.as_slice();
        let Ok(Message::Request(request)) = parse(hello, &Limits::default()) else { panic!("no request") };
        let (session, _) = Session::open(&server, &request, principal, Version::V2025_03_26).unwrap();
        sessions.open(session).unwrap()
    }

    #[test]
    fn a_session_is_there_for_its_principal_alone() {
        let sessions = Sessions::new(10, QUIET);
        let id = open(&sessions, Principal::Local).id.clone();
        assert!(sessions.find(&id, &Principal::Anonymous).is_none());
        assert!(sessions.find(&id, &Principal::Local).is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn sessions_that_are_over_go_when_others_speak() {
        let sessions = Sessions::new(10, QUIET * 2);
        let first = open(&sessions, Principal::Local);
        drop(open(&sessions, Principal::Local));
        let id = first.id.clone();
        drop(first);
        for _ in 0..3 {
            tokio::time::advance(QUIET).await;
            assert!(sessions.find(&id, &Principal::Local).is_some());
        }
        assert_eq!(sessions.lock().by_id.len(), 1);
    }

    #[test]
    fn some_logs_that_are_done_are_kept_and_none_when_all_of_them_are_too_long() {
        let sessions = Sessions::new(10, QUIET);
        let held = open(&sessions, Principal::Local);
        let kept = |held: &Held| held.logs().kept.keys().copied().collect::<Vec<_>>();
        let running = held.log();
        for _ in 0..40 {
            held.log().finish(Some(vec![0]));
            held.trim_logs();
        }
        assert_eq!(kept(&held), [1].into_iter().chain(10..=41).collect::<Vec<_>>());
        let other = open(&sessions, Principal::Local);
        let long: Vec<_> = (0..9).map(|_| other.log()).collect();
        long.iter().for_each(|log| log.push(vec![0; 8 << 20]));
        assert!(sessions.kept.is_full());
        held.trim_logs();
        assert_eq!(kept(&held), [1], "what runs is kept");
        drop((running, long));
        sessions.end(&other);
        drop(other);
        assert!(!sessions.kept.is_full());
    }
}
