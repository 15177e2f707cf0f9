//! Descriptions that say no more than the name.

use crate::finding::Found;
use crate::host::Host;
use crate::rule::{Check, Rule, Severity, Subject};
use crate::tool::Tool;
use crate::words;

pub(super) static RULES: [Rule; 1] = [Rule {
    id: "GLA-002",
    title: "the description only repeats the name or title",
    subject: Subject::Description,
    hosts: &[Host::Glama],
    severity: Severity::Degraded,
    source: "glama-ai/tool-definition-quality-score README @c8c6b0c",
    date: "2026-06-14",
    consequence: "flags No Description / Tautological Description / Annotation Contradiction",
    fix: "say when to use the tool, what it takes, and what it returns",
    check: Check::Tool(check),
    ..Rule::BASE
}];

fn check(tool: &Tool<'_>, found: &mut Found<'_>) {
    let said = words::of_name(tool.description());
    let repeats = |text: Option<&str>| text.is_some_and(|text| !said.is_empty() && words::of_name(text) == said);
    if repeats(tool.name()) || repeats(tool.title()) {
        found.at(tool.place(&["description"]), "the description has the same words as the name or the title");
    }
}
