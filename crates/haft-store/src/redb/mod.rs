//! Entries in one file.

mod format;
mod lane;
mod tables;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::clock::millis;
use crate::store::{check_key, check_new, check_owner, check_value};
use crate::waiters::Waiters;
use crate::{
    Clock, Created, Cursor, Entry, MAX_PAGE, NewEntry, Outcome, Page, Set, Store, StoreError, StoreErrorKind,
    SystemClock, Version, Watched, Working,
};
use lane::Lane;
use tables::{Done, Look, Seen, Work};

/// A [`Store`] in a file, for one process at a time.
///
/// What was answered is on the disk: it survives a crash of the process and of the machine. Changes that come at the same
/// time are written together. Two threads of the store's own do the work, one for changes and one for reading; a waiter costs
/// neither.
pub struct RedbStore {
    path: PathBuf,
    clock: Arc<dyn Clock>,
    waiters: Arc<Waiters>,
    changes: Lane<Work, Done>,
    looks: Lane<Look, Seen>,
}

impl RedbStore {
    /// Opens the file, or makes it; its folder exists. The whole file is checked for damage first, so this blocks for as long
    /// as reading it takes.
    ///
    /// # Errors
    /// [`StoreErrorKind::Format`] if another version wrote the file, or something else; [`StoreErrorKind::Corrupt`] if it is
    /// damaged; [`StoreErrorKind::Failed`] if another process has it open, or the system refuses. Each says what to do.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::open_with_clock(path, SystemClock)
    }

    /// [`RedbStore::open`] by another clock.
    ///
    /// # Errors
    /// As [`RedbStore::open`].
    pub fn open_with_clock(path: impl AsRef<Path>, clock: impl Clock) -> Result<Self, StoreError> {
        let path = path.as_ref().to_owned();
        let database = Arc::new(format::open(&path)?);
        let (clock, waiters): (Arc<dyn Clock>, _) = (Arc::new(clock), Arc::new(Waiters::default()));
        let changes = {
            let (database, clock, waiters) = (Arc::clone(&database), Arc::clone(&clock), Arc::clone(&waiters));
            Lane::start("haft-store-changes", move |batch| {
                let done = tables::change(&database, &*clock, batch)?;
                for done in &done {
                    if let Some(key) = done.changed() {
                        waiters.wake(key);
                    }
                }
                Ok(done)
            })?
        };
        let looks = {
            let clock = Arc::clone(&clock);
            Lane::start("haft-store-looks", move |batch| tables::look(&database, millis(clock.now()), batch))?
        };
        Ok(Self { path, clock, waiters, changes, looks })
    }
}

impl fmt::Debug for RedbStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedbStore").field("path", &self.path).finish_non_exhaustive()
    }
}

/// An answer of another kind than the question: never so.
fn crossed() -> StoreError {
    StoreError::new(StoreErrorKind::Failed, "the store's thread answered something else")
}

impl Store for RedbStore {
    fn create<'a>(&'a self, key: &'a str, new: NewEntry) -> Working<'a, Created> {
        Box::pin(async move {
            check_new(key, &new)?;
            match self.changes.run(Work::Create(key.into(), new)).await? {
                Done::Created(created) => Ok(created),
                _ => Err(crossed()),
            }
        })
    }

    fn get<'a>(&'a self, key: &'a str) -> Working<'a, Option<Entry>> {
        Box::pin(async move {
            check_key(key)?;
            match self.looks.run(Look::Get(key.into())).await? {
                Seen::Entry(entry) => Ok(entry),
                Seen::Page(_) => Err(crossed()),
            }
        })
    }

    fn touch<'a>(&'a self, key: &'a str) -> Working<'a, Option<Entry>> {
        Box::pin(async move {
            check_key(key)?;
            match self.looks.run(Look::Get(key.into())).await? {
                Seen::Entry(Some(entry)) if entry.expires.is_some() => {}
                Seen::Entry(entry) => return Ok(entry),
                Seen::Page(_) => return Err(crossed()),
            }
            match self.changes.run(Work::Touch(key.into())).await? {
                Done::Touched(entry) => Ok(entry),
                _ => Err(crossed()),
            }
        })
    }

    fn compare_and_set<'a>(&'a self, key: &'a str, expected: Version, set: Set) -> Working<'a, Outcome> {
        Box::pin(async move {
            check_key(key)?;
            check_value(&set.value)?;
            match self.changes.run(Work::Set(key.into(), expected, set)).await? {
                Done::Set(outcome) => Ok(outcome),
                _ => Err(crossed()),
            }
        })
    }

    fn delete<'a>(&'a self, key: &'a str, expected: Option<Version>) -> Working<'a, Outcome> {
        Box::pin(async move {
            check_key(key)?;
            match self.changes.run(Work::Delete(key.into(), expected)).await? {
                Done::Set(outcome) => Ok(outcome),
                _ => Err(crossed()),
            }
        })
    }

    fn list<'a>(&'a self, owner: &'a str, from: Option<Cursor>, at_most: usize) -> Working<'a, Page> {
        Box::pin(async move {
            check_owner(owner)?;
            let look = Look::List(owner.into(), from.map_or(u64::MAX, u64::from), at_most.clamp(1, MAX_PAGE));
            match self.looks.run(look).await? {
                Seen::Page(page) => Ok(page),
                Seen::Entry(_) => Err(crossed()),
            }
        })
    }

    fn watch<'a>(&'a self, key: &'a str, since: Version, at_most: Duration) -> Working<'a, Watched> {
        Box::pin(self.waiters.watch(self, &*self.clock, key, since, at_most))
    }

    fn expire(&self, at_most: usize) -> Working<'_, usize> {
        Box::pin(async move {
            let mut freed = 0;
            while freed < at_most {
                // A few at a time: nobody waits long for their turn.
                match self.changes.run(Work::Expire((at_most - freed).min(64))).await? {
                    Done::Freed(0) => break,
                    Done::Freed(now) => freed += now,
                    _ => return Err(crossed()),
                }
            }
            Ok(freed)
        })
    }
}
