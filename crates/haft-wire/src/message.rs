//! Stop 2, parse. in: one frame's bytes; out: a message with raw `params`, or the error to answer; next: `server/dispatch`.

use serde_json::value::RawValue;

use crate::scan::{Kind, Member, Outline, Span, scan};
use crate::{ErrorObject, Limits, RequestId};

/// One message of the protocol, spec: basic/index#messages.
#[derive(Debug, Clone)]
pub enum Message {
    /// Asks for exactly one response.
    Request(Request),
    /// Asks for none.
    Notification(Notification),
    /// Answers a request.
    Response(Response),
}

/// A request whose parameters have not been looked at, except that they are an object.
#[derive(Debug, Clone)]
pub struct Request {
    /// Goes into the response.
    pub id: RequestId,
    /// Case matters.
    pub method: String,
    /// A JSON object, as it was sent.
    pub params: Option<Box<RawValue>>,
}

/// A notification. It must not be answered, not even with an error.
#[derive(Debug, Clone)]
pub struct Notification {
    /// Case matters.
    pub method: String,
    /// A JSON object, as it was sent. `None` as well if the notification has something that would have a request
    /// refused: there is nobody to tell, and nothing to act upon.
    pub params: Option<Box<RawValue>>,
}

/// A response.
#[derive(Debug, Clone)]
pub struct Response {
    /// `None` only beside an error: the sender couldn't read the id of the request.
    pub id: Option<RequestId>,
    /// The `result`, a JSON object as it was sent, or the `error`.
    pub outcome: Result<Box<RawValue>, ErrorObject>,
}

/// A frame that is no message, and what to answer to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Malformed {
    /// The id to answer with, if the frame had one that can be trusted.
    pub id: Option<RequestId>,
    /// -32700 for what is not JSON text, -32600 for all else.
    pub error: Box<ErrorObject>,
}

/// Reads one frame.
///
/// A byte order mark and space around the message are skipped, unknown members of the envelope ignored. Names are
/// compared by case: `Method` is an unknown member.
///
/// # Errors
///
/// -32700 without an id if the bytes are not JSON text (UTF-8 included). -32600, with the id if there is a valid one,
/// if they are JSON but: an array (batches are no part of the protocol) or another non-object; `jsonrpc` is not
/// `"2.0"`; `id` is not a string or an integer of 64 bits; `method` is not a string; `params` or `result` is not an
/// object; `error` is no error object; an object has the same name twice at any depth; half a surrogate pair; a number
/// that doesn't fit a double; beyond one of the [`Limits`].
///
/// A frame with a readable `method` and without `id` is always a [`Notification`], whatever else is wrong with it.
pub fn parse(bytes: &[u8], limits: &Limits) -> Result<Message, Malformed> {
    if bytes.len() > limits.max_bytes {
        return Err(too_large(&bytes[..limits.max_bytes], limits));
    }
    let (outline, fault) = scan(bytes, limits.max_depth);
    if let Some(fault) = fault {
        let error = if bytes.iter().all(u8::is_ascii_whitespace) {
            "Parse error: the message is empty".to_owned()
        } else {
            format!("Parse error: not JSON text, {fault}")
        };
        return Err(Malformed { id: None, error: Box::new(ErrorObject::parse_error(error)) });
    }
    let frame = Frame { bytes, outline };
    match frame.outline.root {
        Some(Kind::Object) => {}
        Some(Kind::Array) => {
            return Err(refused(None, "batches are not part of the protocol; send each message by itself"));
        }
        other => {
            let got = other.unwrap_or(Kind::Null);
            return Err(refused(None, &format!("a message is a JSON object, got {got}")));
        }
    }
    if frame.member(Member::Method).is_some() { frame.call() } else { frame.response() }
}

/// The answer to a frame that is longer than [`Limits::max_bytes`], for a transport that stopped reading it.
///
/// `prefix` is what it has of the frame; the id is taken from there if it occurs early enough.
pub fn too_large(prefix: &[u8], limits: &Limits) -> Malformed {
    let (outline, _) = scan(prefix, limits.max_depth);
    let frame = Frame { bytes: prefix, outline };
    let id = if frame.outline.root == Some(Kind::Object) { frame.id().ok().flatten() } else { None };
    let most = limits.max_bytes;
    refused(id, &format!("the message is longer than {most} bytes; send a shorter one"))
}

fn refused(id: Option<RequestId>, why: &str) -> Malformed {
    Malformed { id, error: Box::new(ErrorObject::invalid_request(format!("Invalid request: {why}"))) }
}

/// A frame that is JSON text, with its outline.
struct Frame<'a> {
    bytes: &'a [u8],
    outline: Outline,
}

impl Frame<'_> {
    /// A frame with a member `method`.
    fn call(&self) -> Result<Message, Malformed> {
        let method = self.method();
        if self.member(Member::Id).is_none() {
            let Some(method) = method else { return Err(self.refused(None, METHOD)) };
            let params = if self.complaint().is_some() { None } else { self.params().ok().flatten() };
            return Ok(Message::Notification(Notification { method, params }));
        }
        let id = self.valid_id()?;
        if let Some(why) = self.complaint() {
            return Err(refused(Some(id), why));
        }
        let Some(method) = method else { return Err(refused(Some(id), METHOD)) };
        match self.params() {
            Ok(params) => Ok(Message::Request(Request { id, method, params })),
            Err(why) => Err(refused(Some(id), &why)),
        }
    }

    /// A frame without a member `method`: a response, or nothing.
    fn response(&self) -> Result<Message, Malformed> {
        // Some peers send both members and set the idle one to null.
        let (result, error) = match (self.member(Member::Result), self.member(Member::Error)) {
            (None, None) => {
                let id = self.valid_id_if_present()?;
                return Err(
                    self.refused(id, "a request has a `method` (in lower case), a response `result` or `error`")
                );
            }
            (Some(result), Some(Span { kind: Kind::Null, .. })) => (Some(result), None),
            (Some(Span { kind: Kind::Null, .. }), error) => (None, error),
            members => members,
        };
        let id = match self.member(Member::Id) {
            None | Some(Span { kind: Kind::Null, .. }) => None,
            Some(_) => Some(self.valid_id()?),
        };
        if let Some(why) = self.complaint() {
            return Err(refused(id, why));
        }
        let outcome = match (result, error) {
            (Some(result), None) if result.kind == Kind::Object => match (self.raw(result), &id) {
                (Some(raw), Some(_)) => Ok(raw),
                _ => return Err(refused(id, "a response with a `result` has the `id` of its request")),
            },
            (None, Some(error)) if error.kind == Kind::Object => match self.error(error) {
                Some(error) => Err(error),
                None => return Err(refused(id, "`error` needs an integer `code` and a string `message`")),
            },
            (Some(_), Some(_)) => return Err(refused(id, "a response has either `result` or `error`")),
            (Some(span), None) => return Err(refused(id, &format!("`result` must be an object, got {}", span.kind))),
            (None, Some(span)) => return Err(refused(id, &format!("`error` must be an object, got {}", span.kind))),
            (None, None) => return Err(refused(id, "`result` must be an object, got null")),
        };
        Ok(Message::Response(Response { id, outcome }))
    }

    /// The first thing that is wrong with the frame as a whole.
    fn complaint(&self) -> Option<&str> {
        if let Some(why) = &self.outline.refusal {
            return Some(why);
        }
        match self.member(Member::Jsonrpc) {
            Some(span) if self.string(span).as_deref() == Some("2.0") => None,
            Some(_) => Some("`jsonrpc` must be \"2.0\""),
            None => Some("`jsonrpc` is missing; send \"jsonrpc\":\"2.0\""),
        }
    }

    /// The refusal that the scan noted goes before any other reason.
    fn refused(&self, id: Option<RequestId>, why: &str) -> Malformed {
        refused(id, self.outline.refusal.as_deref().unwrap_or(why))
    }

    fn valid_id(&self) -> Result<RequestId, Malformed> {
        match self.id() {
            Ok(Some(id)) => Ok(id),
            Ok(None) => Err(self.refused(None, "`id` is missing")),
            Err(why) => Err(self.refused(None, why)),
        }
    }

    fn valid_id_if_present(&self) -> Result<Option<RequestId>, Malformed> {
        self.id().map_err(|why| self.refused(None, why))
    }

    fn id(&self) -> Result<Option<RequestId>, &'static str> {
        if self.outline.repeated_id {
            return Err("the message has two members `id`; send one");
        }
        let Some(span) = self.member(Member::Id) else { return Ok(None) };
        match RequestId::from_json(self.text(span)) {
            Some(id) => Ok(Some(id)),
            None => Err("`id` must be a string or an integer of 64 bits"),
        }
    }

    fn method(&self) -> Option<String> {
        self.member(Member::Method).and_then(|span| self.string(span))
    }

    fn params(&self) -> Result<Option<Box<RawValue>>, String> {
        match self.member(Member::Params) {
            None => Ok(None),
            Some(span) if span.kind == Kind::Object => Ok(self.raw(span)),
            Some(span) => Err(format!("`params` must be an object, got {}", span.kind)),
        }
    }

    fn error(&self, span: Span) -> Option<ErrorObject> {
        serde_json::from_slice(self.text(span)).ok()
    }

    fn string(&self, span: Span) -> Option<String> {
        if span.kind == Kind::String { serde_json::from_slice(self.text(span)).ok() } else { None }
    }

    fn raw(&self, span: Span) -> Option<Box<RawValue>> {
        serde_json::from_slice(self.text(span)).ok()
    }

    fn member(&self, member: Member) -> Option<Span> {
        self.outline.get(member)
    }

    fn text(&self, span: Span) -> &[u8] {
        &self.bytes[span.start..span.end]
    }
}

const METHOD: &str = "`method` must be a string";
