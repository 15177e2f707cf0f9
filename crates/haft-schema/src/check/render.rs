//! Violations as text: for the model that is to correct its arguments, and for the operator whose tool broke its schema.

use std::fmt::Write as _;

use super::excerpt::plain;
use super::violation::{Violation, ViolationKind};

/// The most violations that get a line of their own.
const MAX_LINES: usize = 10;
/// The most names or options that are listed in one line.
const MAX_LISTED: usize = 12;
/// The most characters that such a list takes.
const MAX_LIST_CHARS: usize = 240;
/// The most characters of a pointer.
const MAX_POINTER_CHARS: usize = 120;
/// The most characters of a name, an option or a pattern.
const MAX_NAME_CHARS: usize = 80;
/// The most characters of an expectation or a reason.
const MAX_PHRASE_CHARS: usize = 200;

/// What the violations are about, and what must not be shown.
#[derive(Debug, Clone, Copy)]
pub struct RenderOptions<'a> {
    /// The tool's name.
    subject: &'a str,
    /// What was checked, which decides the first and the last line.
    checked: Checked,
    /// JSON Pointers of values that are never shown, with all that lies below them.
    secrets: &'a [String],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Checked {
    Arguments,
    Output,
}

impl<'a> RenderOptions<'a> {
    /// Text for a model whose arguments for the tool `subject` were refused.
    pub fn arguments(subject: &'a str) -> Self {
        Self { subject, checked: Checked::Arguments, secrets: &[] }
    }

    /// Text for the operator of the tool `subject`, whose output doesn't match its output schema.
    pub fn output(subject: &'a str) -> Self {
        Self { subject, checked: Checked::Output, secrets: &[] }
    }

    /// JSON Pointers, such as `/password`, of values that are never shown, nor anything below them.
    pub fn secrets(self, secrets: &'a [String]) -> Self {
        Self { secrets, ..self }
    }
}

/// All violations as text: what happened, one line for each of the first ten, and what to do next.
///
/// Values are shown at 80 characters at most, with control characters escaped; secrets aren't shown at all.
pub fn render(violations: &[Violation], options: &RenderOptions<'_>) -> String {
    let unfinished = violations.iter().any(|v| v.kind == ViolationKind::Unfinished);
    let mut lines: Vec<String> = Vec::new();
    let mut total = 0;
    for violation in violations.iter().filter(|v| v.kind != ViolationKind::Unfinished) {
        total += 1;
        if lines.len() < MAX_LINES {
            let line = line(violation, options);
            // Hidden members of a secret read alike.
            if lines.contains(&line) {
                total -= 1;
            } else {
                lines.push(line);
            }
        }
    }

    let count = if unfinished { format!("more than {total}") } else { total.to_string() };
    let plural = if total == 1 && !unfinished { "" } else { "s" };
    let subject = options.subject;
    let mut text = match options.checked {
        Checked::Arguments => format!("{subject} was not run: {count} problem{plural} with its arguments.\n"),
        Checked::Output => {
            format!("The output of {subject} does not match its output schema: {count} problem{plural}.\n")
        }
    };
    for line in &lines {
        // Writing to a String can't fail.
        let _ = writeln!(text, "- {line}");
    }
    if total > lines.len() {
        let at_least = if unfinished { "at least " } else { "" };
        let _ = writeln!(text, "… and {at_least}{} more", total - lines.len());
    }
    let _ = match options.checked {
        Checked::Arguments if plural.is_empty() => write!(text, "Correct this argument and call {subject} again."),
        Checked::Arguments => write!(text, "Correct these arguments and call {subject} again."),
        Checked::Output => write!(text, "Correct the tool, or the type that its output schema is made from."),
    };
    text
}

/// One violation on one line, without bullet.
pub(crate) fn line(violation: &Violation, options: &RenderOptions<'_>) -> String {
    let secret = options.secrets.iter().find(|secret| is_at_or_below(&violation.pointer, secret));
    let shown = Shown { violation, options, hidden: secret.is_some() };
    // What lies below a secret is part of it, its names included.
    let below = secret.is_some_and(|secret| secret.len() < violation.pointer.len());
    let place = match secret {
        Some(secret) if below => plain(secret, MAX_POINTER_CHARS),
        _ => plain(&violation.pointer, MAX_POINTER_CHARS),
    };
    let place = match (place.as_str(), options.checked) {
        ("", Checked::Arguments) => "(all arguments)",
        ("", Checked::Output) => "(whole output)",
        (place, _) => place,
    };
    let mut line =
        if below { format!("{place}: something in it is invalid") } else { format!("{place}: {}", shown.kind()) };
    shown.hint(&mut line, below);
    line
}

fn is_at_or_below(pointer: &str, ancestor: &str) -> bool {
    pointer.strip_prefix(ancestor).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

struct Shown<'a> {
    violation: &'a Violation,
    options: &'a RenderOptions<'a>,
    hidden: bool,
}

impl Shown<'_> {
    /// What is wrong, and with what.
    fn kind(&self) -> String {
        let got = self.got();
        match &self.violation.kind {
            ViolationKind::Missing { expected: None } => "missing".to_owned(),
            ViolationKind::Missing { expected: Some(expected) } => {
                format!("missing; expected {}", plain(expected, MAX_PHRASE_CHARS))
            }
            ViolationKind::Unknown { known, unlisted, suggestion } => {
                self.unknown(known, *unlisted, suggestion.as_deref())
            }
            ViolationKind::NotAllowed => format!("not allowed here{got}"),
            ViolationKind::Type { words: Some(words), .. } => {
                format!("must be {}{got}", plain(words, MAX_PHRASE_CHARS))
            }
            ViolationKind::Type { expected, .. } => format!("must be {}{got}", types(expected)),
            ViolationKind::Options { options, unlisted, suggestion } => {
                let meant = match suggestion {
                    Some(suggestion) if !self.hidden => {
                        format!("; did you mean {}?", plain(suggestion, MAX_NAME_CHARS))
                    }
                    _ => String::new(),
                };
                match options.as_slice() {
                    [only] => format!("must be {}{got}{meant}", plain(only, MAX_NAME_CHARS)),
                    _ => format!("must be one of {}{got}{meant}", list(options, *unlisted)),
                }
            }
            kind => format!("{}{got}", requirement(kind)),
        }
    }

    fn unknown(&self, known: &[String], unlisted: usize, suggestion: Option<&str>) -> String {
        let at_root = self.violation.pointer.matches('/').count() < 2;
        let (noun, nouns) = match (self.options.checked, at_root) {
            (Checked::Arguments, true) => ("argument", "arguments"),
            _ => ("property", "properties"),
        };
        let mut text = format!("unknown {noun}");
        if let Some(suggestion) = suggestion {
            let _ = write!(text, "; did you mean \"{}\"?", plain(suggestion, MAX_NAME_CHARS));
        }
        let separator = if suggestion.is_some() { " " } else { "; " };
        let _ = match known {
            [] if nouns == "arguments" => write!(text, "; {} takes no arguments", self.options.subject),
            [] => write!(text, "; none is allowed here"),
            _ if suggestion.is_some() => write!(text, "{separator}Known {nouns}: {}", list(known, unlisted)),
            _ => write!(text, "{separator}known {nouns}: {}", list(known, unlisted)),
        };
        text
    }

    /// `, got …`, or nothing if the value is secret or absent.
    fn got(&self) -> String {
        match &self.violation.got {
            None => String::new(),
            Some(got) if self.hidden => match self.violation.kind {
                ViolationKind::Type { .. } => format!(", got {}", got.type_phrase()),
                _ => String::new(),
            },
            Some(got) => match &self.violation.kind {
                ViolationKind::Type { .. } => format!(", got {}", got.phrase()),
                ViolationKind::NotAllowed => String::new(),
                _ => format!(", got {}", got.text()),
            },
        }
    }

    /// The description of the place, an example, and that its value is withheld, in parentheses.
    fn hint(&self, line: &mut String, below: bool) {
        let mut hints: Vec<String> = Vec::new();
        if !below {
            let description = self.violation.description.as_deref().map(|text| text.trim_end_matches('.'));
            hints.extend(description.map(str::to_owned));
            let is_news = |example: &&str| !description.is_some_and(|d| d.contains(example.trim_matches('"')));
            let example = match self.violation.kind {
                ViolationKind::Unknown { .. } | ViolationKind::Options { .. } | ViolationKind::NotAllowed => None,
                _ => self.violation.example.as_deref().filter(is_news),
            };
            hints.extend(example.map(|example| format!("e.g. {example}")));
        }
        if self.hidden && self.violation.got.is_some() {
            hints.push("value not shown".to_owned());
        }
        if !hints.is_empty() {
            let _ = write!(line, " ({})", hints.join("; "));
        }
    }
}

/// What a value must be, e.g. `must be at most 50`. Also serves names of members.
fn requirement(kind: &ViolationKind) -> String {
    match kind {
        ViolationKind::Minimum { limit, exclusive: false } => format!("must be at least {limit}"),
        ViolationKind::Minimum { limit, exclusive: true } => format!("must be greater than {limit}"),
        ViolationKind::Maximum { limit, exclusive: false } => format!("must be at most {limit}"),
        ViolationKind::Maximum { limit, exclusive: true } => format!("must be less than {limit}"),
        ViolationKind::MultipleOf { of } => format!("must be a multiple of {of}"),
        ViolationKind::NumberRange => "must be a number between -1.8e308 and 1.8e308".to_owned(),
        ViolationKind::MinLength { limit: 1, .. } => "must not be empty".to_owned(),
        ViolationKind::MinLength { limit, actual } => {
            format!("must have at least {}, has {actual}", count(*limit, "character"))
        }
        ViolationKind::MaxLength { limit, actual } => {
            format!("must have at most {}, has {actual}", count(*limit, "character"))
        }
        ViolationKind::Pattern { pattern } => format!("must match the pattern {}", plain(pattern, MAX_PHRASE_CHARS)),
        ViolationKind::PatternCost { pattern } => {
            format!("is too costly to match with the pattern {}", plain(pattern, MAX_PHRASE_CHARS))
        }
        ViolationKind::Format { format } => match format_words(format) {
            Some(words) => format!("must be {words}"),
            None => format!("must be in the format {}", plain(format, MAX_NAME_CHARS)),
        },
        ViolationKind::Encoding { name } => format!("must be encoded as {}", plain(name, MAX_NAME_CHARS)),
        ViolationKind::MinItems { limit: 1, .. } => "must not be empty".to_owned(),
        ViolationKind::MinItems { limit, actual } => {
            format!("must have at least {}, has {actual}", count(*limit, "item"))
        }
        ViolationKind::MaxItems { limit, actual } => {
            format!("must have at most {}, has {actual}", count(*limit, "item"))
        }
        ViolationKind::Duplicates => "must not contain the same item twice".to_owned(),
        ViolationKind::Contains { min, max, actual, expected } => {
            let what = expected.as_deref().unwrap_or("of a certain kind");
            let bounds = match max {
                Some(max) if min == max => format!("exactly {}", count(*min, "item")),
                Some(max) if *actual > *max => format!("at most {}", count(*max, "item")),
                _ => format!("at least {}", count(*min, "item")),
            };
            format!("must contain {bounds} that is {}, has {actual}", plain(what, MAX_PHRASE_CHARS))
        }
        ViolationKind::MinProperties { limit: 1, .. } => "must not be empty".to_owned(),
        ViolationKind::MinProperties { limit, actual } => {
            format!("must have at least {}, has {actual}", properties(*limit))
        }
        ViolationKind::MaxProperties { limit, actual } => {
            format!("must have at most {}, has {actual}", properties(*limit))
        }
        ViolationKind::Name { problem } => format!("its name {}", requirement(problem)),
        ViolationKind::Alternatives { alternatives } => match alternatives.as_slice() {
            [] => "is not valid".to_owned(),
            [only] => format!("must be {}", plain(only, MAX_PHRASE_CHARS)),
            _ => format!("must be one of: {}", separated(alternatives, 0, "; ")),
        },
        ViolationKind::Ambiguous { alternatives } => {
            format!("must fit exactly one of these, fits several: {}", separated(alternatives, 0, "; "))
        }
        ViolationKind::Forbidden { what: Some(what) } => format!("must not be {}", plain(what, MAX_PHRASE_CHARS)),
        ViolationKind::Forbidden { what: None } => "is a value that is ruled out".to_owned(),
        ViolationKind::Cost => "is too large to be checked; send less at once".to_owned(),
        ViolationKind::Depth { limit } => format!("is nested too deeply; at most {limit} levels are allowed"),
        ViolationKind::Rejected { reason } => format!("is not valid: {}", plain(reason, MAX_PHRASE_CHARS)),
        ViolationKind::Options { options, unlisted, .. } => format!("must be one of {}", list(options, *unlisted)),
        ViolationKind::Type { expected, .. } => format!("must be {}", types(expected)),
        ViolationKind::Missing { .. } => "is missing".to_owned(),
        ViolationKind::Unknown { .. } | ViolationKind::NotAllowed => "is not allowed".to_owned(),
        ViolationKind::Unfit | ViolationKind::Unfinished => "does not match the schema".to_owned(),
    }
}

/// The formats that have words of their own.
pub(crate) fn format_words(format: &str) -> Option<&'static str> {
    Some(match format {
        "date-time" => "a date and time with offset, e.g. 2026-07-28T09:30:00Z",
        "date" => "a date, e.g. 2026-07-28",
        "time" => "a time with offset, e.g. 09:30:00Z",
        "duration" => "an ISO 8601 duration, e.g. PT1H30M",
        "email" => "an email address",
        "uri" => "a URI with scheme, e.g. https://example.com/page",
        "uuid" => "a UUID, e.g. 123e4567-e89b-12d3-a456-426614174000",
        "ipv4" => "an IPv4 address, e.g. 192.0.2.1",
        "ipv6" => "an IPv6 address, e.g. 2001:db8::1",
        "hostname" => "a host name, e.g. www.example.com",
        "regex" => "a regular expression",
        _ => return None,
    })
}

/// Types in words, e.g. `a string or null`.
pub(crate) fn types(names: &[&'static str]) -> String {
    let words: Vec<&str> = names
        .iter()
        .map(|name| match *name {
            "string" => "a string",
            "integer" => "an integer",
            "number" => "a number",
            "boolean" => "true or false",
            "array" => "an array",
            "object" => "an object",
            other => other,
        })
        .collect();
    match words.as_slice() {
        [] => "absent".to_owned(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

fn count(n: u64, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}

fn properties(n: u64) -> String {
    if n == 1 { "1 property".to_owned() } else { format!("{n} properties") }
}

/// Names or options, separated by commas, as many as are of use; `unlisted` says how many there are beyond them.
pub(crate) fn list(entries: &[String], unlisted: usize) -> String {
    separated(entries, unlisted, ", ")
}

fn separated(entries: &[String], unlisted: usize, separator: &str) -> String {
    let mut text = String::new();
    let mut chars = 0;
    for (index, entry) in entries.iter().enumerate() {
        let entry = plain(entry, MAX_NAME_CHARS);
        chars += entry.chars().count();
        let left = entries.len() - index + unlisted;
        if index > 0 && left > 1 && (index >= MAX_LISTED || chars > MAX_LIST_CHARS) {
            let _ = write!(text, " and {left} more");
            return text;
        }
        if index > 0 {
            text.push_str(separator);
        }
        text.push_str(&entry);
    }
    if unlisted > 0 {
        let _ = write!(text, " and {unlisted} more");
    }
    text
}
