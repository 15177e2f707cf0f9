//! Names that say what the tool does.

use crate::finding::Found;
use crate::rule::{Check, Confidence, Family, Rule, Severity, Subject};
use crate::say::quoted;
use crate::tool::Tool;
use crate::words;

pub(super) static RULES: [Rule; 1] = [Rule {
    id: "QUA-NAME-001",
    title: "the name doesn't say what the tool does",
    subject: Subject::Name,
    family: Family::Quality,
    severity: Severity::Advice,
    confidence: Confidence::Derived,
    source: "DialMCP, \"MCP tools explained\", checklist for every tool, 1",
    date: "2026-10-21",
    consequence: "a model chooses among many tools by their names first",
    fix: "begin the name with a verb: get_order, not order",
    check: Check::Tool(check),
    ..Rule::BASE
}];

fn check(tool: &Tool<'_>, found: &mut Found<'_>) {
    let Some(name) = tool.name() else { return };
    let words = words::of_name(name);
    if !words.is_empty() && !words.iter().any(|word| words::is_verb(word)) {
        found.at(tool.place(&["name"]), format!("{} has no verb in it", quoted(name)));
    }
}
