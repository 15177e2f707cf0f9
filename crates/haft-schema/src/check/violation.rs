//! One way in which a value fails its schema, as data.

use std::fmt;

use super::excerpt::Excerpt;

/// One way in which a value fails its schema.
///
/// Violations hold no reference to the value, and never more than a short excerpt of it, however large it is.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Violation {
    /// Where in the value: a JSON Pointer (RFC 6901), `""` for the whole value. A missing or unknown member is named by the
    /// pointer it would have or has.
    pub pointer: String,
    /// What is wrong.
    pub kind: ViolationKind,
    /// An excerpt of the value at [`pointer`](Self::pointer); `None` where nothing is there.
    pub got: Option<Excerpt>,
    /// The description that the schema gives of this place, if it is one line of at most 120 characters.
    pub description: Option<String>,
    /// The first of the examples that the schema gives for this place, as JSON.
    pub example: Option<String>,
}

/// What is wrong with a value.
///
/// Values that come from the schema (limits, options) are JSON text, spelled the same under every feature of serde_json.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ViolationKind {
    /// A required member is absent. `expected` says in words what belongs there, e.g. `a string`.
    Missing {
        /// What belongs there, in words; `None` if the schema admits anything.
        expected: Option<String>,
    },
    /// A member that the schema doesn't know, in an object that is closed.
    Unknown {
        /// The first members that the object may have.
        known: Vec<String>,
        /// How many more it may have.
        unlisted: usize,
        /// The known member that was probably meant.
        suggestion: Option<String>,
    },
    /// Nothing is allowed here.
    NotAllowed,
    /// The value is of the wrong type. The names are those of JSON Schema (`string`, `integer`, ...).
    Type {
        /// The types that are admitted.
        expected: Vec<&'static str>,
        /// What is asked for in words, if that says more, e.g. `an array of strings`.
        words: Option<String>,
    },
    /// The value is none of those listed (`enum`, `const`, the tag of a union).
    Options {
        /// The first values that are admitted, as JSON.
        options: Vec<String>,
        /// How many more are.
        unlisted: usize,
        /// The option that was probably meant, as JSON.
        suggestion: Option<String>,
    },
    /// The number is too small.
    Minimum {
        /// The bound, as JSON.
        limit: String,
        /// Whether the bound itself is refused.
        exclusive: bool,
    },
    /// The number is too large.
    Maximum {
        /// The bound, as JSON.
        limit: String,
        /// Whether the bound itself is refused.
        exclusive: bool,
    },
    /// The number isn't a multiple of `of`.
    MultipleOf {
        /// The divisor, as JSON.
        of: String,
    },
    /// The number is beyond the range of an IEEE 754 double.
    NumberRange,
    /// The string has fewer characters than `limit`.
    MinLength {
        /// The bound, in characters.
        limit: u64,
        /// How many characters there are.
        actual: u64,
    },
    /// The string has more characters than `limit`.
    MaxLength {
        /// The bound, in characters.
        limit: u64,
        /// How many characters there are.
        actual: u64,
    },
    /// The string doesn't match a regular expression.
    Pattern {
        /// The expression, as written in the schema.
        pattern: String,
    },
    /// Matching the string took more steps than allowed, so it counts as no match.
    PatternCost {
        /// The expression, as written in the schema.
        pattern: String,
    },
    /// The string isn't in the format that the schema names, e.g. `date-time`.
    Format {
        /// The format's name.
        format: String,
    },
    /// The string isn't encoded as the schema says (`contentEncoding`, `contentMediaType`).
    Encoding {
        /// The encoding or media type.
        name: String,
    },
    /// The array has fewer items than `limit`.
    MinItems {
        /// The bound.
        limit: u64,
        /// How many items there are.
        actual: u64,
    },
    /// The array has more items than `limit`.
    MaxItems {
        /// The bound.
        limit: u64,
        /// How many items there are.
        actual: u64,
    },
    /// Two items of the array are equal.
    Duplicates,
    /// The number of items that fit the schema of `contains` isn't within bounds.
    Contains {
        /// How many must fit, at least.
        min: u64,
        /// How many may fit, at most.
        max: Option<u64>,
        /// How many fit.
        actual: u64,
        /// What such an item is, in words.
        expected: Option<String>,
    },
    /// The object has fewer members than `limit`.
    MinProperties {
        /// The bound.
        limit: u64,
        /// How many members there are.
        actual: u64,
    },
    /// The object has more members than `limit`.
    MaxProperties {
        /// The bound.
        limit: u64,
        /// How many members there are.
        actual: u64,
    },
    /// The name of a member isn't admitted.
    Name {
        /// The kind of violation that the name itself, as a string, is.
        problem: Box<ViolationKind>,
    },
    /// The value fits none of several alternatives.
    Alternatives {
        /// The alternatives, in words.
        alternatives: Vec<String>,
    },
    /// The value fits more than one of several alternatives that exclude each other.
    Ambiguous {
        /// The alternatives that it fits, in words.
        alternatives: Vec<String>,
    },
    /// The value fits a schema that it must not fit.
    Forbidden {
        /// The schema, in words.
        what: Option<String>,
    },
    /// The value is nested too deeply to be checked.
    Depth {
        /// The most levels that are allowed.
        limit: usize,
    },
    /// The value is too large to be checked by this schema, or the schema too intricate for this value.
    Cost,
    /// The value passed the schema and was refused by what reads it, for the reason given.
    Rejected {
        /// The reason, in words for the caller.
        reason: String,
    },
    /// The value fails the schema in a way that has no words of its own.
    Unfit,
    /// The check stopped before the end of the value: there may be more violations than those listed.
    Unfinished,
}

impl Violation {
    pub(crate) fn new(pointer: impl Into<String>, kind: ViolationKind) -> Self {
        Self { pointer: pointer.into(), kind, got: None, description: None, example: None }
    }
}

/// The violation on one line, as in a text for a model, with its value shown.
impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&super::render::line(self, &super::render::RenderOptions::arguments("")))
    }
}
