use std::fmt;

/// What a scan found.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    /// What the frame is as a whole; `None` if it doesn't even begin like a value.
    pub(crate) root: Option<Kind>,
    /// Why the frame is refused although it is JSON.
    pub(crate) refusal: Option<String>,
    /// There are two members `id`: neither can be trusted.
    pub(crate) repeated_id: bool,
    members: [Option<Span>; Member::COUNT],
}

impl Outline {
    pub(crate) fn get(&self, member: Member) -> Option<Span> {
        self.members[member as usize]
    }

    pub(super) fn set(&mut self, member: Member, span: Span) {
        self.members[member as usize] = Some(span);
    }
}

/// The members of an envelope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Member {
    Jsonrpc,
    Id,
    Method,
    Params,
    Result,
    Error,
}

impl Member {
    const COUNT: usize = 6;

    pub(super) fn named(name: &[u8]) -> Option<Member> {
        match name {
            b"jsonrpc" => Some(Member::Jsonrpc),
            b"id" => Some(Member::Id),
            b"method" => Some(Member::Method),
            b"params" => Some(Member::Params),
            b"result" => Some(Member::Result),
            b"error" => Some(Member::Error),
            _ => None,
        }
    }
}

/// A value in the frame, without the space around it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Object,
    Array,
    String,
    Number,
    Bool,
    Null,
}

impl Kind {
    pub(super) fn of_first_byte(byte: u8) -> Option<Kind> {
        match byte {
            b'{' => Some(Kind::Object),
            b'[' => Some(Kind::Array),
            b'"' => Some(Kind::String),
            b'-' | b'0'..=b'9' => Some(Kind::Number),
            b't' | b'f' => Some(Kind::Bool),
            b'n' => Some(Kind::Null),
            _ => None,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Object => "an object",
            Kind::Array => "an array",
            Kind::String => "a string",
            Kind::Number => "a number",
            Kind::Bool => "a boolean",
            Kind::Null => "null",
        })
    }
}

/// Where and why the bytes stop being JSON text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fault {
    pub(crate) at: usize,
    pub(crate) expected: &'static str,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {} at byte {}", self.expected, self.at)
    }
}
