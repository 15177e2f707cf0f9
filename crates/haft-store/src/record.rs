use std::sync::Arc;

use crate::clock::time;
use crate::lifetime::Running;
use crate::{Entry, NewEntry, Set, Version};

/// An entry as stores keep it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) value: Arc<[u8]>,
    pub(crate) version: u64,
    /// The version that it was created with: its place in lists.
    pub(crate) position: u64,
    pub(crate) owner: Option<Arc<str>>,
    /// In milliseconds since 1970, like all times here.
    pub(crate) created: u64,
    pub(crate) changed: u64,
    pub(crate) running: Running,
}

impl Record {
    pub(crate) fn new(new: NewEntry, version: u64, now: u64) -> Self {
        Self {
            value: new.value,
            version,
            position: version,
            owner: new.owner,
            created: now,
            changed: now,
            running: Running::begin(new.lifetime, now),
        }
    }

    /// The entry after a change.
    pub(crate) fn set(&mut self, set: Set, version: u64, now: u64) {
        self.value = set.value;
        self.version = version;
        self.changed = now;
        match set.lifetime {
            Some(lifetime) => self.running = Running::begin(lifetime, now),
            None => self.running.touch(now),
        }
    }

    pub(crate) fn is_over(&self, now: u64) -> bool {
        self.running.is_over(now)
    }

    pub(crate) fn entry(&self, key: Arc<str>) -> Entry {
        Entry {
            key,
            value: Arc::clone(&self.value),
            version: Version::from(self.version),
            owner: self.owner.clone(),
            created: time(self.created),
            changed: time(self.changed),
            expires: self.running.expires.map(time),
        }
    }
}
