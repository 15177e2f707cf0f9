//! Which process leads which call, and what becomes of the calls of one that died.
//!
//! Each process keeps an entry with a lease, and each call says which process leads it. Whoever finds a call whose process
//! has let its lease run out ends it, `interrupted`: somebody who reads it, or another process, by the list of calls that
//! aren't over. A process that stops ends its own.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use haft::store::{Created, Lifetime, NewEntry, Set, Store, StoreError};
use haft::{By, ToolError};
use tokio::time::{Instant, sleep};

use crate::accounts::random;
use crate::call::Outcome;
use crate::calls::Calls;

const WORKERS: &str = "workers";
const LIVE: &str = "live";
const PAGE: usize = 500;

/// This process, to the others.
pub(crate) struct Worker {
    store: Arc<dyn Store>,
    id: String,
    lease: Duration,
    /// Whether nobody else can have this store now.
    alone: bool,
    /// Calls whose process seems dead, and since when. After a whole lease it is: a store that was away for a while has
    /// forgotten the living, too, until they renew.
    suspects: Mutex<HashMap<String, Instant>>,
}

impl Worker {
    /// A process that nobody has seen yet.
    ///
    /// # Errors
    /// Where the system gives no random bytes.
    pub(crate) fn new(store: Arc<dyn Store>, lease: Duration, alone: bool) -> Result<Self, StoreError> {
        let lease = lease.max(Duration::from_millis(100));
        Ok(Self { store, id: random()?, lease, alone, suspects: Mutex::default() })
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Writes down that this process leads this call.
    pub(crate) async fn begin(&self, call_id: &str) -> Result<(), StoreError> {
        let _ = self.store.create(&live(call_id), NewEntry::new(&self.id).owner(LIVE)).await?;
        Ok(())
    }

    /// Nobody has to lead this call any more.
    pub(crate) async fn done(&self, call_id: &str) -> Result<(), StoreError> {
        let _ = self.store.delete(&live(call_id), None).await?;
        self.suspects().remove(call_id);
        Ok(())
    }

    /// Says that this process lives.
    pub(crate) async fn renew(&self) -> Result<(), StoreError> {
        let (key, lease) = (key(&self.id), Lifetime::after(self.lease));
        if let Created::Taken(entry) = self.store.create(&key, NewEntry::new([]).owner(WORKERS).lifetime(lease)).await?
        {
            let _ = self.store.compare_and_set(&key, entry.version, Set::new([]).lifetime(lease)).await?;
        }
        Ok(())
    }

    /// Whether nobody leads this call any more.
    pub(crate) async fn has_lost(&self, call_id: &str, worker: &str) -> Result<bool, StoreError> {
        if worker == self.id {
            return Ok(false);
        }
        if self.alone {
            return Ok(true);
        }
        if self.store.get(&key(worker)).await?.is_some() {
            self.suspects().remove(call_id);
            return Ok(false);
        }
        let since = *self.suspects().entry(call_id.to_owned()).or_insert_with(Instant::now);
        Ok(since.elapsed() >= self.lease)
    }

    fn suspects(&self) -> MutexGuard<'_, HashMap<String, Instant>> {
        self.suspects.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Which processes live.
    async fn alive(&self) -> Result<HashSet<String>, StoreError> {
        let (mut alive, mut from) = (HashSet::new(), None);
        loop {
            let page = self.store.list(WORKERS, from, PAGE).await?;
            alive.extend(page.entries.iter().filter_map(|entry| Some(entry.key.strip_prefix("worker:")?.to_owned())));
            from = page.next;
            if from.is_none() {
                return Ok(alive);
            }
        }
    }
}

/// What is done for as long as this process serves: its lease, and the calls of those that let theirs run out.
pub(crate) async fn tend(calls: Arc<Calls>) {
    let mut ill = false;
    loop {
        sleep(calls.worker.lease / 3).await;
        let tended = async {
            calls.worker.renew().await?;
            look_after(&calls).await
        };
        match tended.await {
            Ok(()) => ill = false,
            Err(error) => {
                if !std::mem::replace(&mut ill, true) {
                    tracing::warn!(%error, "the lease can't be renewed; trying again");
                }
                // Nobody could renew theirs either: what was suspected is suspected anew.
                calls.worker.suspects().clear();
            }
        }
    }
}

/// Ends the calls that nobody leads, and those of this process that should have been over for long.
pub(crate) async fn look_after(calls: &Calls) -> Result<(), ToolError> {
    let worker = &calls.worker;
    let others: HashSet<_> = worker.alive().await?.into_iter().filter(|id| *id != worker.id && !worker.alone).collect();
    let mut from = None;
    loop {
        let page = worker.store.list(LIVE, from, PAGE).await?;
        for entry in &page.entries {
            let leader = std::str::from_utf8(&entry.value).unwrap_or_default();
            if let Some(call_id) = entry.key.strip_prefix("live:")
                && !others.contains(leader)
            {
                settle(calls, call_id).await?;
            }
        }
        from = page.next;
        if from.is_none() {
            break;
        }
    }
    // Somebody may have found one that died before it was on the list.
    let suspects: Vec<_> = worker.suspects().keys().cloned().collect();
    for call_id in suspects {
        settle(calls, &call_id).await?;
    }
    Ok(())
}

async fn settle(calls: &Calls, call_id: &str) -> Result<(), ToolError> {
    let settled = match calls.handles.get(By::SERVER, call_id).await {
        Ok(handle) => calls.settled(handle).await,
        Err(error) => Err(error),
    };
    match settled {
        Ok(handle) if !handle.value.is_over() => Ok(()),
        // Over, or taken back before it was dialed, or kept for long enough.
        Err(error) if error.text().is_none() => Err(error),
        _ => Ok(calls.worker.done(call_id).await?),
    }
}

/// Ends what this process leads: nobody will.
pub(crate) async fn leave(calls: &Calls) -> Result<(), ToolError> {
    let worker = &calls.worker;
    let _ = worker.store.delete(&key(&worker.id), None).await?;
    let mut from = None;
    loop {
        let page = worker.store.list(LIVE, from, PAGE).await?;
        for entry in page.entries.iter().filter(|entry| *entry.value == *worker.id.as_bytes()) {
            let call_id = entry.key.strip_prefix("live:").unwrap_or_default();
            match calls.finish(call_id, Outcome::Interrupted).await {
                Err(error) if error.text().is_none() => return Err(error),
                _ => {}
            }
        }
        from = page.next;
        if from.is_none() {
            return Ok(());
        }
    }
}

fn key(worker: &str) -> String {
    format!("worker:{worker}")
}

fn live(call_id: &str) -> String {
    format!("live:{call_id}")
}
