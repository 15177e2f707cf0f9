//! What macros expand to. Not for use by hand: it changes without notice.

pub use haft_schema::Param;
pub use serde_json::{Value, json};

pub use crate::tool::{Call, Cancel, Capability, Hints, IconSpec, Refused, ToolSpec, assert_argument, tool};

/// A parameter's default, as JSON. A default that can't be serialised is told at `build()`, as a value that no schema
/// takes.
pub fn default_value<T: serde::Serialize>(value: T) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}

/// Both ends of a raw connection to a server, for tests that look at bytes.
#[cfg(feature = "client")]
pub use crate::transport::memory::connect;
