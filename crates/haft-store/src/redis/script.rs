//! The scripts, and how their answers are read.
//!
//! An entry is a hash under `<prefix>:e:<key>`, which Redis expires. `<prefix>:o:<owner>` has an owner's keys by when they
//! were created; `<prefix>:x` has the keys that are in such a list by when they expire, so that they are taken out of it;
//! `<prefix>:version` is the last version.

use std::sync::Arc;

use ::redis::{Script, Value};

use super::error::corrupt;
use crate::clock::time;
use crate::{Created, Cursor, Entry, Outcome, Page, StoreError, Version};

/// What every script begins with.
const COMMON: &str = include_str!("common.lua");

pub(super) struct Scripts {
    pub(super) create: Script,
    pub(super) find: Script,
    pub(super) set: Script,
    pub(super) delete: Script,
    pub(super) list: Script,
    pub(super) expire: Script,
}

impl Scripts {
    pub(super) fn new() -> Self {
        let script = |own: &str| Script::new(&format!("{COMMON}\n{own}"));
        Self {
            create: script(include_str!("create.lua")),
            find: script(include_str!("find.lua")),
            set: script(include_str!("set.lua")),
            delete: script(include_str!("delete.lua")),
            list: script(include_str!("list.lua")),
            expire: script(include_str!("expire.lua")),
        }
    }
}

/// What a script says: a word, and what belongs to it.
pub(super) struct Answer {
    word: String,
    rest: Vec<Value>,
}

impl Answer {
    pub(super) fn read(value: Value) -> Result<Self, StoreError> {
        let Value::Array(mut rest) = value else { return Err(corrupt("a script answers no list")) };
        if rest.is_empty() {
            return Err(corrupt("a script answers nothing"));
        }
        let word = text(&rest.remove(0))?;
        Ok(Self { word, rest })
    }

    fn entry(&self, key: &str) -> Result<Entry, StoreError> {
        match self.rest.as_slice() {
            [Value::Array(fields)] => entry(key, fields),
            _ => Err(corrupt("a script answers no entry")),
        }
    }

    pub(super) fn found(&self, key: &str) -> Result<Option<Entry>, StoreError> {
        if self.word == "gone" { Ok(None) } else { self.entry(key).map(Some) }
    }

    pub(super) fn created(&self, key: &str) -> Result<Created, StoreError> {
        let entry = self.entry(key)?;
        Ok(if self.word == "done" { Created::New(entry) } else { Created::Taken(entry) })
    }

    pub(super) fn outcome(&self, key: &str) -> Result<Outcome, StoreError> {
        Ok(match self.word.as_str() {
            "gone" => Outcome::Gone,
            "done" => Outcome::Done(self.entry(key)?),
            _ => Outcome::Conflict(self.entry(key)?),
        })
    }

    pub(super) fn count(&self) -> Result<usize, StoreError> {
        self.rest.first().map_or(Err(corrupt("a script answers no number")), number).map(|count| count as usize)
    }

    /// Keys and entries in turn, before them where the next page begins.
    pub(super) fn page(&self) -> Result<Page, StoreError> {
        let [next, listed @ ..] = self.rest.as_slice() else { return Err(corrupt("a script answers no page")) };
        let next = if self.word == "more" { Some(Cursor::from(number(next)?)) } else { None };
        let mut entries = Vec::new();
        for pair in listed.chunks_exact(2) {
            let Value::Array(fields) = &pair[1] else { return Err(corrupt("a script answers no entry")) };
            entries.push(entry(&text(&pair[0])?, fields)?);
        }
        Ok(Page { entries, next })
    }
}

/// The fields in the order of `FIELDS` in `common.lua`.
fn entry(key: &str, fields: &[Value]) -> Result<Entry, StoreError> {
    let [value, version, created, changed, expires, owner] = fields else {
        return Err(corrupt("fields are missing"));
    };
    Ok(Entry {
        key: key.into(),
        value: bytes(value)?.into(),
        version: Version::from(number(version)?),
        owner: match owner {
            Value::Nil => None,
            owner => Some(Arc::from(text(owner)?)),
        },
        created: time(number(created)?),
        changed: time(number(changed)?),
        expires: match expires {
            Value::Nil => None,
            expires => Some(time(number(expires)?)),
        },
    })
}

fn bytes(value: &Value) -> Result<&[u8], StoreError> {
    match value {
        Value::BulkString(bytes) => Ok(bytes),
        Value::SimpleString(text) => Ok(text.as_bytes()),
        _ => Err(corrupt("a field is no text")),
    }
}

fn text(value: &Value) -> Result<String, StoreError> {
    String::from_utf8(bytes(value)?.to_vec()).map_err(|_| corrupt("a field is no text"))
}

fn number(value: &Value) -> Result<u64, StoreError> {
    let number = match value {
        Value::Int(number) => u64::try_from(*number).ok(),
        value => text(value)?.parse().ok(),
    };
    number.ok_or_else(|| corrupt("a field is no number"))
}
