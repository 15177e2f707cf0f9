//! The file: which version of the format it has, and how an entry's bytes are laid out.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use ::redb::{Database, DatabaseError, ReadableDatabase, TableDefinition, TableHandle};

use crate::lifetime::Running;
use crate::record::Record;
use crate::{StoreError, StoreErrorKind};

/// The version of the format that this code reads and writes.
const FORMAT: u64 = 1;

pub(super) const META: TableDefinition<'static, &str, u64> = TableDefinition::new("meta");
pub(super) const ENTRIES: TableDefinition<'static, &str, &[u8]> = TableDefinition::new("entries");
/// By owner and when they were created: keys.
pub(super) const OWNED: TableDefinition<'static, (&str, u64), &str> = TableDefinition::new("owned");
/// By when they expire: keys.
pub(super) const EXPIRING: TableDefinition<'static, (u64, &str), ()> = TableDefinition::new("expiring");

/// Opens the file and checks it whole.
pub(super) fn open(path: &Path) -> Result<Database, StoreError> {
    match catch_unwind(AssertUnwindSafe(|| open_and_check(path))) {
        Ok(opened) => opened,
        Err(_) => Err(damaged(path)),
    }
}

fn open_and_check(path: &Path) -> Result<Database, StoreError> {
    let is_new = std::fs::metadata(path).map_or(true, |file| file.len() == 0);
    let mut database = Database::create(path).map_err(|error| not_opened(path, error))?;
    if !is_new {
        // What was cut off by a crash is mended by this, too; only what can't be is an error.
        database.check_integrity().map_err(|error| not_opened(path, error))?;
        match version(&database).map_err(|error| storage(path, error))? {
            Known::Version(FORMAT) => return Ok(database),
            Known::Version(other) => return Err(other_version(path, other)),
            Known::SomethingElse => return Err(something_else(path)),
            Known::Nothing => {}
        }
    }
    begin(&database).map_err(|error| storage(path, error))?;
    Ok(database)
}

enum Known {
    Version(u64),
    /// Tables of somebody else's.
    SomethingElse,
    /// No table at all: a process died while it made the file.
    Nothing,
}

fn version(database: &Database) -> Result<Known, ::redb::Error> {
    let reading = database.begin_read()?;
    let mut tables = reading.list_tables()?;
    if !tables.any(|table| table.name() == META.name()) {
        return Ok(if reading.list_tables()?.next().is_some() { Known::SomethingElse } else { Known::Nothing });
    }
    let Ok(meta) = reading.open_table(META) else { return Ok(Known::SomethingElse) };
    Ok(meta.get("format")?.map_or(Known::SomethingElse, |version| Known::Version(version.value())))
}

fn begin(database: &Database) -> Result<(), ::redb::Error> {
    let writing = database.begin_write()?;
    writing.open_table(META)?.insert("format", FORMAT)?;
    writing.open_table(ENTRIES)?;
    writing.open_table(OWNED)?;
    writing.open_table(EXPIRING)?;
    writing.commit()?;
    Ok(())
}

fn not_opened(path: &Path, error: DatabaseError) -> StoreError {
    let path_shown = path.display();
    match error {
        DatabaseError::DatabaseAlreadyOpen => StoreError::new(
            StoreErrorKind::Failed,
            format!(
                "{path_shown} is open in another process, and one at a time may use it: end that one, or use Redis"
            ),
        ),
        DatabaseError::UpgradeRequired(version) => other_version(path, u64::from(version)),
        DatabaseError::Storage(error) => storage(path, error.into()),
        error => storage(path, error.into()),
    }
}

fn storage(path: &Path, error: ::redb::Error) -> StoreError {
    let path_shown = path.display();
    match &error {
        ::redb::Error::Corrupted(_) => damaged(path).with_source(error),
        ::redb::Error::Io(io)
            if matches!(io.kind(), std::io::ErrorKind::InvalidData | std::io::ErrorKind::UnexpectedEof) =>
        {
            damaged(path).with_source(error)
        }
        ::redb::Error::Io(_) => {
            StoreError::new(StoreErrorKind::Failed, format!("{path_shown} can't be opened")).with_source(error)
        }
        _ => {
            StoreError::new(StoreErrorKind::Failed, format!("{path_shown} can't be used as a store")).with_source(error)
        }
    }
}

fn damaged(path: &Path) -> StoreError {
    let message = format!(
        "{} is no file of a store, or is damaged: restore it from a backup, or move it away to begin with an empty one",
        path.display()
    );
    StoreError::new(StoreErrorKind::Corrupt, message)
}

fn other_version(path: &Path, version: u64) -> StoreError {
    let message = format!(
        "{} has version {version} of the store's format, and this reads version {FORMAT}: open it with the release that \
         wrote it, or move it away to begin with an empty one",
        path.display()
    );
    StoreError::new(StoreErrorKind::Format, message)
}

fn something_else(path: &Path) -> StoreError {
    let message = format!("{} belongs to another program: name another file for the store", path.display());
    StoreError::new(StoreErrorKind::Format, message)
}

/// What goes wrong once the file is open.
pub(super) fn failed(error: ::redb::Error) -> StoreError {
    let (kind, message) = match &error {
        ::redb::Error::Corrupted(_) => (StoreErrorKind::Corrupt, "the store's file is damaged"),
        _ => (StoreErrorKind::Failed, "the store's file can't be read or written"),
    };
    let message = format!("{message}: {error}");
    StoreError::new(kind, message).with_source(error)
}

/// No number of the format is as large as this: it stands for none.
const NONE: u64 = u64::MAX;

pub(super) fn encode(record: &Record) -> Vec<u8> {
    let Running { end, idle, expires } = record.running;
    let numbers = [
        record.version,
        record.position,
        record.created,
        record.changed,
        end.unwrap_or(NONE),
        idle.unwrap_or(NONE),
        expires.unwrap_or(NONE),
        record.owner.as_ref().map_or(NONE, |owner| owner.len() as u64),
    ];
    let mut bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    bytes.extend_from_slice(record.owner.as_deref().unwrap_or_default().as_bytes());
    bytes.extend_from_slice(&record.value);
    bytes
}

pub(super) fn decode(bytes: &[u8]) -> Result<Record, StoreError> {
    read(bytes).ok_or_else(|| StoreError::new(StoreErrorKind::Corrupt, "an entry of the store's file can't be read"))
}

fn read(mut bytes: &[u8]) -> Option<Record> {
    let mut next = || {
        let (number, rest) = bytes.split_first_chunk::<8>()?;
        bytes = rest;
        Some(u64::from_le_bytes(*number))
    };
    let (version, position, created, changed) = (next()?, next()?, next()?, next()?);
    let (end, idle, expires, owner) = (next()?, next()?, next()?, next()?);
    let some = |number: u64| (number != NONE).then_some(number);
    let length = some(owner).map_or(Some(0), |length| usize::try_from(length).ok())?;
    let (name, value) = bytes.split_at_checked(length)?;
    let name: Arc<str> = std::str::from_utf8(name).ok()?.into();
    Some(Record {
        value: value.into(),
        version,
        position,
        owner: some(owner).map(|_| name),
        created,
        changed,
        running: Running { end: some(end), idle: some(idle), expires: some(expires) },
    })
}
