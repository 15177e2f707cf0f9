use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use tokio::sync::watch;
use tokio::time::Instant;

use super::log::Log;
use crate::legacy::Session;
use crate::server::{Cancellation, Principal};
use crate::transport::in_flight::InFlight;

/// Bytes of randomness in a session's id.
const ID: usize = 24;
/// Logs that are done and kept all the same, in case that the client missed their end.
const MAX_DONE: usize = 32;
/// One session makes room for another only after so much time without a word.
const QUIET: Duration = Duration::from_secs(60);

/// All sessions: as many as may be, each until its client ends it or is silent for too long.
pub(super) struct Sessions {
    open: Mutex<HashMap<String, Arc<Held>>>,
    most: usize,
    ttl: Duration,
}

/// A session and what goes on in it. Whoever works for its client holds it, too: it doesn't grow old meanwhile.
pub(super) struct Held {
    pub(super) id: String,
    pub(super) session: Arc<Session>,
    pub(super) in_flight: InFlight,
    pub(super) ended: Cancellation,
    /// Which of the streams for news it is that is told; a new one takes the place of the last.
    pub(super) listener: watch::Sender<u64>,
    logs: Mutex<Logs>,
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
        Self { open: Mutex::default(), most, ttl }
    }

    /// Takes a session in, under a new id.
    pub(super) fn open(&self, session: Session) -> Result<Arc<Held>, Unopened> {
        let mut bytes = [0; ID];
        getrandom::fill(&mut bytes).map_err(Unopened::NoId)?;
        let id = URL_SAFE_NO_PAD.encode(bytes);
        let mut open = self.lock();
        if open.len() >= self.most {
            open.retain(|_, held| !held.is_older_than(self.ttl));
        }
        if open.len() >= self.most {
            let oldest = open.values().filter(|held| held.is_older_than(QUIET)).min_by_key(|held| held.last_used());
            let oldest = oldest.map(|held| held.id.clone()).ok_or(Unopened::Full)?;
            open.remove(&oldest);
        }
        let held = Arc::new(Held {
            id: id.clone(),
            session: Arc::new(session),
            in_flight: InFlight::default(),
            ended: Cancellation::default(),
            listener: watch::Sender::new(0),
            logs: Mutex::default(),
            used: Mutex::new(Instant::now()),
        });
        open.insert(id, Arc::clone(&held));
        Ok(held)
    }

    /// The session of this id, if it belongs to this caller: nobody else learns whether there is one.
    pub(super) fn find(&self, id: &str, principal: &Principal) -> Option<Arc<Held>> {
        let mut open = self.lock();
        let held = open.get(id).filter(|held| held.belongs_to(principal))?;
        if held.is_older_than(self.ttl) {
            open.remove(id);
            return None;
        }
        let held = Arc::clone(held);
        *held.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        Some(held)
    }

    /// Ends a session: nothing that runs in it is answered any more.
    pub(super) fn end(&self, held: &Held) {
        self.lock().remove(&held.id);
        held.in_flight.cancel_all();
        held.ended.cancel();
    }

    /// Nobody listens for news any more.
    pub(super) fn end_streams(&self) {
        self.lock().values().for_each(|held| held.listener.send_modify(|listener| *listener += 1));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Held>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    fn belongs_to(&self, principal: &Principal) -> bool {
        self.session.principal().identity() == principal.identity()
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
        let log = Arc::new(Log::new(logs.last));
        logs.kept.insert(log.id, Arc::clone(&log));
        let done: Vec<u64> = logs.kept.values().filter(|log| log.is_done()).map(|log| log.id).collect();
        for id in done.iter().take(done.len().saturating_sub(MAX_DONE)) {
            logs.kept.remove(id);
        }
        log
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
