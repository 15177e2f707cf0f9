//! Tools of other servers.

use std::sync::LazyLock;

use regex::Regex;

use crate::rule::{Blast, Check, Family, Rule, Severity, Subject};
use crate::say::quoted;

pub(super) static RULES: [Rule; 1] = [Rule {
    id: "X-INJ-002",
    title: "a text names a tool of another server",
    subject: Subject::Description,
    family: Family::Safety,
    severity: Severity::Degraded,
    blast: Blast::Session,
    source: "snyk/agent-scan E002 @b9e98ab",
    date: "2026-06-30",
    consequence: "E002 tool shadowing",
    fix: "leave other servers' tools alone",
    check: Check::Text(check),
    ..Rule::BASE
}];

static FOREIGN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\bmcp__[A-Za-z0-9-]+__[A-Za-z0-9_-]+|(?i:\b(?:the|every|each|any) [\w-]+ tool (?:of|from) (?:the )?[\w-]+ (?:mcp )?server\b)").ok()
});

fn check(text: &str) -> Option<String> {
    let hit = FOREIGN.as_ref()?.find(text).filter(|hit| !hit.as_str().to_lowercase().contains("this "))?;
    Some(format!("this names {}", quoted(hit.as_str())))
}
