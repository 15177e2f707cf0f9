//! What is sent: one message, and what is expected of it.

use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::exchange::{Probe, Spoken};

/// The revision that requests are made by.
pub(super) const MODERN: &str = "2026-07-28";
/// The revision that handshakes offer.
pub(super) const LEGACY: &str = "2025-11-25";

/// A message to send.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    pub(super) probe: Probe,
    pub(super) detail: String,
    pub(super) era: Spoken,
    pub(super) tool: Option<String>,
    pub(super) body: String,
    pub(super) wants: Wants,
    /// Over HTTP: headers that are set to something else, or left out.
    pub(super) headers: Vec<(String, Option<String>)>,
    pub(super) method: &'static str,
    pub(super) deadline: Duration,
}

/// What is expected of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wants {
    /// The answer with this id, as it reads without its quotes.
    Answer(String),
    /// An answer, whatever its id.
    Any,
    /// None.
    Nothing,
}

/// How long anything but a start and a call may take.
const USUAL: Duration = Duration::from_secs(10);

impl Frame {
    /// A message as it is.
    pub(super) fn raw(probe: Probe, era: Spoken, body: impl Into<String>, wants: Wants) -> Self {
        Self {
            probe,
            detail: String::new(),
            era,
            tool: None,
            body: body.into(),
            wants,
            headers: Vec::new(),
            method: "POST",
            deadline: USUAL,
        }
    }

    /// A request as it should be; its id is a number.
    pub(super) fn request(probe: Probe, era: Spoken, id: u64, method: &str, params: Map<String, Value>) -> Self {
        let body = message(Some(json!(id)), method, with_meta(era, params));
        Self::raw(probe, era, body, Wants::Answer(id.to_string()))
    }

    pub(super) fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into();
        self
    }

    pub(super) fn within(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    pub(super) fn tool(mut self, name: &str) -> Self {
        self.tool = Some(name.to_owned());
        self
    }

    pub(super) fn header(mut self, name: &str, value: Option<&str>) -> Self {
        self.headers.push((name.to_owned(), value.map(str::to_owned)));
        self
    }
}

/// A message, written out. `params` may be anything.
pub(super) fn message(id: Option<Value>, method: &str, params: Value) -> String {
    let id = id.map(|id| format!(r#","id":{id}"#)).unwrap_or_default();
    let params = if params.is_null() { String::new() } else { format!(r#","params":{params}"#) };
    format!(r#"{{"jsonrpc":"2.0"{id},"method":{}{params}}}"#, json!(method))
}

/// The parameters of a request, with what its era wants in `_meta`. No capability is declared: nothing may be asked back.
pub(super) fn with_meta(era: Spoken, mut params: Map<String, Value>) -> Value {
    if era == Spoken::Modern {
        let meta = params.entry("_meta").or_insert_with(|| json!({}));
        if let Value::Object(meta) = meta {
            meta.insert("io.modelcontextprotocol/protocolVersion".to_owned(), json!(MODERN));
            meta.insert("io.modelcontextprotocol/clientInfo".to_owned(), who());
            meta.insert("io.modelcontextprotocol/clientCapabilities".to_owned(), json!({}));
        }
    }
    Value::Object(params)
}

pub(super) fn who() -> Value {
    json!({"name": "haft-check", "version": env!("CARGO_PKG_VERSION")})
}

/// An id without its quotes, so that one is found whose type has changed.
pub(super) fn loose(id: &Value) -> String {
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}

/// Whether a message is an answer, and whose: `Some(None)` where it has no id.
pub(super) fn answered(text: &str) -> Option<Option<String>> {
    // Most of what a server floods with is no answer: it isn't read for that.
    if !text.contains("\"result\"") && !text.contains("\"error\"") {
        return None;
    }
    let message: Value = serde_json::from_str(text).ok()?;
    // A batch answers, though not as it should.
    if message.as_array().is_some_and(|batch| !batch.is_empty()) {
        return Some(None);
    }
    let object = message.as_object()?;
    if !object.contains_key("result") && !object.contains_key("error") {
        return None;
    }
    Some(object.get("id").filter(|id| !id.is_null()).map(loose))
}
