use std::error::Error;
use std::fmt;

/// Why a store did not do what it was asked to.
///
/// Its text is for operators. What a caller may do about it depends on its [kind](StoreError::kind).
#[derive(Debug)]
pub struct StoreError {
    kind: StoreErrorKind,
    message: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

/// What kind of failure it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StoreErrorKind {
    /// The store can't be reached or is too busy. It comes back by itself: try again later. A change may have been made
    /// all the same, so read before repeating it.
    Unavailable,
    /// A key, an owner or a value is longer than stores take.
    Invalid,
    /// What is stored was written by another version of this library, or by something else.
    Format,
    /// What is stored can't be read: it was damaged.
    Corrupt,
    /// The disk, the file or the server refuses, and will until somebody mends it.
    Failed,
}

impl StoreError {
    /// An error with a sentence for operators.
    pub fn new(kind: StoreErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None }
    }

    /// With what caused it.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// What kind of failure it was.
    pub fn kind(&self) -> StoreErrorKind {
        self.kind
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for StoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn Error + 'static))
    }
}
