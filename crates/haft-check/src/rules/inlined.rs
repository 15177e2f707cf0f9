//! References that hosts don't follow.

use crate::finding::Found;
use crate::host::Host;
use crate::rule::{Blast, Check, Confidence, Rule, Severity, Subject};
use crate::schema::Schema;
use crate::tool::Tool;

pub(super) static RULES: [Rule; 4] = [
    Rule {
        id: "MCS-IN-001",
        title: "the schema has references",
        subject: Subject::Input,
        hosts: &[Host::CopilotStudio, Host::Portable],
        severity: Severity::Rejects,
        source: "Copilot Studio MCP troubleshooting \
                 (learn.microsoft.com/microsoft-copilot-studio/mcp-troubleshooting; Portuguese copy)",
        date: "2026-01-01",
        consequence: "tool filtered from the list",
        fix: "write the schemas in place",
        check: Check::Tool(|tool, found| tool.schemas().for_each(|schema| references(tool, schema, found))),
        ..Rule::BASE
    },
    Rule {
        id: "VSC-DEFS-001",
        title: "the schema has references to `$defs`",
        subject: Subject::Input,
        hosts: &[Host::Vscode, Host::ClaudeApp],
        severity: Severity::Degraded,
        confidence: Confidence::Reported,
        source: "PrefectHQ/fastmcp PR 2814, PR 2861",
        date: "2026-01-13",
        consequence: "$defs stripped, dangling $ref breaks enum parameters",
        fix: "write the schemas in place",
        check: Check::Tool(|tool, found| tool.input().into_iter().for_each(|schema| references(tool, schema, found))),
        ..Rule::BASE
    },
    Rule {
        id: "CC-OUT-001",
        title: "the output schema refers to itself",
        subject: Subject::Output,
        hosts: &[Host::ClaudeCode, Host::Portable],
        severity: Severity::Degraded,
        blast: Blast::Server,
        confidence: Confidence::Reported,
        source: "anthropics/claude-code#77106; google-labs-code/stitch-sdk#367",
        date: "2026-08-11",
        consequence: "'Connected · tools fetch failed', all tools lost",
        fix: "cut the recursion at a depth, or leave the schema open there: {}",
        check: Check::Tool(|tool, found| tool.output().into_iter().for_each(|schema| cycle(tool, schema, found))),
        ..Rule::BASE
    },
    Rule {
        id: "GEM-IN-005",
        title: "the input schema refers to itself",
        subject: Subject::Input,
        hosts: &[Host::GeminiApi, Host::GeminiCli, Host::Portable],
        severity: Severity::Degraded,
        blast: Blast::Session,
        confidence: Confidence::Reported,
        source: "google-gemini/gemini-cli#14945",
        date: "2025-12-11",
        consequence: "HTTP 400 for the whole request; CLI suggests excludeTools",
        fix: "cut the recursion at a depth, or take the nested part as text",
        check: Check::Tool(|tool, found| tool.input().into_iter().for_each(|schema| cycle(tool, schema, found))),
        ..Rule::BASE
    },
];

/// One finding for all of them: a schema that has one has dozens.
fn references(tool: &Tool<'_>, schema: &Schema<'_>, found: &mut Found<'_>) {
    let mut references = schema.uses("$ref");
    if let Some(first) = references.next() {
        let message = match references.count() {
            0 => "this is a reference".to_owned(),
            1 => "this is a reference, and there is 1 more".to_owned(),
            more => format!("this is a reference, and there are {more} more"),
        };
        found.at(tool.at(first), message);
    }
}

fn cycle(tool: &Tool<'_>, schema: &Schema<'_>, found: &mut Found<'_>) {
    if let Some(reference) = schema.cycle() {
        found.at(tool.at(reference), "this leads back to a schema around it");
    }
}
