use std::borrow::Cow;

use super::{Fault, Scanner};

/// A string of the frame.
pub(super) struct Text {
    /// First byte after the opening quote.
    start: usize,
    /// The closing quote.
    end: usize,
    escaped: bool,
}

impl Text {
    /// What the string says. A string with a lone surrogate says nothing; it gives its own spelling.
    pub(super) fn unescape<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let spelled = &bytes[self.start..self.end];
        if !self.escaped {
            return Cow::Borrowed(spelled);
        }
        match serde_json::from_slice::<String>(&bytes[self.start - 1..=self.end]) {
            Ok(text) => Cow::Owned(text.into_bytes()),
            Err(_) => Cow::Borrowed(spelled),
        }
    }
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = ONES << 7;

/// The high bit of each byte that ends a plain run: a quote, a backslash or a control character. Bytes after the first
/// hit may be marked without being one, because the subtraction borrows; the first hit (little end first) is exact.
fn stops(word: u64) -> u64 {
    let zero = |word: u64| word.wrapping_sub(ONES) & !word;
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    (zero(word ^ (ONES * u64::from(b'"'))) | zero(word ^ (ONES * u64::from(b'\\'))) | control) & HIGHS
}

impl Scanner<'_> {
    /// Scans the string whose opening quote is next.
    pub(super) fn string(&mut self) -> Result<Text, Fault> {
        let bytes = self.bytes;
        let start = self.pos + 1;
        let mut at = start;
        let mut escaped = false;
        let mut high = 0;
        loop {
            while let Some(chunk) = bytes[at..].first_chunk::<8>() {
                let word = u64::from_le_bytes(*chunk);
                high |= word & HIGHS;
                let stops = stops(word);
                if stops != 0 {
                    at += (stops.trailing_zeros() / 8) as usize;
                    break;
                }
                at += 8;
            }
            match bytes.get(at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    escaped = true;
                    at = self.escape(at)?;
                }
                Some(0x20..) => {
                    high |= u64::from(bytes[at]) & HIGHS;
                    at += 1;
                }
                Some(_) => return Err(Fault { at, expected: "an escape in place of a control character" }),
                None => return Err(Fault { at, expected: "the closing quote of a string" }),
            }
        }
        // `high` may stem from bytes beyond the string; checking in vain does no harm.
        if high != 0
            && let Err(error) = std::str::from_utf8(&bytes[start..at])
        {
            return Err(Fault { at: start + error.valid_up_to(), expected: "UTF-8" });
        }
        self.pos = at + 1;
        Ok(Text { start, end: at, escaped })
    }

    /// One escape whose backslash is at `at`, or two that make a surrogate pair. Gives the place after it.
    fn escape(&mut self, at: usize) -> Result<usize, Fault> {
        match self.bytes.get(at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
            Some(b'u') => {
                let unit = self.hex(at + 2)?;
                match unit {
                    0xD800..0xDC00 if self.bytes[at + 6..].starts_with(b"\\u") => {
                        if let 0xDC00..0xE000 = self.hex(at + 8)? {
                            return Ok(at + 12);
                        }
                        self.lone(at);
                    }
                    0xD800..0xE000 => self.lone(at),
                    _ => {}
                }
                Ok(at + 6)
            }
            _ => Err(Fault { at: at + 1, expected: "an escape character" }),
        }
    }

    fn hex(&self, at: usize) -> Result<u32, Fault> {
        let digits = self.bytes.get(at..at + 4).unwrap_or_default();
        let mut unit = 0;
        for digit in digits {
            let Some(value) = char::from(*digit).to_digit(16) else {
                return Err(Fault { at, expected: "four hexadecimal digits" });
            };
            unit = unit * 16 + value;
        }
        if digits.len() == 4 { Ok(unit) } else { Err(Fault { at, expected: "four hexadecimal digits" }) }
    }

    fn lone(&mut self, at: usize) {
        self.refuse(|| format!("half of a surrogate pair at byte {at} is not a character; send both halves"));
    }
}
