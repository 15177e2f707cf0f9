//! Input schemas that are stripped for their size.

use crate::finding::Found;
use crate::host::Host;
use crate::limits;
use crate::rule::{Check, Rule, Severity, Subject};
use crate::tool::Tool;

pub(super) static RULES: [Rule; 1] = [Rule {
    id: "CDX-IN-001",
    title: "the input schema is larger than Codex shows",
    subject: Subject::Input,
    hosts: &[Host::Codex, Host::Portable],
    severity: Severity::Truncates,
    source: limits::CODEX_INPUT.source,
    date: limits::CODEX_INPUT.date,
    limit: Some(&limits::CODEX_INPUT),
    consequence: "in order: all descriptions stripped, $defs dropped, objects deeper than 3 collapsed, \
                      compositions pruned",
    fix: "shorten descriptions, or split the tool",
    note: Some("A very checkable, little-known rule: long parameter docs vanish."),
    check: Check::Tool(check),
    ..Rule::BASE
}];

fn check(tool: &Tool<'_>, found: &mut Found<'_>) {
    let Some(schema) = tool.input() else { return };
    let bytes = schema.compact_bytes();
    if bytes > found.limit() {
        let limit = found.limit();
        found.at(
            tool.at(schema.root),
            format!("the input schema has {bytes} bytes; past {limit} its descriptions go first"),
        );
    }
}
