//! JSON text of any `Serialize`, with an error where `serde_json` alone would write `null` for a number.
//!
//! ```
//! let readings = [("kitchen", 21.5), ("attic", f64::NAN)];
//! let error = haft_wire::strict::to_string(&readings).unwrap_err();
//! assert_eq!(error.path(), "/1/1");
//! ```

mod serializer;

use std::fmt;

use serde::Serialize;

use crate::order::Ordered;
use serializer::{Strict, Trail};

/// A value that JSON can't say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StrictError {
    path: String,
    kind: StrictErrorKind,
}

/// Why a value can't be written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StrictErrorKind {
    /// NaN or an infinity.
    NotFinite,
    /// What the type's `Serialize` or `serde_json` has to say, for instance about map keys that are no strings.
    Unsupported(String),
}

impl StrictError {
    /// JSON pointer to what can't be written; empty for the value as a whole. For a map key that can't be written it
    /// points to the map.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Why it can't be written.
    pub fn kind(&self) -> &StrictErrorKind {
        &self.kind
    }
}

impl fmt::Display for StrictError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            StrictErrorKind::NotFinite => f.write_str("NaN or an infinity, which JSON has no number for")?,
            StrictErrorKind::Unsupported(why) => f.write_str(why)?,
        }
        if self.path.is_empty() { Ok(()) } else { write!(f, " (at {})", self.path) }
    }
}

impl std::error::Error for StrictError {}

/// The compact JSON text of a value. Integers are written digit for digit, `i128` and `u128` included.
///
/// # Errors
///
/// If there is NaN or an infinity anywhere in it, a map key that is no string, or its `Serialize` fails.
pub fn to_string<T: Serialize + ?Sized>(value: &T) -> Result<String, StrictError> {
    let mut out = Vec::with_capacity(128);
    write(value, &mut out)?;
    String::from_utf8(out)
        .map_err(|error| StrictError { path: String::new(), kind: StrictErrorKind::Unsupported(error.to_string()) })
}

/// The compact text of a JSON value, members sorted by name and numbers spelled by value: equal values, equal texts,
/// whatever the order they came in and whichever features `serde_json` has.
///
/// # Errors
///
/// As [`to_string`]'s; none for what [`parse`](crate::parse) has let in.
pub fn canonical(value: &serde_json::Value) -> Result<String, StrictError> {
    to_string(&Ordered(value))
}

/// Appends the text of a value. After an error `out` may hold part of it.
pub(crate) fn write<T: Serialize + ?Sized>(value: &T, out: &mut Vec<u8>) -> Result<(), StrictError> {
    let trail = Trail::default();
    let mut serializer = serde_json::Serializer::new(out);
    let outcome = value.serialize(Strict::new(&mut serializer, &trail));
    match (trail.not_finite(), outcome) {
        (false, Ok(())) => Ok(()),
        // A `Serialize` that swallowed the error has left half a text behind.
        (true, _) => Err(StrictError { path: trail.pointer(), kind: StrictErrorKind::NotFinite }),
        (false, Err(error)) => {
            Err(StrictError { path: trail.pointer(), kind: StrictErrorKind::Unsupported(error.to_string()) })
        }
    }
}
