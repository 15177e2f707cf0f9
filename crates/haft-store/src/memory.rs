use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::clock::millis;
use crate::record::Record;
use crate::store::{FREED_ON_CREATE, check_key, check_new, check_owner, check_value};
use crate::waiters::Waiters;
use crate::{
    Clock, Created, Cursor, Entry, MAX_PAGE, NewEntry, Outcome, Page, Set, Store, StoreError, SystemClock, Version,
    Watched, Working,
};

/// A [`Store`] that ends with its process.
pub struct MemoryStore {
    clock: Box<dyn Clock>,
    tables: Mutex<Tables>,
    waiters: Waiters,
}

impl MemoryStore {
    /// An empty one, by the system's clock.
    pub fn new() -> Self {
        Self::with_clock(SystemClock)
    }

    /// An empty one, by another clock.
    pub fn with_clock(clock: impl Clock) -> Self {
        Self { clock: Box::new(clock), tables: Mutex::default(), waiters: Waiters::default() }
    }

    /// How many entries take space, expired ones among them.
    pub fn len(&self) -> usize {
        self.lock().records.len()
    }

    /// Whether none does.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn now(&self) -> u64 {
        millis(self.clock.now())
    }

    fn lock(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn create_now(&self, key: &str, new: NewEntry) -> Result<Created, StoreError> {
        check_new(key, &new)?;
        let now = self.now();
        let mut tables = self.lock();
        tables.free(now, FREED_ON_CREATE);
        if let Some((key, record)) = tables.find(key, now) {
            return Ok(Created::Taken(record.entry(key)));
        }
        // An expired one that holds the key.
        tables.remove(key);
        let version = tables.next_version();
        let record = Record::new(new, version, now);
        let key: Arc<str> = key.into();
        let entry = record.entry(Arc::clone(&key));
        tables.insert(key, record);
        drop(tables);
        self.waiters.wake(&entry.key);
        Ok(Created::New(entry))
    }

    fn touch_now(&self, key: &str) -> Result<Option<Entry>, StoreError> {
        check_key(key)?;
        let now = self.now();
        let mut tables = self.lock();
        let Some((key, record)) = tables.find(key, now) else { return Ok(None) };
        if !record.running.needs_touch(now) {
            return Ok(Some(record.entry(key)));
        }
        let mut record = record.clone();
        record.running.touch(now);
        let entry = record.entry(Arc::clone(&key));
        tables.insert(key, record);
        Ok(Some(entry))
    }

    fn set_now(&self, key: &str, expected: Version, set: Set) -> Result<Outcome, StoreError> {
        check_key(key)?;
        check_value(&set.value)?;
        let now = self.now();
        let mut tables = self.lock();
        let Some((key, record)) = tables.find(key, now) else { return Ok(Outcome::Gone) };
        if record.version != u64::from(expected) {
            return Ok(Outcome::Conflict(record.entry(key)));
        }
        let mut record = record.clone();
        record.set(set, tables.next_version(), now);
        let entry = record.entry(Arc::clone(&key));
        tables.insert(key, record);
        drop(tables);
        self.waiters.wake(&entry.key);
        Ok(Outcome::Done(entry))
    }

    fn delete_now(&self, key: &str, expected: Option<Version>) -> Result<Outcome, StoreError> {
        check_key(key)?;
        let mut tables = self.lock();
        let Some((key, record)) = tables.find(key, self.now()) else { return Ok(Outcome::Gone) };
        let entry = record.entry(key);
        if expected.is_some_and(|expected| expected != entry.version) {
            return Ok(Outcome::Conflict(entry));
        }
        tables.remove(&entry.key);
        drop(tables);
        self.waiters.wake(&entry.key);
        Ok(Outcome::Done(entry))
    }

    fn list_now(&self, owner: &str, from: Option<Cursor>, at_most: usize) -> Result<Page, StoreError> {
        check_owner(owner)?;
        let (now, from, at_most) = (self.now(), from.map_or(u64::MAX, u64::from), at_most.clamp(1, MAX_PAGE));
        let tables = self.lock();
        let Some(keys) = tables.owners.get(owner) else { return Ok(Page { entries: Vec::new(), next: None }) };
        let mut entries = Vec::new();
        let mut last = None;
        for (position, key) in keys.range(..from).rev() {
            let Some(record) = tables.records.get(key).filter(|record| !record.is_over(now)) else { continue };
            if entries.len() == at_most {
                return Ok(Page { entries, next: last });
            }
            entries.push(record.entry(Arc::clone(key)));
            last = Some(Cursor::from(*position));
        }
        Ok(Page { entries, next: None })
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore").field("len", &self.len()).finish_non_exhaustive()
    }
}

impl Store for MemoryStore {
    fn create<'a>(&'a self, key: &'a str, new: NewEntry) -> Working<'a, Created> {
        Box::pin(async move { self.create_now(key, new) })
    }

    fn get<'a>(&'a self, key: &'a str) -> Working<'a, Option<Entry>> {
        Box::pin(async move {
            check_key(key)?;
            Ok(self.lock().find(key, self.now()).map(|(key, record)| record.entry(key)))
        })
    }

    fn touch<'a>(&'a self, key: &'a str) -> Working<'a, Option<Entry>> {
        Box::pin(async move { self.touch_now(key) })
    }

    fn compare_and_set<'a>(&'a self, key: &'a str, expected: Version, set: Set) -> Working<'a, Outcome> {
        Box::pin(async move { self.set_now(key, expected, set) })
    }

    fn delete<'a>(&'a self, key: &'a str, expected: Option<Version>) -> Working<'a, Outcome> {
        Box::pin(async move { self.delete_now(key, expected) })
    }

    fn list<'a>(&'a self, owner: &'a str, from: Option<Cursor>, at_most: usize) -> Working<'a, Page> {
        Box::pin(async move { self.list_now(owner, from, at_most) })
    }

    fn watch<'a>(&'a self, key: &'a str, since: Version, at_most: Duration) -> Working<'a, Watched> {
        Box::pin(self.waiters.watch(self, &*self.clock, key, since, at_most))
    }

    fn expire(&self, at_most: usize) -> Working<'_, usize> {
        Box::pin(async move {
            let mut freed = 0;
            while freed < at_most {
                // A few at a time: nobody waits long for the lock.
                let now = self.lock().free(self.now(), (at_most - freed).min(256));
                if now == 0 {
                    break;
                }
                freed += now;
                tokio::task::yield_now().await;
            }
            Ok(freed)
        })
    }
}

#[derive(Default)]
struct Tables {
    records: HashMap<Arc<str>, Record>,
    /// The keys of each owner, by when they were created.
    owners: HashMap<Arc<str>, BTreeMap<u64, Arc<str>>>,
    /// By when they expire.
    expiring: BTreeSet<(u64, Arc<str>)>,
    last_version: u64,
}

impl Tables {
    fn next_version(&mut self) -> u64 {
        self.last_version += 1;
        self.last_version
    }

    fn find(&self, key: &str, now: u64) -> Option<(Arc<str>, &Record)> {
        let (key, record) = self.records.get_key_value(key)?;
        (!record.is_over(now)).then(|| (Arc::clone(key), record))
    }

    /// Puts a record in the place of any that is there.
    fn insert(&mut self, key: Arc<str>, record: Record) {
        self.remove(&key);
        if let Some(owner) = &record.owner {
            self.owners.entry(Arc::clone(owner)).or_default().insert(record.position, Arc::clone(&key));
        }
        if let Some(expires) = record.running.expires {
            self.expiring.insert((expires, Arc::clone(&key)));
        }
        self.records.insert(key, record);
    }

    fn remove(&mut self, key: &str) {
        let Some((key, record)) = self.records.remove_entry(key) else { return };
        if let Some(owner) = &record.owner
            && let Some(keys) = self.owners.get_mut(owner)
        {
            keys.remove(&record.position);
            if keys.is_empty() {
                self.owners.remove(owner);
            }
        }
        if let Some(expires) = record.running.expires {
            self.expiring.remove(&(expires, key));
        }
    }

    fn free(&mut self, now: u64, at_most: usize) -> usize {
        for freed in 0..at_most {
            match self.expiring.first() {
                Some((expires, key)) if *expires <= now => {
                    let key = Arc::clone(key);
                    self.remove(&key);
                }
                _ => return freed,
            }
        }
        at_most
    }
}
