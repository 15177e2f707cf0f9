//! A handle's bytes in the store: its version as eight bytes, then the value as JSON.

use haft_store::{Entry, Version};
use haft_wire::strict;

use super::{Handle, Handled};
use crate::error::ToolError;

/// A handle, and which state of its entry it is.
pub(super) struct Stored<T> {
    pub(super) handle: Handle<T>,
    pub(super) version: Version,
}

/// Numbers that JSON hasn't are refused here, as in results.
pub(super) fn encode<T: Handled>(version: u64, value: &T) -> Result<Vec<u8>, ToolError> {
    let json = strict::to_string(value).map_err(ToolError::internal)?;
    Ok([&version.to_be_bytes(), json.as_bytes()].concat())
}

impl<T: Handled> Stored<T> {
    pub(super) fn read(id: String, entry: Entry) -> Result<Self, ToolError> {
        let unreadable = |why: String| {
            ToolError::internal(format!(
                "a stored {} can't be read; was it stored by another version? {why}",
                T::PREFIX
            ))
        };
        let (version, json) =
            entry.value.split_first_chunk::<8>().ok_or_else(|| unreadable("it is too short".to_owned()))?;
        let value = serde_json::from_slice(json).map_err(|error| unreadable(error.to_string()))?;
        let version = u64::from_be_bytes(*version);
        let handle = Handle { id, version, value, created: entry.created, expires: entry.expires };
        Ok(Self { handle, version: entry.version })
    }
}
