//! What went over the wire in one probe.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::json;
use crate::say::printable;

/// What one probe sent to a server, and what came of it.
///
/// Reports have them as JSON, and [`ServerFacts::with_exchanges`](crate::ServerFacts::with_exchanges) takes them: what was
/// observed once can be judged again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Exchange {
    /// What was tried.
    pub probe: Probe,
    /// Which of several, such as the id that was sent or the header that was left out.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// By which rules: with `_meta` in each request (2026-07-28), or after `initialize` (before it).
    #[serde(default)]
    pub era: Spoken,
    /// The tool that was called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The message as it was sent: a line over stdio, a body over HTTP.
    pub sent: String,
    /// The method and the headers, of a request over HTTP. Credentials are left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<HttpRequest>,
    /// Every message that came meanwhile, as it came: lines over stdio, bodies or events over HTTP.
    #[serde(default)]
    pub received: Vec<String>,
    /// The status and the headers, of an answer over HTTP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<HttpResponse>,
    /// How it ended.
    #[serde(default)]
    pub end: End,
    /// How long it took, in milliseconds.
    #[serde(default)]
    pub ms: u64,
    /// How long the process had been running when it ended, in milliseconds; of the first exchanges with a server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since_start_ms: Option<u64>,
}

/// The head of a request over HTTP.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "each is what HTTP calls it")]
pub struct HttpRequest {
    pub method: String,
    pub url: String,
    pub headers: Vec<(String, String)>,
}

/// The head of an answer over HTTP.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "each is what HTTP calls it")]
pub struct HttpResponse {
    pub status: u16,
    pub headers: Vec<(String, String)>,
}

/// Which rules an exchange goes by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Spoken {
    /// 2026-07-28: each request says its version.
    #[default]
    Modern,
    /// The revisions before: `initialize` comes first.
    Legacy,
}

/// How an exchange ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// An answer came; or, to what wants none, the server went on without one.
    #[default]
    Answered,
    /// Nothing came before the deadline, or until the server had answered what was sent afterwards.
    Silent,
    /// The process ended, the connection broke, or the server answered nothing any more, not even what comes after.
    Died,
    /// More came than anybody reads.
    Flooded,
}

macro_rules! probes {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)+) => {
        /// What was tried.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        #[non_exhaustive]
        pub enum Probe { $($(#[$doc])* $variant,)+ }

        impl Probe {
            /// As reports call it, such as `unknown-tool`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }
        }
    };
}

probes! {
    /// `server/discover`.
    Discover = "discover",
    /// `initialize`, with a version that everybody knows.
    Initialize = "initialize",
    /// `initialize`, with a version that nobody knows.
    InitializeUnknown = "initialize-unknown",
    /// `tools/list`, the first page.
    List = "list",
    /// `tools/list` with the cursor of the page before.
    Page = "page",
    /// `tools/list` once more.
    ListAgain = "list-again",
    /// `tools/list` after calls.
    ListAfterCalls = "list-after-calls",
    /// `tools/list` as the first message of a new connection.
    ListFirst = "list-first",
    /// The other lists of which the server says that it has them.
    OtherList = "other-list",
    /// A cursor that the server never gave.
    BadCursor = "bad-cursor",
    /// A call of a tool that isn't there.
    UnknownTool = "unknown-tool",
    /// A method that isn't there.
    UnknownMethod = "unknown-method",
    /// A call, of a tool that isn't there, that isn't of a call's form.
    MalformedCall = "malformed-call",
    /// A request without `_meta`, or without a field that has to be in it.
    IncompleteMeta = "incomplete-meta",
    /// A version that nobody knows.
    UnsupportedVersion = "unsupported-version",
    /// Ids of all kinds.
    Id = "id",
    /// An id that a request can't have.
    BadId = "bad-id",
    /// What isn't JSON, or not one message.
    NotAMessage = "not-a-message",
    /// A request with a value that is hard to read.
    OddValue = "odd-value",
    /// A notification.
    Notification = "notification",
    /// Over HTTP: headers that are missing, or don't fit the body.
    Headers = "headers",
    /// Over HTTP: a name that is written in Base64.
    EncodedName = "encoded-name",
    /// Over HTTP: an `Origin` that nobody trusts.
    Origin = "origin",
    /// Over HTTP: another method than POST.
    Method = "method",
    /// A call with arguments that the schema takes.
    GoodCall = "good-call",
    /// A call with arguments that the schema refuses.
    BadCall = "bad-call",
    /// The end of stdin.
    Close = "close",
}

/// How much of a message is shown in a line.
const SHORT: usize = 160;

impl Exchange {
    /// An exchange in which nothing came yet.
    #[must_use]
    pub fn new(probe: Probe, sent: impl Into<String>) -> Self {
        Self {
            probe,
            detail: String::new(),
            era: Spoken::Modern,
            tool: None,
            sent: sent.into(),
            request: None,
            received: Vec::new(),
            response: None,
            end: End::Answered,
            ms: 0,
            since_start_ms: None,
        }
    }

    /// What was tried, such as `id (0)`.
    #[must_use]
    pub fn title(&self) -> String {
        let detail = if self.detail.is_empty() { String::new() } else { format!(" ({})", self.detail) };
        format!("{}{detail}", self.probe.name())
    }

    /// The whole exchange, for people: what was sent after `>`, what came after `<`.
    #[must_use]
    pub fn to_text(&self) -> String {
        let legacy = if self.era == Spoken::Legacy { ", after initialize" } else { "" };
        let mut out = format!("{}{legacy}, {} ms\n", self.title(), self.ms);
        if let Some(request) = &self.request {
            let _ = writeln!(out, "> {} {}", request.method, request.url);
            for (name, value) in &request.headers {
                let _ = writeln!(out, "> {name}: {value}");
            }
        }
        for line in self.sent.lines() {
            let _ = writeln!(out, "> {line}");
        }
        if let Some(response) = &self.response {
            let _ = writeln!(out, "< {}", response.status);
            for (name, value) in &response.headers {
                let _ = writeln!(out, "< {name}: {value}");
            }
        }
        for line in self.received.iter().flat_map(|message| message.lines()) {
            let _ = writeln!(out, "< {line}");
        }
        let end = match self.end {
            End::Answered if self.received.is_empty() => "(nothing was to come, and nothing came)",
            End::Answered => "",
            End::Silent => "(no answer)",
            End::Died => "(the server ended, or the connection broke)",
            End::Flooded => "(too much came; the rest wasn't read)",
        };
        if !end.is_empty() {
            let _ = writeln!(out, "{end}");
        }
        printable(&out)
    }

    /// What was sent, in a line: method and parameters of a request, without the `_meta` that they all have.
    pub(crate) fn short(&self) -> String {
        let head = self.request.as_ref().map(|request| format!("{} ", request.method)).unwrap_or_default();
        let whole = self.request_in_short().unwrap_or_else(|| self.sent.clone());
        let mut short: String = whole.chars().take(SHORT).collect();
        if short.len() < whole.len() {
            short.push('…');
        }
        printable(&format!("{head}{short}")).replace('\n', " ")
    }

    fn request_in_short(&self) -> Option<String> {
        let message = json::read(&self.sent).ok()?;
        let method = message.get("method")?.as_str()?;
        let params = message.get("params").map(json::Node::members).unwrap_or_default();
        let shown = params.iter().filter(|member| &*member.name != "_meta" || self.probe == Probe::IncompleteMeta);
        let shown = shown.filter_map(|member| self.sent.get(member.name_span.start..member.node.span.end));
        Some(format!("{method} {{{}}}", shown.collect::<Vec<_>>().join(", ")))
    }
}
