//! In: the bytes of one frame. Out: where its envelope members are, and what is wrong with it. Next: `message.rs`.
//!
//! One pass, no recursion, no value trees. Two kinds of complaint come out of it: a [`Fault`] ends the scan, for the
//! bytes are not JSON text; a refusal is noted and the scan goes on, so that the id can be found and answered to.

mod keys;
mod nest;
mod outline;
mod text;

pub(crate) use outline::{Fault, Kind, Member, Outline, Span};

use keys::Keys;
use nest::Nest;

use crate::fields::quoted;

/// Keys by which `serde_json` smuggles numbers and raw texts through serde; which of them it obeys depends on its
/// features, so that an object with one of them has no single meaning.
const RESERVED: &[u8] = b"$serde_json::private::";

/// Numbers with fewer bytes and a shorter exponent than this can't leave the range of a double.
const LONG_NUMBER: usize = 300;
const LONG_EXPONENT: usize = 3;

/// Scans a frame. Where it is no JSON text, the outline holds what was seen before the fault.
pub(crate) fn scan(bytes: &[u8], max_depth: usize) -> (Outline, Option<Fault>) {
    let mut scanner = Scanner {
        bytes,
        pos: 0,
        max_depth,
        nest: Nest::default(),
        keys: Keys::default(),
        outline: Outline::default(),
        member: None,
        value_start: 0,
    };
    let fault = scanner.run().err();
    (scanner.outline, fault)
}

struct Scanner<'a> {
    bytes: &'a [u8],
    pos: usize,
    max_depth: usize,
    nest: Nest,
    keys: Keys<'a>,
    outline: Outline,
    /// The envelope member whose value is being scanned.
    member: Option<Member>,
    /// Where the value of the envelope member begins.
    value_start: usize,
}

impl<'a> Scanner<'a> {
    fn run(&mut self) -> Result<(), Fault> {
        if self.bytes.starts_with(b"\xef\xbb\xbf") {
            self.pos = 3;
        }
        self.space();
        self.outline.root = self.peek().and_then(Kind::of_first_byte);
        loop {
            if self.value()? {
                continue; // a container was opened and its first value is next
            }
            if !self.after_value()? {
                break;
            }
        }
        self.space();
        if self.pos == self.bytes.len() { Ok(()) } else { Err(self.fault("the end of the message")) }
    }

    /// One scalar, one empty container, or the opening of a container (then `true`).
    fn value(&mut self) -> Result<bool, Fault> {
        if self.nest.depth() == 1 {
            self.value_start = self.pos;
        }
        match self.peek() {
            Some(b'{') => {
                self.open(true);
                self.space();
                if self.peek() == Some(b'}') {
                    self.close();
                    return Ok(false);
                }
                self.key()?;
                return Ok(true);
            }
            Some(b'[') => {
                self.open(false);
                self.space();
                if self.peek() == Some(b']') {
                    self.close();
                    return Ok(false);
                }
                return Ok(true);
            }
            Some(b'"') => {
                self.string()?;
            }
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b't') => self.literal(b"true")?,
            Some(b'f') => self.literal(b"false")?,
            Some(b'n') => self.literal(b"null")?,
            _ => return Err(self.fault("a value")),
        }
        Ok(false)
    }

    /// What follows a value, up to the start of the next one. `false` at the end of the outermost value.
    fn after_value(&mut self) -> Result<bool, Fault> {
        loop {
            self.note_member();
            if self.nest.depth() == 0 {
                return Ok(false);
            }
            self.space();
            match (self.nest.in_object(), self.peek()) {
                (true, Some(b',')) => {
                    self.pos += 1;
                    self.space();
                    self.key()?;
                    return Ok(true);
                }
                (false, Some(b',')) => {
                    self.pos += 1;
                    self.space();
                    return Ok(true);
                }
                (true, Some(b'}')) | (false, Some(b']')) => self.close(),
                (true, _) => return Err(self.fault("',' or '}'")),
                (false, _) => return Err(self.fault("',' or ']'")),
            }
        }
    }

    /// A member's name and its colon, up to the start of the member's value.
    fn key(&mut self) -> Result<(), Fault> {
        if self.peek() != Some(b'"') {
            return Err(self.fault("a member name in double quotes"));
        }
        let at = self.pos;
        let text = self.string()?;
        if self.nest.depth() <= self.max_depth {
            let name = text.unescape(self.bytes);
            if self.nest.depth() == 1 {
                self.member = Member::named(&name);
                if self.member == Some(Member::Id) && self.outline.get(Member::Id).is_some() {
                    self.outline.repeated_id = true;
                }
            }
            if name.starts_with(RESERVED) {
                self.refuse(|| format!("the member name {} at byte {at} is reserved", shown(&name)));
            }
            if let Err(name) = self.keys.insert(name) {
                self.refuse(|| {
                    format!("the member {} occurs twice in one object (byte {at}); send it once", shown(&name))
                });
            }
        }
        self.space();
        if self.peek() != Some(b':') {
            return Err(self.fault("':'"));
        }
        self.pos += 1;
        self.space();
        Ok(())
    }

    fn open(&mut self, object: bool) {
        self.pos += 1;
        self.nest.push(object);
        let depth = self.nest.depth();
        if depth > self.max_depth {
            let (at, most) = (self.pos - 1, self.max_depth);
            self.refuse(|| format!("nested deeper than {most} levels (byte {at}); send a flatter message"));
        } else if object {
            self.keys.open();
        }
    }

    fn close(&mut self) {
        self.pos += 1;
        if self.nest.in_object() && self.nest.depth() <= self.max_depth {
            self.keys.close();
        }
        self.nest.pop();
    }

    /// Called after each value; keeps the ones that belong to the envelope.
    fn note_member(&mut self) {
        if self.nest.depth() != 1 {
            return;
        }
        let (Some(member), Some(kind)) =
            (self.member.take(), self.bytes.get(self.value_start).copied().and_then(Kind::of_first_byte))
        else {
            return;
        };
        if kind == Kind::Number && self.pos == self.bytes.len() {
            return; // the frame has been cut off, perhaps in the middle of the number
        }
        self.outline.set(member, Span { start: self.value_start, end: self.pos, kind });
    }

    fn number(&mut self) -> Result<(), Fault> {
        let start = self.pos;
        if self.peek() == Some(b'-') {
            self.pos += 1;
        }
        match self.peek() {
            Some(b'0') => self.pos += 1,
            Some(b'1'..=b'9') => {
                self.digits();
            }
            _ => return Err(self.fault("a digit")),
        }
        if self.peek() == Some(b'.') {
            self.pos += 1;
            if self.digits() == 0 {
                return Err(self.fault("a digit"));
            }
        }
        let mut exponent = 0;
        if let Some(b'e' | b'E') = self.peek() {
            self.pos += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.pos += 1;
            }
            exponent = self.digits();
            if exponent == 0 {
                return Err(self.fault("a digit"));
            }
        }
        if exponent >= LONG_EXPONENT || self.pos - start >= LONG_NUMBER {
            self.refuse_overflow(start);
        }
        Ok(())
    }

    /// JSON has no bound for numbers, but whoever reads this one into a value gets an error or a string of digits,
    /// depending on features.
    fn refuse_overflow(&mut self, start: usize) {
        let text = std::str::from_utf8(&self.bytes[start..self.pos]).unwrap_or_default();
        if !text.parse::<f64>().is_ok_and(f64::is_finite) {
            self.refuse(|| format!("the number at byte {start} doesn't fit a double; send it as a string"));
        }
    }

    fn digits(&mut self) -> usize {
        let start = self.pos;
        while let Some(b'0'..=b'9') = self.peek() {
            self.pos += 1;
        }
        self.pos - start
    }

    fn literal(&mut self, word: &[u8]) -> Result<(), Fault> {
        if self.bytes[self.pos..].starts_with(word) {
            self.pos += word.len();
            Ok(())
        } else {
            Err(self.fault("a value"))
        }
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.pos += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.pos).copied()
    }

    fn fault(&self, expected: &'static str) -> Fault {
        Fault { at: self.pos, expected }
    }

    /// Notes a refusal; the first one stays.
    fn refuse(&mut self, why: impl FnOnce() -> String) {
        if self.outline.refusal.is_none() {
            self.outline.refusal = Some(why());
        }
    }
}

fn shown(name: &[u8]) -> String {
    quoted(&String::from_utf8_lossy(name))
}
