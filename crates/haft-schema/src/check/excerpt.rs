//! A short excerpt of a JSON value, safe to put into a line of text.

use std::fmt::Write as _;

use serde_json::Value;

use super::number;

/// The most characters of a value that an excerpt shows.
pub(crate) const EXCERPT_CHARS: usize = 80;

/// A short excerpt of a JSON value: its type, and at most 80 characters of its JSON text.
///
/// Control characters, line breaks and invisible characters are escaped as in JSON, so an excerpt is always one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    kind: Kind,
    text: String,
    cut: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Null,
    Boolean,
    Number,
    String,
    Array,
    Object,
}

impl Excerpt {
    /// The excerpt of `value`. The cost is bounded by the excerpt's length, not by the value's size.
    pub fn of(value: &Value) -> Self {
        let mut writer = Writer { text: String::new(), left: EXCERPT_CHARS };
        let cut = writer.value(value).is_err();
        Self { kind: Kind::of(value), text: writer.text, cut }
    }

    /// The JSON text, ending in `…` if it was cut.
    pub fn text(&self) -> String {
        if self.cut { format!("{}…", self.text) } else { self.text.clone() }
    }

    /// The JSON type and the text, as in `the string "2"`; `null`, `true` and numbers speak for themselves.
    pub(crate) fn phrase(&self) -> String {
        let text = self.text();
        match self.kind {
            Kind::Null | Kind::Boolean | Kind::Number => text,
            Kind::String => format!("the string {text}"),
            Kind::Array => format!("the array {text}"),
            Kind::Object => format!("the object {text}"),
        }
    }

    /// The JSON type alone, as in `a string`.
    pub(crate) fn type_phrase(&self) -> &'static str {
        match self.kind {
            Kind::Null => "null",
            Kind::Boolean => "a boolean",
            Kind::Number => "a number",
            Kind::String => "a string",
            Kind::Array => "an array",
            Kind::Object => "an object",
        }
    }
}

impl Kind {
    fn of(value: &Value) -> Self {
        match value {
            Value::Null => Kind::Null,
            Value::Bool(_) => Kind::Boolean,
            Value::Number(_) => Kind::Number,
            Value::String(_) => Kind::String,
            Value::Array(_) => Kind::Array,
            Value::Object(_) => Kind::Object,
        }
    }
}

/// The JSON text of a schema's value (a limit, an option), cut at `limit` characters.
pub(crate) fn json(value: &Value, limit: usize) -> String {
    let mut writer = Writer { text: String::new(), left: limit };
    if writer.value(value).is_err() {
        writer.text.push('…');
    }
    writer.text
}

/// `text` with everything that could break the line or hide in it escaped, cut at `limit` characters.
pub(crate) fn plain(text: &str, limit: usize) -> String {
    let mut writer = Writer { text: String::new(), left: limit };
    if text.chars().try_for_each(|c| writer.character(c, false)).is_err() {
        writer.text.push('…');
    }
    writer.text
}

/// Whether `c` would break a line, steer a terminal, turn what follows it, or can't be seen.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}')
}

struct Full;

struct Writer {
    text: String,
    left: usize,
}

impl Writer {
    fn raw(&mut self, text: &str) -> Result<(), Full> {
        text.chars().try_for_each(|c| {
            self.left = self.left.checked_sub(1).ok_or(Full)?;
            self.text.push(c);
            Ok(())
        })
    }

    fn character(&mut self, c: char, quoted: bool) -> Result<(), Full> {
        let mut escape = String::new();
        match c {
            '"' | '\\' if quoted => {
                escape.push('\\');
                escape.push(c);
            }
            '\n' => escape.push_str("\\n"),
            '\r' => escape.push_str("\\r"),
            '\t' => escape.push_str("\\t"),
            c if is_hidden(c) => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    // Writing to a String can't fail.
                    let _ = write!(escape, "\\u{unit:04x}");
                }
            }
            c => {
                self.left = self.left.checked_sub(1).ok_or(Full)?;
                self.text.push(c);
                return Ok(());
            }
        }
        // An escape is shown whole or not at all.
        self.left = self.left.checked_sub(escape.len()).ok_or(Full)?;
        self.text.push_str(&escape);
        Ok(())
    }

    fn string(&mut self, text: &str) -> Result<(), Full> {
        self.raw("\"")?;
        text.chars().try_for_each(|c| self.character(c, true))?;
        self.raw("\"")
    }

    fn value(&mut self, value: &Value) -> Result<(), Full> {
        match value {
            Value::Null => self.raw("null"),
            Value::Bool(b) => self.raw(if *b { "true" } else { "false" }),
            Value::Number(n) => self.raw(&number::text(n)),
            Value::String(s) => self.string(s),
            // Each level costs a character at least, so the recursion is bounded by the excerpt's length.
            Value::Array(items) => {
                self.raw("[")?;
                for (index, item) in items.iter().enumerate() {
                    self.raw(if index == 0 { "" } else { "," })?;
                    self.value(item)?;
                }
                self.raw("]")
            }
            Value::Object(members) => {
                self.raw("{")?;
                for (index, (name, member)) in sorted(members).into_iter().enumerate() {
                    self.raw(if index == 0 { "" } else { "," })?;
                    self.string(name)?;
                    self.raw(":")?;
                    self.value(member)?;
                }
                self.raw("}")
            }
        }
    }
}

/// The members that an excerpt can reach, in an order that doesn't depend on serde_json's features.
fn sorted(members: &serde_json::Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut members: Vec<_> = members.iter().collect();
    // A member takes four characters at least, so no more than the first few can be shown.
    if members.len() > EXCERPT_CHARS {
        members.select_nth_unstable_by_key(EXCERPT_CHARS, |(name, _)| *name);
        members.truncate(EXCERPT_CHARS);
    }
    members.sort_unstable_by_key(|(name, _)| *name);
    members
}
