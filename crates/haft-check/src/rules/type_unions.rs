//! Types in lists.

use crate::finding::Found;
use crate::host::Host;
use crate::rule::{Blast, Check, Confidence, Rule, Severity, Subject};
use crate::schema::Part;
use crate::tool::Tool;

pub(super) static RULES: [Rule; 3] = [
    Rule {
        id: "GEM-IN-002",
        title: "`type` is a list",
        subject: Subject::Input,
        hosts: &[Host::GeminiApi, Host::Portable],
        severity: Severity::Degraded,
        blast: Blast::Session,
        confidence: Confidence::Reported,
        source: "nanbingxyz/5ire#218; github/copilot-cli#4623 (items of [object,null])",
        date: "2026-09-08",
        consequence: "'Proto field is not repeating, cannot start list'",
        fix: "write a single type, and leave a property that may be null out of `required`",
        note: Some(
            "Gemini CLI and VS Code rewrite 2-element [T,null] to nullable; unions of 3+ or inside items \
                    still break.",
        ),
        check: Check::Tool(|tool, found| lists(tool, &[Part::Input], 1, found)),
        ..Rule::BASE
    },
    Rule {
        id: "MCS-IN-002",
        title: "`type` is a list",
        subject: Subject::Input,
        hosts: &[Host::CopilotStudio, Host::Portable],
        severity: Severity::Truncates,
        source: "Copilot Studio MCP troubleshooting \
                 (learn.microsoft.com/microsoft-copilot-studio/mcp-troubleshooting; Portuguese copy)",
        date: "2026-01-01",
        consequence: "input schema truncated",
        fix: "write a single type, and leave a property that may be null out of `required`",
        check: Check::Tool(|tool, found| lists(tool, &[Part::Input], 1, found)),
        ..Rule::BASE
    },
    Rule {
        id: "VSC-IN-007",
        title: "`type` is a list of three or more with null",
        subject: Subject::Input,
        hosts: &[Host::Vscode],
        severity: Severity::Degraded,
        source: "microsoft/vscode-copilot-chat src/extension/tools/common/toolSchemaNormalizer.ts @31acd00a",
        date: "2026-03-28",
        consequence: "null removed from the union",
        fix: "write a single type",
        check: Check::Tool(|tool, found| lists(tool, &[Part::Input], 3, found)),
        ..Rule::BASE
    },
];

fn lists(tool: &Tool<'_>, parts: &[Part], fewest: usize, found: &mut Found<'_>) {
    for schema in tool.schemas().filter(|schema| parts.contains(&schema.part)) {
        for kinds in schema.uses("type").filter(|kinds| kinds.is_array() && kinds.items().len() >= fewest) {
            let null = kinds.items().iter().any(|kind| kind.as_str() == Some("null"));
            if fewest < 3 || null {
                found.at(tool.at(kinds), format!("`type` lists {} types", kinds.items().len()));
            }
        }
    }
}
