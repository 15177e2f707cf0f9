//! Which process leads which call, and what becomes of the calls of one that died.
//!
//! Each process keeps an entry with a lease, and one for each of its calls that isn't over. Whoever comes next and finds a
//! call whose process has let its lease run out ends it: `interrupted`. So does a process when it stops.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use haft::store::{Created, Cursor, Lifetime, NewEntry, Set, Store, StoreError};
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
}

/// Calls whose process seems dead, and since when. After a whole lease it is.
type Suspects = HashMap<String, Instant>;

impl Worker {
    /// A process that nobody has seen yet.
    ///
    /// # Errors
    /// Where the system gives no random bytes.
    pub(crate) fn new(store: Arc<dyn Store>, lease: Duration) -> Result<Self, StoreError> {
        Ok(Self { store, id: random()?, lease: lease.max(Duration::from_millis(100)) })
    }

    /// Writes down that this process leads this call.
    pub(crate) async fn begin(&self, call_id: &str) -> Result<(), StoreError> {
        let _ = self.store.create(&live(call_id), NewEntry::new(&self.id).owner(LIVE)).await?;
        Ok(())
    }

    /// Nobody has to lead this call any more.
    pub(crate) async fn done(&self, call_id: &str) -> Result<(), StoreError> {
        let _ = self.store.delete(&live(call_id), None).await?;
        Ok(())
    }

    /// Says that this process lives.
    pub(crate) async fn renew(&self) -> Result<(), StoreError> {
        let (key, lease) = (self.key(), Lifetime::after(self.lease));
        if let Created::Taken(entry) = self.store.create(&key, NewEntry::new([]).owner(WORKERS).lifetime(lease)).await?
        {
            let _ = self.store.compare_and_set(&key, entry.version, Set::new([]).lifetime(lease)).await?;
        }
        Ok(())
    }

    fn key(&self) -> String {
        format!("worker:{}", self.id)
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
    let mut suspects = Suspects::new();
    let mut ill = false;
    loop {
        sleep(calls.worker.lease / 3).await;
        let tended = async {
            calls.worker.renew().await?;
            let alive = calls.worker.alive().await?;
            sweep(&calls, &alive, Some(&mut suspects)).await
        };
        match tended.await {
            Ok(_) => ill = false,
            Err(error) => {
                if !std::mem::replace(&mut ill, true) {
                    tracing::warn!(%error, "the lease can't be renewed; trying again");
                }
                // Nobody could renew theirs either: what was suspected is suspected anew.
                suspects.clear();
            }
        }
    }
}

/// Takes over from whoever had this store before, where nobody but this process can have it now. Says how many calls it
/// ended.
pub(crate) async fn inherit(calls: &Calls) -> Result<usize, ToolError> {
    sweep(calls, &HashSet::from([calls.worker.id.clone()]), None).await
}

/// Ends what this process leads: nobody will.
pub(crate) async fn leave(calls: &Calls) -> Result<usize, ToolError> {
    let mut alive = calls.worker.alive().await?;
    alive.remove(&calls.worker.id);
    let _ = calls.store.delete(&calls.worker.key(), None).await?;
    sweep(calls, &alive, Some(&mut Suspects::new())).await
}

/// Ends the calls that nobody leads. Without `suspects`, at once; else those that were suspected a lease ago, and those of
/// this process if it isn't alive itself.
async fn sweep(
    calls: &Calls,
    alive: &HashSet<String>,
    mut suspects: Option<&mut Suspects>,
) -> Result<usize, ToolError> {
    let (mut from, mut ended, mut seen): (Option<Cursor>, usize, HashSet<String>) = (None, 0, HashSet::new());
    loop {
        let page = calls.store.list(LIVE, from, PAGE).await?;
        for entry in &page.entries {
            let Some(call_id) = entry.key.strip_prefix("live:") else { continue };
            let worker = String::from_utf8_lossy(&entry.value);
            let mine = worker == calls.worker.id;
            if alive.contains(&*worker) {
                if mine && is_overdue(calls, call_id).await? {
                    calls.finish(call_id, Outcome::TimeLimit).await?;
                    ended += 1;
                }
                continue;
            }
            if let Some(suspects) = suspects.as_deref_mut().filter(|_| !mine) {
                seen.insert(call_id.to_owned());
                let since = *suspects.entry(call_id.to_owned()).or_insert_with(Instant::now);
                if since.elapsed() < calls.worker.lease {
                    continue;
                }
            }
            tracing::info!(call = call_id, "a call is ended: the process that led it is gone");
            match calls.finish(call_id, Outcome::Interrupted).await {
                Ok(_) => ended += 1,
                // It was never placed, or was kept for long enough.
                Err(error) if error.text().is_some() => calls.worker.done(call_id).await?,
                Err(error) => return Err(error),
            }
        }
        from = page.next;
        if from.is_none() {
            break;
        }
    }
    if let Some(suspects) = suspects {
        suspects.retain(|call_id, _| seen.contains(call_id));
    }
    Ok(ended)
}

async fn is_overdue(calls: &Calls, call_id: &str) -> Result<bool, ToolError> {
    match calls.handles.get(By::SERVER, call_id).await {
        Ok(handle) => Ok(handle.value.is_overdue(calls.clock.now())),
        Err(error) if error.text().is_some() => Ok(false),
        Err(error) => Err(error),
    }
}

fn live(call_id: &str) -> String {
    format!("live:{call_id}")
}
