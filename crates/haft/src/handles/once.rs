use haft_store::{Created, NewEntry, Outcome, Set};

use super::id::digest;
use super::{By, Handle, Handled, Handles, failed};
use crate::error::ToolError;

/// The key of `_meta` that [`Handles::create_once`] reads where it is given no key: a text that the client makes up for
/// one piece of work, and sends again when it repeats the call.
pub const IDEMPOTENCY_KEY: &str = "dev.haft/idempotency-key";

/// The longest key, in characters.
const LONGEST: usize = 255;

/// What [`Handles::create_once`] gives.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Made<T> {
    /// A new handle: do the work.
    New(Handle<T>),
    /// The handle that this key made before, as it is now: the work is under way or done.
    Again(Handle<T>),
}

impl<T> Made<T> {
    /// The handle, whichever it is.
    pub fn into_handle(self) -> Handle<T> {
        match self {
            Self::New(handle) | Self::Again(handle) => handle,
        }
    }
}

impl<T: Handled> Handles<T> {
    /// Keeps a value under a new id, unless this caller has made one by this key before: then it is that one, whatever the
    /// value.
    ///
    /// The key is an argument of the tool's; without one it is what the request's `_meta` has under [`IDEMPOTENCY_KEY`],
    /// and without either this is [`Handles::create`]. A key is remembered for as long as a handle is good. Anonymous
    /// callers share no identity, so their keys say nothing, and each call makes a new handle.
    ///
    /// # Errors
    /// For the model where the key is empty or longer than 255 characters; internal, when the store fails.
    pub async fn create_once<'a>(
        &self,
        by: impl Into<By<'a>>,
        key: Option<&str>,
        value: &T,
    ) -> Result<Made<T>, ToolError> {
        let by = by.into();
        let (Some(key), Some(owner)) = (key.or(by.idempotency_key), by.owner(T::PREFIX)) else {
            return Ok(Made::New(self.create(by, value).await?));
        };
        if key.is_empty() || key.chars().count() > LONGEST {
            let text = format!("The idempotency key must have from 1 to {LONGEST} characters. Choose another one.");
            return Err(ToolError::new(text).code("bad_idempotency_key"));
        }
        let place = format!("once:{}", digest(&[&owner, key]));
        if let Some(entry) = self.store.touch(&place).await.map_err(failed)?
            && let Some(first) = self.made(by, &entry.value).await?
        {
            return Ok(Made::Again(first));
        }
        // The handle is there before the key leads to it. If this ends in between, nobody knows the handle, and it expires.
        let mine = self.create(by, value).await?;
        let new = NewEntry::new(&mine.id).lifetime(T::LIFETIME);
        let mut there = match self.store.create(&place, new).await.map_err(failed)? {
            Created::New(_) => return Ok(Made::New(mine)),
            Created::Taken(there) => there,
        };
        loop {
            if let Some(first) = self.made(by, &there.value).await? {
                // Somebody else repeats the call at the same time, and was first.
                self.take(by, &mine.id).await?;
                return Ok(Made::Again(first));
            }
            // The key's handle is gone before the key.
            let set = Set::new(&mine.id).lifetime(T::LIFETIME);
            there = match self.store.compare_and_set(&place, there.version, set).await.map_err(failed)? {
                Outcome::Done(_) => return Ok(Made::New(mine)),
                Outcome::Conflict(newer) => newer,
                Outcome::Gone => {
                    let new = NewEntry::new(&mine.id).lifetime(T::LIFETIME);
                    match self.store.create(&place, new).await.map_err(failed)? {
                        Created::New(_) => return Ok(Made::New(mine)),
                        Created::Taken(newer) => newer,
                    }
                }
            };
        }
    }

    /// The handle that a key leads to, if it is still there.
    async fn made(&self, by: By<'_>, id: &[u8]) -> Result<Option<Handle<T>>, ToolError> {
        let id = String::from_utf8_lossy(id);
        match self.get(by, &id).await {
            Ok(handle) => Ok(Some(handle)),
            Err(error) if error.text().is_some() => Ok(None),
            Err(error) => Err(error),
        }
    }
}
