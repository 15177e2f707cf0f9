//! Tools that take long, and the handles that they return.

use std::sync::LazyLock;

use regex::Regex;

use crate::finding::Found;
use crate::rule::{Check, Confidence, Family, Rule, Severity, Subject};
use crate::say::quoted;
use crate::tool::Tool;
use crate::words;

pub(super) static RULES: [Rule; 2] = [
    Rule {
        id: "QUA-LONG-001",
        title: "a slow tool returns no handle",
        subject: Subject::Tool,
        family: Family::Quality,
        severity: Severity::Advice,
        confidence: Confidence::Derived,
        source: "DialMCP, \"MCP tools explained\", checklist for every tool, 7",
        date: "2026-10-21",
        consequence: "hosts end calls after 60 s or so, and the work is lost",
        fix: "return a handle at once, and offer a tool that looks after it",
        check: Check::Tool(slow),
        ..Rule::BASE
    },
    Rule {
        id: "QUA-HANDLE-001",
        title: "a handle has no stated lifetime",
        subject: Subject::Description,
        family: Family::Quality,
        severity: Severity::Advice,
        confidence: Confidence::Derived,
        source: "MCP 2026-07-28, server/tools (Stateful Tools)",
        date: "2026-07-28",
        consequence: "a model goes on with a handle that has expired, or creates another each time",
        fix: "say in the description how long what is created is kept",
        check: Check::Tool(lifetime),
        ..Rule::BASE
    },
];

static SLOW: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\blong[- ]running\b|\b(?:can|may|could|will) take (?:a while|a long time|several|some|up to|\d+[^.]{0,12}) ?(?:minutes?|hours?|time)\b|\btakes (?:several|some|\d+[^.]{0,12}) ?(?:minutes?|hours?)\b").ok()
});
static HANDLE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:job|task|run|call|request|operation|workflow|execution|build)[ _-]?id\b|\bhandle\b|\bpoll\b|\bat once\b|\bimmediately\b|\bin the background\b|\basync").ok()
});

fn slow(tool: &Tool<'_>, found: &mut Found<'_>) {
    let description = tool.description();
    let Some(says) = SLOW.as_ref().and_then(|slow| slow.find(description)) else { return };
    let in_output =
        tool.output().is_some_and(|schema| schema.properties().any(|(name, _)| name.to_lowercase().ends_with("id")));
    if !in_output && !HANDLE.as_ref().is_some_and(|handle| handle.is_match(description)) {
        let message = format!("the description says {}, and nothing of a handle", quoted(says.as_str()));
        found.at(tool.place(&["description"]), message);
    }
}

/// What is created only for a while.
const PASSING: [&str; 9] =
    ["session", "basket", "cart", "sandbox", "browser", "transaction", "upload", "cursor", "terminal"];

fn lifetime(tool: &Tool<'_>, found: &mut Found<'_>) {
    const SAYS: [&str; 14] = [
        "expire",
        "lifetime",
        "minute",
        "hour",
        " day",
        "until",
        "kept",
        "timeout",
        "times out",
        "idle",
        "ttl",
        "closed",
        "forever",
        "permanent",
    ];
    let words = tool.name().map(words::of_name).unwrap_or_default();
    let creates = words
        .first()
        .is_some_and(|verb| matches!(verb.as_str(), "create" | "open" | "start" | "begin" | "launch" | "new"));
    let Some(what) = words.iter().find(|word| PASSING.contains(&word.as_str())).filter(|_| creates) else { return };
    let description = tool.description().to_lowercase();
    if !SAYS.iter().any(|word| description.contains(word)) {
        found.at(tool.place(&["description"]), format!("this creates a {what}, and doesn't say how long it lives"));
    }
}
