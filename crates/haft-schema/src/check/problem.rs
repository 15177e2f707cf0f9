//! What is wrong with a schema or a definition when a server is built.

use std::fmt;

/// One reason why a definition is refused when it is built.
///
/// Everything that can be known before the first call is a `Problem`: a schema that doesn't compile, a reference that leads
/// nowhere, a type that hosts can't take. All problems of a definition are reported together.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// The rule that is broken, e.g. `"schema"` or `"portable_input"`. Rules that can be opted out of are opted out of by
    /// this name.
    pub rule: &'static str,
    /// Where: a JSON Pointer into the schema, `""` for the whole of it.
    pub place: String,
    /// What is wrong and what to write instead.
    pub message: String,
}

impl Problem {
    /// A problem with `rule` at `place` (a JSON Pointer into the schema, `""` for the whole of it).
    pub fn new(rule: &'static str, place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { rule, place: place.into(), message: message.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.place.is_empty() {
            write!(f, "{}: ", self.place)?;
        }
        write!(f, "{} [{}]", self.message, self.rule)
    }
}
