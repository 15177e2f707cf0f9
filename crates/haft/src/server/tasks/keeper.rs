use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use haft_store::{
    Created, Entry, Lifetime, MAX_WAIT, NewEntry, Outcome, Set, Store, StoreError, StoreErrorKind, Version, Watched,
};
use haft_wire::Task;
use tokio::time::{Instant, sleep};

use super::record::{Record, Unreadable};
use crate::handles::digest;

/// The store, as far as tasks go.
#[derive(Clone)]
pub(super) struct Keeper {
    store: Arc<dyn Store>,
    lease: Duration,
}

/// A task as it is kept.
pub(super) struct Kept {
    pub(super) id: Arc<str>,
    pub(super) entry: Entry,
    pub(super) record: Record,
}

/// The right to run a task. Whoever has it, nobody else has.
#[derive(Debug)]
pub(super) struct Lease {
    key: String,
    version: Version,
    /// When it was taken or renewed, and until when it is sure to hold, by this process's own clock.
    pub(super) since: Instant,
    pub(super) until: Instant,
}

/// Random bytes of an id, which is all that keeps strangers from the tasks of anonymous callers.
const RANDOM: usize = 16;
const PREFIX: &str = "task_";

/// Between two tries of a store that can't be reached: at first, and at most.
const PAUSE: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(2));

impl Kept {
    fn of(id: &Arc<str>, entry: Entry) -> Result<Self, StoreError> {
        let record = Record::read(&entry.value).map_err(|Unreadable(why)| {
            StoreError::new(StoreErrorKind::Corrupt, format!("the record of a task can't be read: {why}"))
        })?;
        Ok(Self { id: Arc::clone(id), entry, record })
    }

    pub(super) fn task(&self) -> Task {
        self.record.task(&self.id, &self.entry)
    }
}

impl Keeper {
    pub(super) fn new(store: Arc<dyn Store>, lease: Duration) -> Self {
        Self { store, lease }
    }

    pub(super) fn lease_time(&self) -> Duration {
        self.lease
    }

    /// A new id. `None` without randomness.
    pub(super) fn new_id() -> Option<Arc<str>> {
        let mut bytes = [0; RANDOM];
        getrandom::fill(&mut bytes).ok()?;
        Some(format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(bytes)).into())
    }

    /// Whether a text is one that [`Keeper::new_id`] may have made. Others are in no store.
    pub(super) fn is_id(text: &str) -> bool {
        text.strip_prefix(PREFIX)
            .is_some_and(|rest| URL_SAFE_NO_PAD.decode(rest).is_ok_and(|bytes| bytes.len() == RANDOM))
    }

    /// How many tasks an owner has, counted up to `most`.
    pub(super) async fn count(&self, owner: &str, most: usize) -> Result<usize, StoreError> {
        Ok(self.store.list(&owner_key(owner), None, most).await?.entries.len())
    }

    /// Keeps a new task, with its lease. It can be asked for when this returns.
    pub(super) async fn create(
        &self,
        id: &Arc<str>,
        record: Record,
        ttl: Duration,
    ) -> Result<(Kept, Lease), StoreError> {
        let lifetime = Lifetime::after(ttl);
        let taken = || StoreError::new(StoreErrorKind::Failed, "an id was drawn that is taken");
        let lease = self.take_lease(id).await?.ok_or_else(taken)?;
        let place = NewEntry::new("").owner(owner_key(&record.owner)).lifetime(lifetime);
        let _: Created = self.store.create(&format!("task/{id}/place"), place).await?;
        let new = NewEntry::new(written(&record)?).lifetime(lifetime);
        match self.store.create(&record_key(id), new).await? {
            Created::New(entry) => Ok((Kept { id: Arc::clone(id), entry, record }, lease)),
            Created::Taken(_) => Err(taken()),
        }
    }

    pub(super) async fn get(&self, id: &Arc<str>) -> Result<Option<Kept>, StoreError> {
        self.store.get(&record_key(id)).await?.map(|entry| Kept::of(id, entry)).transpose()
    }

    /// Changes a record, whoever else does so meanwhile. `change` may be called several times; it says whether there is
    /// anything to change. Gives the task as it is then.
    pub(super) async fn change(
        &self,
        id: &Arc<str>,
        mut change: impl FnMut(&mut Record) -> bool,
    ) -> Result<Option<Kept>, StoreError> {
        let Some(mut kept) = self.get(id).await? else { return Ok(None) };
        loop {
            if !change(&mut kept.record) {
                return Ok(Some(kept));
            }
            let set = Set::new(written(&kept.record)?);
            match self.store.compare_and_set(&record_key(id), kept.entry.version, set).await? {
                Outcome::Done(entry) => return Ok(Some(Kept { entry, ..kept })),
                Outcome::Conflict(entry) => kept = Kept::of(id, entry)?,
                Outcome::Gone => return Ok(None),
            }
        }
    }

    /// [`Keeper::change`], again and again while the store can't be reached.
    pub(super) async fn change_surely(
        &self,
        id: &Arc<str>,
        mut change: impl FnMut(&mut Record) -> bool,
    ) -> Result<Option<Kept>, StoreError> {
        let mut pause = PAUSE.0;
        loop {
            match self.change(id, &mut change).await {
                Err(error) if error.kind() == StoreErrorKind::Unavailable => {
                    tracing::warn!(%error, "a task can't be kept; trying again");
                    sleep(pause).await;
                    pause = (pause * 2).min(PAUSE.1);
                }
                other => return other,
            }
        }
    }

    /// Waits for another version of a record, at most so long. `None` once it is gone.
    pub(super) async fn watch(
        &self,
        id: &Arc<str>,
        since: Version,
        at_most: Duration,
    ) -> Result<Option<Kept>, StoreError> {
        match self.store.watch(&record_key(id), since, at_most).await? {
            Watched::Changed(entry) | Watched::Unchanged(entry) => Kept::of(id, entry).map(Some),
            Watched::Gone => Ok(None),
        }
    }

    /// Waits for another version of a record, however long that takes and however often the store fails. `None` once it is
    /// gone, or can't be read.
    pub(super) async fn watch_on(&self, id: &Arc<str>, since: Version) -> Option<Kept> {
        let mut pause = PAUSE.0;
        loop {
            match self.watch(id, since, MAX_WAIT).await {
                Ok(Some(kept)) if kept.entry.version == since => pause = PAUSE.0,
                Ok(seen) => return seen,
                Err(error) if error.kind() == StoreErrorKind::Unavailable => {
                    tracing::warn!(%error, "a task can't be watched; trying again");
                    sleep(pause).await;
                    pause = (pause * 2).min(PAUSE.1);
                }
                Err(error) => {
                    tracing::error!(%error, "a task can't be watched");
                    return None;
                }
            }
        }
    }

    /// Takes the right to run a task, if nobody has it.
    pub(super) async fn take_lease(&self, id: &str) -> Result<Option<Lease>, StoreError> {
        let key = lease_key(id);
        let since = Instant::now();
        match self.store.create(&key, NewEntry::new("").lifetime(Lifetime::after(self.lease))).await? {
            Created::New(entry) => Ok(Some(Lease { key, version: entry.version, since, until: since + self.lease })),
            Created::Taken(_) => Ok(None),
        }
    }

    /// Whether anybody has the right to run it.
    pub(super) async fn is_leased(&self, id: &str) -> Result<bool, StoreError> {
        Ok(self.store.get(&lease_key(id)).await?.is_some())
    }

    /// Whether the lease still holds, and from now on.
    pub(super) async fn renew(&self, lease: &mut Lease) -> Result<bool, StoreError> {
        let since = Instant::now();
        let set = Set::new("").lifetime(Lifetime::after(self.lease));
        match self.store.compare_and_set(&lease.key, lease.version, set).await? {
            Outcome::Done(entry) => {
                (lease.version, lease.since, lease.until) = (entry.version, since, since + self.lease);
                Ok(true)
            }
            Outcome::Conflict(_) | Outcome::Gone => Ok(false),
        }
    }

    /// Gives the lease back. Where that fails, it expires.
    pub(super) async fn release(&self, lease: Lease) {
        if let Err(error) = self.store.delete(&lease.key, Some(lease.version)).await {
            tracing::debug!(%error, "the lease of a task can't be given back; it expires");
        }
    }
}

fn record_key(id: &str) -> String {
    format!("task/{id}")
}

fn lease_key(id: &str) -> String {
    format!("task/{id}/lease")
}

/// By which the tasks of one caller are counted. As long as any other, however long the caller's name is.
fn owner_key(owner: &str) -> String {
    format!("task/{}", digest(&[owner]))
}

fn written(record: &Record) -> Result<String, StoreError> {
    record.written().map_err(|Unreadable(why)| {
        StoreError::new(StoreErrorKind::Invalid, format!("the record of a task can't be written: {why}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_long_and_nothing_else_is_looked_up() {
        let id = Keeper::new_id().unwrap();
        assert!(Keeper::is_id(&id) && id.len() == PREFIX.len() + 22, "{id}");
        for other in ["", "task_", &id[1..], &format!("{id}/lease"), &format!("{id}A"), &id[..id.len() - 1]] {
            assert!(!Keeper::is_id(other), "{other}");
        }
    }
}
