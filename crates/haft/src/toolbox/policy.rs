//! Which tools a model sees, and which calls a person is asked about.

use std::fmt;

use haft_wire::ToolAnnotations;
use serde::Serialize;
use wildmatch::WildMatch;

use super::catalog::Exposed;

/// What is thought of one server, and which of its tools there are.
///
/// ```
/// use haft::ServerPolicy;
///
/// let policy = ServerPolicy::new().trusted().allow(["get_*", "list_*"]).deny(["*_secret"]);
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct ServerPolicy {
    trusted: bool,
    allow: Option<Vec<WildMatch>>,
    deny: Vec<WildMatch>,
}

impl ServerPolicy {
    /// All tools, and no trust: a person is asked before each call.
    pub fn new() -> Self {
        Self::default()
    }

    /// What the server says of its tools is true: those that it calls read-only run without a question.
    pub fn trusted(mut self) -> Self {
        self.trusted = true;
        self
    }

    /// The tools that there are, by the server's own names: `*` stands for any characters and `?` for one. All unless
    /// set; called twice, both count.
    pub fn allow<S: AsRef<str>>(mut self, patterns: impl IntoIterator<Item = S>) -> Self {
        self.allow.get_or_insert_default().extend(patterns.into_iter().map(|pattern| WildMatch::new(pattern.as_ref())));
        self
    }

    /// Tools that there are not, whatever is allowed.
    pub fn deny<S: AsRef<str>>(mut self, patterns: impl IntoIterator<Item = S>) -> Self {
        self.deny.extend(patterns.into_iter().map(|pattern| WildMatch::new(pattern.as_ref())));
        self
    }

    pub(super) fn admits(&self, tool: &str) -> bool {
        let matches = |patterns: &[WildMatch]| patterns.iter().any(|pattern| pattern.matches(tool));
        self.allow.as_deref().is_none_or(matches) && !matches(&self.deny)
    }

    /// Why a person is to be asked, if one is.
    pub(super) fn asks(&self, annotations: Option<&ToolAnnotations>) -> Option<AskReason> {
        if !self.trusted {
            return Some(AskReason::Untrusted);
        }
        let hint = |of: fn(&ToolAnnotations) -> Option<bool>| annotations.and_then(of);
        // spec: schema#toolannotations (what a tool doesn't say is the worse of the two)
        let reads = hint(|annotations| annotations.read_only_hint).unwrap_or(false);
        let destroys = hint(|annotations| annotations.destructive_hint).unwrap_or(!reads);
        match (reads, destroys) {
            (_, true) => Some(AskReason::Destructive),
            (false, false) => Some(AskReason::Writes),
            (true, false) => None,
        }
    }
}

/// Why a person is asked before a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AskReason {
    /// The server isn't trusted; what it says of its tools counts for nothing.
    Untrusted,
    /// The tool changes something.
    Writes,
    /// The tool may destroy something, or doesn't say that it doesn't.
    Destructive,
}

impl fmt::Display for AskReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AskReason::Untrusted => "the server is not trusted",
            AskReason::Writes => "the tool changes something",
            AskReason::Destructive => "the tool may destroy something",
        })
    }
}

/// A call that waits for a person's decision.
///
/// All text in it that came from a server or a model has controls and invisible characters escaped. `Display` writes all
/// that a person needs to see.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// Which call it is, as in [`ToolboxEvent`](crate::ToolboxEvent).
    pub call: u64,
    /// The key of the server.
    pub server: String,
    /// The server's name of the tool.
    pub tool: String,
    /// The name that the model called.
    pub name: String,
    /// The tool's name for people, by the server.
    pub display_name: String,
    /// The arguments, without secrets: what the schema calls `writeOnly` or what has a name such as `password`, `token` or
    /// `api_key` reads `[redacted]`.
    pub arguments: serde_json::Value,
    /// Why there is a question at all.
    pub reason: AskReason,
}

impl ApprovalRequest {
    pub(super) fn new(call: u64, tool: &Exposed, arguments: serde_json::Value, reason: AskReason) -> Self {
        Self {
            call,
            server: tool.server_shown(),
            tool: tool.tool_shown(),
            name: tool.public.name.clone(),
            display_name: tool.public.display_name.clone(),
            arguments,
            reason,
        }
    }
}

impl fmt::Display for ApprovalRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {} ({})", self.server, self.tool, self.display_name)?;
        writeln!(f, "asked because {}", self.reason)?;
        write!(f, "{:#}", self.arguments)
    }
}

/// What a person decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Approval {
    /// The call is made.
    Approve,
    /// It isn't, and the model is told so.
    Deny,
    /// It isn't, and the model is told so in these words.
    DenyBecause(String),
}

/// Who decided about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum DecidedBy {
    /// A person, who was asked.
    User,
    /// The rules: a read-only tool of a trusted server runs; without somebody to ask, what needs a question doesn't.
    Policy,
    /// The user, beforehand, by the tool's name.
    PreApproved,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hints(read_only: Option<bool>, destructive: Option<bool>) -> ToolAnnotations {
        ToolAnnotations { read_only_hint: read_only, destructive_hint: destructive, ..ToolAnnotations::default() }
    }

    #[test]
    fn hints_count_only_where_there_is_trust() {
        let trusted = ServerPolicy::new().trusted();
        let cases = [
            (None, None, Some(AskReason::Destructive)),
            (Some(true), None, None),
            (Some(true), Some(false), None),
            (Some(true), Some(true), Some(AskReason::Destructive)),
            (Some(false), Some(false), Some(AskReason::Writes)),
            (None, Some(false), Some(AskReason::Writes)),
            (Some(false), None, Some(AskReason::Destructive)),
        ];
        for (read_only, destructive, expected) in cases {
            let hints = hints(read_only, destructive);
            assert_eq!(trusted.asks(Some(&hints)), expected, "{hints:?}");
            assert_eq!(ServerPolicy::new().asks(Some(&hints)), Some(AskReason::Untrusted), "{hints:?}");
        }
        assert_eq!(trusted.asks(None), Some(AskReason::Destructive));
    }

    #[test]
    fn what_is_denied_is_so_whatever_is_allowed() {
        let policy = ServerPolicy::new().allow(["get_*"]).deny(["*_secret"]);
        assert!(policy.admits("get_order"));
        assert!(!policy.admits("get_secret"));
        assert!(!policy.admits("Get_order"));
        assert!(!policy.admits("cancel_order"));
        assert!(ServerPolicy::new().admits("anything"));
        let nothing: [&str; 0] = [];
        assert!(!ServerPolicy::new().allow(nothing).admits("anything"));
    }
}
