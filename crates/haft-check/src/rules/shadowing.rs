//! Tools of other servers.

use std::sync::LazyLock;

use regex::Regex;

use crate::finding::Found;
use crate::rule::{Blast, Check, Family, Rule, Severity, Subject};
use crate::say::quoted;
use crate::tool::Tool;

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
    check: Check::Tool(check),
    ..Rule::BASE
}];

static FOREIGN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\bmcp__[A-Za-z0-9-]+__[A-Za-z0-9_-]+|(?i:\b(?:the|every|each|any) [\w-]+ tool (?:of|from) (?:the )?[\w-]+ (?:mcp )?server\b)").ok()
});

fn check(tool: &Tool<'_>, found: &mut Found<'_>) {
    let Some(foreign) = FOREIGN.as_ref() else { return };
    for said in tool.texts().iter().filter(|said| said.text.len() > 8) {
        if let Some(hit) = foreign.find(said.text).filter(|hit| !hit.as_str().to_lowercase().contains("this ")) {
            found.at(tool.at_text(said), format!("this names {}", quoted(hit.as_str())));
        }
    }
}
