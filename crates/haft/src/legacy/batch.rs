use haft_wire::ErrorObject;
use serde_json::value::RawValue;

use super::{Session, Version};

/// Messages that one batch may have.
const MOST: usize = 100;

impl Session {
    /// The messages of a batch, which one revision has: each is taken as if it had come alone. `None` where the frame is
    /// none, or the revision has none.
    ///
    /// # Errors
    /// What the client gets for a batch that is empty or too long.
    ///
    /// spec: 2025-03-26 `basic/index#batching`
    pub(crate) fn batch<'a>(&self, frame: &'a [u8]) -> Option<Result<Vec<&'a RawValue>, ErrorObject>> {
        if self.version() != Version::V2025_03_26 || frame.trim_ascii_start().first() != Some(&b'[') {
            return None;
        }
        // What can't be read is refused as any frame that can't.
        let messages: Vec<&RawValue> = serde_json::from_slice(frame).ok()?;
        if messages.is_empty() || messages.len() > MOST {
            let error = format!("Invalid request: a batch has 1 to {MOST} messages, got {}", messages.len());
            return Some(Err(ErrorObject::invalid_request(error)));
        }
        Some(Ok(messages))
    }
}
