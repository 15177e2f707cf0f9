use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use crate::Lifetime;

/// Which state of an entry it is.
///
/// Each creation and each change gives an entry a version greater than all that the store gave before, and none is given
/// twice: not even to an entry that is created again under a key that was used before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version(u64);

impl From<u64> for Version {
    fn from(number: u64) -> Self {
        Self(number)
    }
}

impl From<Version> for u64 {
    fn from(version: Version) -> Self {
        version.0
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A place in a list: the page that follows begins after it. A number, so that it can be given away and taken back; one
/// that no page gave is a place as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cursor(u64);

impl From<u64> for Cursor {
    fn from(number: u64) -> Self {
        Self(number)
    }
}

impl From<Cursor> for u64 {
    fn from(cursor: Cursor) -> Self {
        cursor.0
    }
}

/// What a store keeps under a key, as it was at one moment.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// Its key.
    pub key: Arc<str>,
    /// The bytes.
    pub value: Arc<[u8]>,
    /// Which state of it this is.
    pub version: Version,
    /// By whom it is listed.
    pub owner: Option<Arc<str>>,
    /// When it was created.
    pub created: SystemTime,
    /// When it was last changed.
    pub changed: SystemTime,
    /// When it ends, unless it is used before and its lifetime depends on that. To the millisecond.
    pub expires: Option<SystemTime>,
}

/// The value stays out: nobody knows what it holds.
impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry")
            .field("key", &self.key)
            .field("bytes", &self.value.len())
            .field("version", &self.version)
            .field("expires", &self.expires)
            .finish_non_exhaustive()
    }
}

/// What [`Store::create`](crate::Store::create) puts there.
#[derive(Clone)]
pub struct NewEntry {
    pub(crate) value: Arc<[u8]>,
    pub(crate) owner: Option<Arc<str>>,
    pub(crate) lifetime: Lifetime,
}

impl NewEntry {
    /// A value that nobody owns, without an end.
    pub fn new(value: impl AsRef<[u8]>) -> Self {
        Self { value: value.as_ref().into(), owner: None, lifetime: Lifetime::FOREVER }
    }

    /// Listed under this owner, which never changes. Any text that says who it is, and of what kind the entry is where one
    /// owner has several.
    #[must_use]
    pub fn owner(mut self, owner: impl Into<Arc<str>>) -> Self {
        self.owner = Some(owner.into());
        self
    }

    /// With this lifetime, which begins now.
    #[must_use]
    pub fn lifetime(mut self, lifetime: Lifetime) -> Self {
        self.lifetime = lifetime;
        self
    }
}

/// What [`Store::compare_and_set`](crate::Store::compare_and_set) puts in the place of what is there.
#[derive(Clone)]
pub struct Set {
    pub(crate) value: Arc<[u8]>,
    pub(crate) lifetime: Option<Lifetime>,
}

impl Set {
    /// A value; the entry's lifetime runs on.
    pub fn new(value: impl AsRef<[u8]>) -> Self {
        Self { value: value.as_ref().into(), lifetime: None }
    }

    /// With a lifetime in the place of the entry's, which begins now.
    #[must_use]
    pub fn lifetime(mut self, lifetime: Lifetime) -> Self {
        self.lifetime = Some(lifetime);
        self
    }
}

/// How [`Store::create`](crate::Store::create) went.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Created {
    /// It is there now, as this.
    New(Entry),
    /// The key was taken, by this, which stays as it is.
    Taken(Entry),
}

/// How a change went that depends on the entry's version.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Outcome {
    /// Done: the entry as it is now, or as it was when it was deleted.
    Done(Entry),
    /// Not done: the entry has another version, this one.
    Conflict(Entry),
    /// Not done: nothing is there. It never was, was deleted, or has expired.
    Gone,
}

/// What [`Store::watch`](crate::Store::watch) saw.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Watched {
    /// Another version, as the entry is now. Versions between may have gone by unseen.
    Changed(Entry),
    /// Nothing in all that time.
    Unchanged(Entry),
    /// Nothing is there, or no longer.
    Gone,
}

/// Some of an owner's entries, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Page {
    /// The entries, by when they were created.
    pub entries: Vec<Entry>,
    /// Where the next page begins, if there may be more. That page can turn out empty.
    pub next: Option<Cursor>,
}
