use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::Notify;

/// Messages that a log keeps for a client that comes back; of more, the oldest go.
const MAX_EVENTS: usize = 1024;
/// And their bytes.
const MAX_BYTES: usize = 8 << 20;
/// Bytes of all logs of all sessions from which on those that are done are no longer kept.
const MAX_KEPT: usize = 64 << 20;

/// The bytes that all logs hold.
#[derive(Debug, Default)]
pub(super) struct Kept(AtomicUsize);

impl Kept {
    pub(super) fn is_full(&self) -> bool {
        self.0.load(Ordering::Relaxed) > MAX_KEPT
    }
}

/// What goes out for one POST, kept for as long as the client may ask for it again.
///
/// spec: 2025-11-25 `basic/transports#resumability-and-redelivery`
pub(super) struct Log {
    pub(super) id: u64,
    state: Mutex<State>,
    changed: Notify,
}

struct State {
    kept: Arc<Kept>,
    /// Each with its number.
    events: VecDeque<(u64, Bytes)>,
    last: u64,
    bytes: usize,
    done: bool,
    /// Whether its last message is the answer.
    answered: bool,
    /// How often the server has let the connection go.
    let_go: u64,
    /// Which reader it is that reads: only one at a time does.
    reader: u64,
}

/// What a reader comes upon next.
pub(super) enum Next {
    Event(u64, Bytes),
    /// The connection may be closed; the log goes on.
    LetGo,
    /// There is no more, or another reader has it.
    End,
}

/// A place in a log.
pub(super) struct Reader {
    log: Arc<Log>,
    seen: u64,
    let_go: u64,
    reader: u64,
}

impl State {
    fn new(kept: Arc<Kept>) -> Self {
        let (events, last, bytes, done, answered) = (VecDeque::new(), 0, 0, false, false);
        Self { kept, events, last, bytes, done, answered, let_go: 0, reader: 0 }
    }

    fn push(&mut self, frame: Vec<u8>) {
        self.last += 1;
        self.bytes += frame.len();
        self.kept.0.fetch_add(frame.len(), Ordering::Relaxed);
        self.events.push_back((self.last, frame.into()));
        while self.events.len() > 1 && (self.events.len() > MAX_EVENTS || self.bytes > MAX_BYTES) {
            if let Some((_, dropped)) = self.events.pop_front() {
                self.bytes -= dropped.len();
                self.kept.0.fetch_sub(dropped.len(), Ordering::Relaxed);
            }
        }
    }
}

impl Drop for State {
    fn drop(&mut self) {
        self.kept.0.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl Log {
    pub(super) fn new(id: u64, kept: Arc<Kept>) -> Self {
        Self { id, state: Mutex::new(State::new(kept)), changed: Notify::new() }
    }

    pub(super) fn push(&self, frame: Vec<u8>) {
        self.lock().push(frame);
        self.changed.notify_waiters();
    }

    /// The last of it, if there is any: in one step, so that a reader sees when it is all there is.
    pub(super) fn finish(&self, last: Option<Vec<u8>>) {
        let mut state = self.lock();
        if let Some(last) = last {
            state.push(last);
            state.answered = true;
        }
        state.done = true;
        drop(state);
        self.changed.notify_waiters();
    }

    pub(super) fn let_go(&self) {
        self.lock().let_go += 1;
        self.changed.notify_waiters();
    }

    pub(super) fn is_done(&self) -> bool {
        self.lock().done
    }

    /// Waits until it is.
    pub(super) async fn done(&self) {
        loop {
            let mut changed = std::pin::pin!(self.changed.notified());
            changed.as_mut().enable();
            if self.is_done() {
                return;
            }
            changed.await;
        }
    }

    /// Reads on from the event with the number `seen`; who read before comes to an end.
    pub(super) fn reader(self: &Arc<Self>, seen: u64) -> Reader {
        let mut state = self.lock();
        state.reader += 1;
        let (let_go, reader) = (state.let_go, state.reader);
        drop(state);
        self.changed.notify_waiters();
        Reader { log: Arc::clone(self), seen, let_go, reader }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reader {
    pub(super) fn log(&self) -> &Arc<Log> {
        &self.log
    }

    /// Cancel-safe.
    pub(super) async fn next(&mut self) -> Next {
        loop {
            let log = Arc::clone(&self.log);
            let mut changed = std::pin::pin!(log.changed.notified());
            // Registered before the state is read: a change between the two is not missed.
            changed.as_mut().enable();
            if let Some(next) = self.ready() {
                return next;
            }
            changed.await;
        }
    }

    /// The answer, once it is there; with `only`, where nothing was said before it.
    pub(super) fn answer(&self, only: bool) -> Option<Bytes> {
        let state = self.log.lock();
        let fits = state.answered && (!only || state.last == 1);
        state.events.back().filter(|_| fits).map(|(_, frame)| frame.clone())
    }

    /// Waits until there is something to say.
    pub(super) async fn readable(&self) {
        loop {
            let mut changed = std::pin::pin!(self.log.changed.notified());
            changed.as_mut().enable();
            {
                let state = self.log.lock();
                if state.last > 0 || state.done || state.let_go > self.let_go {
                    return;
                }
            }
            changed.await;
        }
    }

    fn ready(&mut self) -> Option<Next> {
        let state = self.log.lock();
        if state.reader != self.reader {
            return Some(Next::End);
        }
        if let Some((number, frame)) = state.events.iter().find(|(number, _)| *number > self.seen) {
            let (number, frame) = (*number, frame.clone());
            drop(state);
            self.seen = number;
            return Some(Next::Event(number, frame));
        }
        if state.done {
            return Some(Next::End);
        }
        if state.let_go > self.let_go {
            return Some(Next::LetGo);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(log: &Arc<Log>) -> Vec<u64> {
        let mut reader = log.reader(0);
        let events = std::iter::from_fn(|| match reader.ready()? {
            Next::Event(number, _) => Some(number),
            Next::LetGo | Next::End => None,
        });
        events.collect()
    }

    #[test]
    fn of_too_many_messages_the_oldest_go_and_all_bytes_are_counted() {
        let kept = Arc::new(Kept::default());
        let log = Arc::new(Log::new(1, Arc::clone(&kept)));
        for _ in 0..MAX_EVENTS + 10 {
            log.push(vec![0]);
        }
        assert_eq!(numbers(&log), (11..=1034).collect::<Vec<_>>());
        assert_eq!(kept.0.load(Ordering::Relaxed), MAX_EVENTS);
        for _ in 0..3 {
            log.push(vec![0; MAX_BYTES / 2]);
        }
        assert_eq!(numbers(&log), [1036, 1037]);
        // The last one stays, however long it is.
        log.finish(Some(vec![0; MAX_BYTES + 1]));
        assert_eq!(numbers(&log), [1038]);
        assert_eq!(kept.0.load(Ordering::Relaxed), MAX_BYTES + 1);
        drop(log);
        assert_eq!(kept.0.load(Ordering::Relaxed), 0);
    }
}
