//! Text in, nodes out. Depth, count and length are bounded; what lies beyond is skipped, not refused: a hostile document
//! has to end in a finding.

use std::fmt;
use std::ops::Range;

use super::{KEPT_BYTES, MAX_DEPTH, MAX_VALUES, Member, Node, Text, Value};

/// Where and why a text isn't JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SyntaxError {
    line: usize,
    column: usize,
    what: &'static str,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.what)
    }
}

/// Reads one JSON document.
pub(crate) fn read(text: &str) -> Result<Node, SyntaxError> {
    let mut reader = Reader { text, bytes: text.as_bytes(), at: 0, left: MAX_VALUES };
    // A byte order mark is not JSON, but editors write it.
    reader.at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let read = reader.value(0).and_then(|node| {
        reader.blank();
        if reader.at == text.len() { Ok(node) } else { Err("there is more after the end of the document") }
    });
    read.map_err(|what| {
        let before = &reader.bytes[..reader.at.min(text.len())];
        let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        SyntaxError { line, column: String::from_utf8_lossy(&before[line_start..]).chars().count() + 1, what }
    })
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    left: usize,
}

type Read<T> = Result<T, &'static str>;

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn blank(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn eat(&mut self, byte: u8) -> bool {
        let eaten = self.peek() == Some(byte);
        self.at += usize::from(eaten);
        eaten
    }

    fn value(&mut self, depth: usize) -> Read<Node> {
        self.blank();
        let start = self.at;
        let value = match self.peek() {
            None => return Err("the document ends too early"),
            Some(b'{' | b'[') if depth == MAX_DEPTH || self.left == 0 => self.skip()?,
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.array(depth)?,
            Some(b'"') => Value::String(self.string()?),
            Some(b'-' | b'0'..=b'9') => Value::Number(self.number()?),
            Some(_) => self.word()?,
        };
        self.left = self.left.saturating_sub(1);
        Ok(Node { value, span: start..self.at })
    }

    fn object(&mut self, depth: usize) -> Read<Value> {
        self.at += 1;
        let mut members = Vec::new();
        self.blank();
        if self.eat(b'}') {
            return Ok(Value::Object(members));
        }
        loop {
            self.blank();
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err("a member's name in quotes is expected");
            }
            let name = self.string()?.kept;
            let name_span: Range<usize> = start..self.at;
            self.blank();
            if !self.eat(b':') {
                return Err("`:` is expected");
            }
            let node = self.value(depth + 1)?;
            if self.left > 0 {
                members.push(Member { name, name_span, node });
            }
            self.blank();
            if self.eat(b'}') {
                return Ok(Value::Object(members));
            }
            if !self.eat(b',') {
                return Err("`,` or `}` is expected");
            }
        }
    }

    fn array(&mut self, depth: usize) -> Read<Value> {
        self.at += 1;
        let mut items = Vec::new();
        self.blank();
        if self.eat(b']') {
            return Ok(Value::Array(items));
        }
        loop {
            let node = self.value(depth + 1)?;
            if self.left > 0 {
                items.push(node);
            }
            self.blank();
            if self.eat(b']') {
                return Ok(Value::Array(items));
            }
            if !self.eat(b',') {
                return Err("`,` or `]` is expected");
            }
        }
    }

    /// Passes over an array or object, however deep, by counting brackets.
    fn skip(&mut self) -> Read<Value> {
        let mut open = 0_usize;
        loop {
            match self.peek() {
                None => return Err("the document ends too early"),
                Some(b'"') => {
                    self.at += 1;
                    while let Some(byte) = self.peek() {
                        self.at += if byte == b'\\' { 2 } else { 1 };
                        if byte == b'"' {
                            break;
                        }
                    }
                    continue;
                }
                Some(b'{' | b'[') => open += 1,
                Some(b'}' | b']') => open -= 1,
                Some(_) => {}
            }
            self.at += 1;
            if open == 0 {
                return Ok(Value::Unread);
            }
        }
    }

    fn word(&mut self) -> Read<Value> {
        for (word, value) in [("null", Value::Null), ("true", Value::Bool(true)), ("false", Value::Bool(false))] {
            if self.bytes[self.at..].starts_with(word.as_bytes()) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err("a value is expected")
    }

    fn number(&mut self) -> Read<Box<str>> {
        let start = self.at;
        while matches!(self.peek(), Some(b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')) {
            self.at += 1;
        }
        let text = &self.text[start..self.at];
        let digits = text.strip_prefix('-').unwrap_or(text);
        let leading_zero = digits.len() > 1 && digits.starts_with('0') && digits.as_bytes()[1].is_ascii_digit();
        let well_formed = !leading_zero
            && digits.starts_with(|first: char| first.is_ascii_digit())
            && digits.ends_with(|last: char| last.is_ascii_digit())
            && !digits.contains(".e")
            && !digits.contains(".E")
            && text.parse::<f64>().is_ok();
        if well_formed { Ok(text.into()) } else { Err("this is not a number of JSON") }
    }

    fn string(&mut self) -> Read<Text> {
        self.at += 1;
        let mut text = Text { kept: Box::default(), bytes: 0, chars: 0, utf16: 0 };
        let mut kept = String::new();
        loop {
            // What needs no look at each character comes in one piece.
            let special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..=0x1f);
            let length = self.bytes[self.at..].iter().position(special).ok_or("a string doesn't end")?;
            let run = &self.text[self.at..self.at + length];
            self.at += length;
            text.add(run, &mut kept);
            match self.bytes[self.at] {
                b'"' => {
                    self.at += 1;
                    text.kept = kept.into_boxed_str();
                    return Ok(text);
                }
                b'\\' => {
                    let c = self.escaped()?;
                    text.add(c.encode_utf8(&mut [0; 4]), &mut kept);
                }
                _ => return Err("a control character in a string has to be escaped"),
            }
        }
    }

    fn escaped(&mut self) -> Read<char> {
        let what = self.bytes.get(self.at + 1).copied().ok_or("a string doesn't end")?;
        self.at += 2;
        Ok(match what {
            b'"' | b'\\' | b'/' => char::from(what),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let high = self.hex()?;
                // Half a pair stands for no character.
                match char::from_u32(high) {
                    Some(c) => c,
                    None => self.low_half(high).unwrap_or(char::REPLACEMENT_CHARACTER),
                }
            }
            _ => return Err("an unknown escape in a string"),
        })
    }

    fn low_half(&mut self, high: u32) -> Option<char> {
        if !(0xd800..0xdc00).contains(&high) || !self.bytes[self.at..].starts_with(b"\\u") {
            return None;
        }
        let before = self.at;
        self.at += 2;
        match self.hex() {
            Ok(low @ 0xdc00..0xe000) => char::from_u32(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00)),
            _ => {
                self.at = before;
                None
            }
        }
    }

    fn hex(&mut self) -> Read<u32> {
        let digits = self.bytes.get(self.at..self.at + 4).unwrap_or_default();
        let number = digits.iter().try_fold(0, |number, &digit| Some(number * 16 + char::from(digit).to_digit(16)?));
        self.at += 4;
        number.filter(|_| digits.len() == 4).ok_or("`\\u` takes four hexadecimal digits")
    }
}

impl Text {
    /// Measures a further part, and keeps as much of it as there is room for.
    fn add(&mut self, part: &str, kept: &mut String) {
        if self.bytes == kept.len() {
            let room = (KEPT_BYTES - kept.len()).min(part.len());
            let whole = (0..=room).rev().find(|&at| part.is_char_boundary(at)).unwrap_or_default();
            kept.push_str(&part[..whole]);
        }
        self.bytes += part.len();
        let chars = part.chars().count();
        self.chars += chars;
        // Of four bytes in UTF-8, a character has two units in UTF-16.
        self.utf16 += chars + part.bytes().filter(|&byte| byte >= 0xf0).count();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_with_their_places() {
        let text = r#"{"a": [1, -2.5e3, "x\u00e9\ud83d\ude00\ud800"], "a": null}"#;
        let node = read(text).unwrap();
        assert!(matches!(node.get("a").unwrap().value, Value::Null), "the last of two members counts");
        let first = &node.members()[0].node;
        assert_eq!(&text[first.span.clone()], r#"[1, -2.5e3, "x\u00e9\ud83d\ude00\ud800"]"#);
        assert_eq!(first.items()[2].as_str(), Some("xé😀\u{fffd}"));
        assert_eq!(first.items()[2].as_text().map(|text| (text.chars, text.utf16)), Some((4, 5)));
    }

    #[test]
    fn what_is_no_json_is_said_with_its_place() {
        for (text, expected) in [
            ("{\n  \"a\" 1}", "line 2, column 7: `:` is expected"),
            ("[1,]", "line 1, column 4: a value is expected"),
            ("01", "line 1, column 3: this is not a number of JSON"),
            ("\"a\nb\"", "line 1, column 3: a control character in a string has to be escaped"),
            ("{} {}", "line 1, column 4: there is more after the end of the document"),
            ("", "line 1, column 1: the document ends too early"),
        ] {
            assert_eq!(read(text).unwrap_err().to_string(), expected, "{text:?}");
        }
    }

    #[test]
    fn what_is_too_deep_is_left_aside() {
        let text = format!("{}\"]\"{}", "[".repeat(100_000), "]".repeat(100_000));
        let mut node = &read(&text).unwrap();
        while let Some(item) = node.items().first() {
            node = item;
        }
        assert!(matches!(node.value, Value::Unread));
        assert!(read(&"[".repeat(100_000)).is_err());
    }

    #[test]
    fn a_long_string_is_measured_and_cut() {
        let node = read(&format!("\"{}\"", "é".repeat(1_000_000))).unwrap();
        let text = node.as_text().unwrap();
        assert_eq!((text.bytes, text.chars, text.kept.len()), (2_000_000, 1_000_000, KEPT_BYTES));
    }
}
