//! Names that every host takes.

use haft_schema::portable;

use crate::finding::Found;
use crate::host::Host;
use crate::rule::{Check, Confidence, Rule, Severity, Subject};
use crate::tool::Tool;

pub(super) static RULES: [Rule; 1] = [Rule {
    id: "X-PORT-001",
    title: "the name is not portable",
    subject: Subject::Name,
    hosts: &[Host::Portable],
    severity: Severity::Advice,
    confidence: Confidence::Derived,
    source: "derived from the name rows above",
    date: "2026-11-30",
    consequence: "fits Cursor <60, Gemini 63, Codex/Claude/Kiro/LibreChat/Bedrock 64, VS Code 46",
    fix: "use 3 to 40 characters a-z, 0-9 and single _, a letter first",
    note: Some(
        "Derived, not a vendor rule. With a 40-char name and 16-char key: Gemini CLI 61, Claude Code 63, \
                    Codex 63, LibreChat 61, AgentCore 59, Cursor 56.",
    ),
    check: Check::Tool(check),
    ..Rule::BASE
}];

fn check(tool: &Tool<'_>, found: &mut Found<'_>) {
    if let Some(Err(message)) = tool.name().map(portable::tool_name) {
        found.at(tool.place(&["name"]), message);
    }
}
