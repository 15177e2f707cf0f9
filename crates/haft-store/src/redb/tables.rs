//! What is done to the tables, a batch at a time.

use std::sync::Arc;

use ::redb::{Database, Error, ReadableDatabase, ReadableTable, Table};

use super::format::{ENTRIES, EXPIRING, META, OWNED, decode, encode, failed};
use crate::clock::millis;
use crate::record::Record;
use crate::store::FREED_ON_CREATE;
use crate::{Clock, Created, Cursor, Entry, NewEntry, Outcome, Page, Set, StoreError, Version};

/// What changes the file.
pub(super) enum Work {
    Create(Arc<str>, NewEntry),
    Touch(Arc<str>),
    Set(Arc<str>, Version, Set),
    Delete(Arc<str>, Option<Version>),
    Expire(usize),
}

/// What came of it.
pub(super) enum Done {
    Created(Created),
    Touched(Option<Entry>),
    Set(Outcome),
    Freed(usize),
}

impl Done {
    /// The key whose watchers are to be woken.
    pub(super) fn changed(&self) -> Option<&str> {
        match self {
            Self::Created(Created::New(entry)) | Self::Set(Outcome::Done(entry)) => Some(&entry.key),
            _ => None,
        }
    }
}

/// What only reads.
pub(super) enum Look {
    Get(Arc<str>),
    List(Arc<str>, u64, usize),
}

/// What was seen.
pub(super) enum Seen {
    Entry(Option<Entry>),
    Page(Page),
}

/// Does all of a batch, or none.
pub(super) fn change(database: &Database, clock: &dyn Clock, batch: Vec<Work>) -> Result<Vec<Done>, StoreError> {
    let failed = |error: Error| failed(error);
    let writing = database.begin_write().map_err(|error| failed(error.into()))?;
    let mut done = Vec::with_capacity(batch.len());
    let changed = {
        let open = |error: ::redb::TableError| failed(error.into());
        let mut tables = Tables {
            meta: writing.open_table(META).map_err(open)?,
            entries: writing.open_table(ENTRIES).map_err(open)?,
            owned: writing.open_table(OWNED).map_err(open)?,
            expiring: writing.open_table(EXPIRING).map_err(open)?,
            now: millis(clock.now()),
            changed: false,
        };
        for work in batch {
            done.push(tables.work(work)?);
        }
        tables.changed
    };
    if changed {
        writing.commit().map_err(|error| failed(error.into()))?;
    } else {
        writing.abort().map_err(|error| failed(error.into()))?;
    }
    Ok(done)
}

struct Tables<'t> {
    meta: Table<'t, &'static str, u64>,
    entries: Table<'t, &'static str, &'static [u8]>,
    owned: Table<'t, (&'static str, u64), &'static str>,
    expiring: Table<'t, (u64, &'static str), ()>,
    now: u64,
    changed: bool,
}

impl Tables<'_> {
    fn work(&mut self, work: Work) -> Result<Done, StoreError> {
        Ok(match work {
            Work::Create(key, new) => Done::Created(self.create(key, new)?),
            Work::Touch(key) => Done::Touched(self.touch(key)?),
            Work::Set(key, expected, set) => Done::Set(self.set(key, expected, set)?),
            Work::Delete(key, expected) => Done::Set(self.delete(key, expected)?),
            Work::Expire(at_most) => Done::Freed(self.free(at_most)?),
        })
    }

    fn create(&mut self, key: Arc<str>, new: NewEntry) -> Result<Created, StoreError> {
        self.free(FREED_ON_CREATE)?;
        if let Some(record) = self.there(&key)? {
            return Ok(Created::Taken(record.entry(key)));
        }
        // An expired one that holds the key.
        self.remove(&key)?;
        let record = Record::new(new, self.next_version()?, self.now);
        self.insert(&key, &record)?;
        Ok(Created::New(record.entry(key)))
    }

    fn touch(&mut self, key: Arc<str>) -> Result<Option<Entry>, StoreError> {
        let Some(mut record) = self.there(&key)? else { return Ok(None) };
        if record.running.needs_touch(self.now) {
            record.running.touch(self.now);
            self.insert(&key, &record)?;
        }
        Ok(Some(record.entry(key)))
    }

    fn set(&mut self, key: Arc<str>, expected: Version, set: Set) -> Result<Outcome, StoreError> {
        let Some(mut record) = self.there(&key)? else { return Ok(Outcome::Gone) };
        if record.version != u64::from(expected) {
            return Ok(Outcome::Conflict(record.entry(key)));
        }
        record.set(set, self.next_version()?, self.now);
        self.insert(&key, &record)?;
        Ok(Outcome::Done(record.entry(key)))
    }

    fn delete(&mut self, key: Arc<str>, expected: Option<Version>) -> Result<Outcome, StoreError> {
        let Some(record) = self.there(&key)? else { return Ok(Outcome::Gone) };
        let entry = record.entry(Arc::clone(&key));
        if expected.is_some_and(|expected| expected != entry.version) {
            return Ok(Outcome::Conflict(entry));
        }
        self.remove(&key)?;
        Ok(Outcome::Done(entry))
    }

    fn next_version(&mut self) -> Result<u64, StoreError> {
        let last = self.meta.get("version").map_err(stored)?.map_or(0, |last| last.value());
        let next = last.saturating_add(1);
        self.meta.insert("version", next).map_err(stored)?;
        self.changed = true;
        Ok(next)
    }

    fn record(&self, key: &str) -> Result<Option<Record>, StoreError> {
        self.entries.get(key).map_err(stored)?.map(|bytes| decode(bytes.value())).transpose()
    }

    fn there(&self, key: &str) -> Result<Option<Record>, StoreError> {
        Ok(self.record(key)?.filter(|record| !record.is_over(self.now)))
    }

    /// Puts a record in the place of any that is there.
    fn insert(&mut self, key: &str, record: &Record) -> Result<(), StoreError> {
        self.remove(key)?;
        if let Some(owner) = &record.owner {
            self.owned.insert((&**owner, record.position), key).map_err(stored)?;
        }
        if let Some(expires) = record.running.expires {
            self.expiring.insert((expires, key), ()).map_err(stored)?;
        }
        self.entries.insert(key, encode(record).as_slice()).map_err(stored)?;
        self.changed = true;
        Ok(())
    }

    fn remove(&mut self, key: &str) -> Result<(), StoreError> {
        let Some(record) = self.record(key)? else { return Ok(()) };
        self.entries.remove(key).map_err(stored)?;
        if let Some(owner) = &record.owner {
            self.owned.remove((&**owner, record.position)).map_err(stored)?;
        }
        if let Some(expires) = record.running.expires {
            self.expiring.remove((expires, key)).map_err(stored)?;
        }
        self.changed = true;
        Ok(())
    }

    fn free(&mut self, at_most: usize) -> Result<usize, StoreError> {
        for freed in 0..at_most {
            let first = self.expiring.first().map_err(stored)?.map(|(first, _)| {
                let (expires, key) = first.value();
                (expires, key.to_owned())
            });
            match first {
                Some((expires, key)) if expires <= self.now => {
                    // First from here: an entry that is missing must not be met again and again.
                    self.expiring.remove((expires, key.as_str())).map_err(stored)?;
                    self.remove(&key)?;
                    self.changed = true;
                }
                _ => return Ok(freed),
            }
        }
        Ok(at_most)
    }
}

fn stored(error: ::redb::StorageError) -> StoreError {
    failed(error.into())
}

/// Reads for a whole batch, all of it as of one moment.
pub(super) fn look(database: &Database, now: u64, batch: Vec<Look>) -> Result<Vec<Seen>, StoreError> {
    let reading = database.begin_read().map_err(|error| failed(error.into()))?;
    let open = |error: ::redb::TableError| failed(error.into());
    let entries = reading.open_table(ENTRIES).map_err(open)?;
    let owned = reading.open_table(OWNED).map_err(open)?;
    let there = |key: &str| -> Result<Option<Record>, StoreError> {
        let record = entries.get(key).map_err(stored)?.map(|bytes| decode(bytes.value())).transpose()?;
        Ok(record.filter(|record| !record.is_over(now)))
    };
    let page = |owner: &str, from: u64, at_most: usize| -> Result<Page, StoreError> {
        let (mut listed, mut last) = (Vec::new(), None);
        for item in owned.range((owner, 0)..(owner, from)).map_err(stored)?.rev() {
            let (place, key) = item.map_err(stored)?;
            let Some(record) = there(key.value())? else { continue };
            if listed.len() == at_most {
                return Ok(Page { entries: listed, next: last });
            }
            listed.push(record.entry(key.value().into()));
            last = Some(Cursor::from(place.value().1));
        }
        Ok(Page { entries: listed, next: None })
    };
    batch
        .into_iter()
        .map(|look| {
            Ok(match look {
                Look::Get(key) => Seen::Entry(there(&key)?.map(|record| record.entry(key))),
                Look::List(owner, from, at_most) => Seen::Page(page(&owner, from, at_most)?),
            })
        })
        .collect()
}
