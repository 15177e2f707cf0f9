use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use crate::{Created, Cursor, Entry, NewEntry, Outcome, Page, Set, StoreError, StoreErrorKind, Version, Watched};

/// The longest key, in bytes.
pub const MAX_KEY: usize = 512;

/// The longest owner, in bytes.
pub const MAX_OWNER: usize = 1024;

/// The longest value, in bytes: 16 MiB.
pub const MAX_VALUE: usize = 16 << 20;

/// The most entries of one page.
pub const MAX_PAGE: usize = 1000;

/// The longest that [`Store::watch`] waits: an hour.
pub const MAX_WAIT: Duration = Duration::from_secs(3600);

/// What the operations of a [`Store`] give back: a future of their result.
pub type Working<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Keeps entries: bytes under keys, with owners, versions and lifetimes.
///
/// Usually held as `Arc<dyn Store>`. Whoever writes another one runs the crate's `suite` over it.
///
/// **One at a time.** Each operation is atomic: of any number at once, by however many processes share the store, each sees
/// all of another's effect or none, and what has been answered is seen by every operation that begins after.
///
/// **Kept.** What was answered is as durable as the store promises: nothing in memory outlives its process; a file outlives
/// a crash of the process and of the machine; Redis keeps what its own settings say.
///
/// **Expired is gone.** An entry that has expired is as one that never was, to every operation.
///
/// **Dropped futures.** An operation whose future is dropped before its end was done whole or not at all; which, only
/// reading tells. The same holds for [`StoreErrorKind::Unavailable`].
///
/// # Errors
/// Every operation can fail as [`StoreErrorKind`] says; [`StoreErrorKind::Invalid`] if a key is empty or longer than
/// [`MAX_KEY`], an owner than [`MAX_OWNER`], a value than [`MAX_VALUE`].
pub trait Store: Send + Sync + 'static {
    /// Puts an entry there unless there is one.
    ///
    /// Of several at once under one key, one gets [`Created::New`], and all others its entry.
    fn create<'a>(&'a self, key: &'a str, new: NewEntry) -> Working<'a, Created>;

    /// The entry, if there is one. No use of it, as far as its lifetime goes.
    fn get<'a>(&'a self, key: &'a str) -> Working<'a, Option<Entry>>;

    /// The entry, if there is one, which is used by this: see [`Lifetime::unused`](crate::Lifetime::unused). Its version
    /// stays, and nobody who watches it is told.
    fn touch<'a>(&'a self, key: &'a str) -> Working<'a, Option<Entry>>;

    /// Changes the entry if it still has this version. A use of it.
    ///
    /// Of several at once with one version, one is [`Outcome::Done`].
    fn compare_and_set<'a>(&'a self, key: &'a str, expected: Version, set: Set) -> Working<'a, Outcome>;

    /// Removes the entry, if it has this version or none is asked for.
    fn delete<'a>(&'a self, key: &'a str, expected: Option<Version>) -> Working<'a, Outcome>;

    /// Removes the entry and gives it to whoever takes it: of any number at once, by any number of processes, one.
    ///
    /// If this one loses its answer, nobody has it.
    fn take<'a>(&'a self, key: &'a str) -> Working<'a, Option<Entry>> {
        Box::pin(async move {
            match self.delete(key, None).await? {
                Outcome::Done(entry) => Ok(Some(entry)),
                Outcome::Conflict(_) | Outcome::Gone => Ok(None),
            }
        })
    }

    /// An owner's entries from a place on, newest first: at most so many, and at most [`MAX_PAGE`]. No use of them.
    ///
    /// What is created meanwhile is on no later page, what is deleted or expires on none. Everything else is on one page.
    fn list<'a>(&'a self, owner: &'a str, from: Option<Cursor>, at_most: usize) -> Working<'a, Page>;

    /// Waits until the entry has another version than this one, or is gone, but not longer than so long (and not longer
    /// than [`MAX_WAIT`]). No use of it.
    ///
    /// It wakes for changes by every process that shares the store, and when the entry expires. Changes before it began
    /// are not missed: it compares versions. A waiter costs its future and an entry in a table, neither a thread nor a
    /// connection. A store that can't be reached for a while only delays it, as long as it is back in time.
    fn watch<'a>(&'a self, key: &'a str, since: Version, at_most: Duration) -> Working<'a, Watched>;

    /// Frees what expired entries take: of at most so many. Says of how many it was.
    ///
    /// No entry expires later for want of it. Stores free a few whenever an entry is created, so that they don't grow;
    /// this is for those who want the space back sooner.
    fn expire(&self, at_most: usize) -> Working<'_, usize>;
}

/// How many expired entries an operation that creates one frees on its way.
pub(crate) const FREED_ON_CREATE: usize = 8;

/// Refuses a key that no store takes.
pub(crate) fn check_key(key: &str) -> Result<(), StoreError> {
    if key.is_empty() {
        return Err(StoreError::new(StoreErrorKind::Invalid, "a key is empty"));
    }
    check("a key", key.len(), MAX_KEY)
}

/// Refuses an owner that no store takes.
pub(crate) fn check_owner(owner: &str) -> Result<(), StoreError> {
    check("an owner", owner.len(), MAX_OWNER)
}

/// Refuses a value that no store takes.
pub(crate) fn check_value(value: &[u8]) -> Result<(), StoreError> {
    check("a value", value.len(), MAX_VALUE)
}

/// Refuses a new entry that no store takes.
pub(crate) fn check_new(key: &str, new: &NewEntry) -> Result<(), StoreError> {
    check_key(key)?;
    check_owner(new.owner.as_deref().unwrap_or_default())?;
    check_value(&new.value)
}

fn check(what: &str, length: usize, most: usize) -> Result<(), StoreError> {
    if length <= most {
        return Ok(());
    }
    Err(StoreError::new(StoreErrorKind::Invalid, format!("{what} has {length} bytes; {most} are the most")))
}
