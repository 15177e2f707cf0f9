//! Arrays that don't say what is in them.

use crate::finding::Found;
use crate::host::Host;
use crate::rule::{Blast, Check, Confidence, Rule, Severity, Subject};
use crate::tool::Tool;

pub(super) static RULES: [Rule; 2] = [
    Rule {
        id: "OAI-API-ARR",
        title: "an array has no `items`",
        subject: Subject::Input,
        hosts: &[Host::OpenaiApi, Host::Codex],
        severity: Severity::Degraded,
        blast: Blast::Session,
        confidence: Confidence::Reported,
        source: "apify/apify-mcp-server#36; digitalocean-labs/mcp-digitalocean#265; spacelift-io/spacectl#402; \
                 ogx-ai/ogx PR 3602",
        date: "2026-04-21",
        consequence: "HTTP 400 'array schema missing items'; all prompts fail",
        fix: "say what is in the array: \"items\": {\"type\": \"string\"}",
        check: Check::Tool(check),
        ..Rule::BASE
    },
    Rule {
        id: "VSC-IN-002",
        title: "an array has no `items`",
        subject: Subject::Input,
        hosts: &[Host::Vscode, Host::Portable],
        severity: Severity::Rejects,
        blast: Blast::Session,
        source: "microsoft/vscode-copilot-chat src/extension/tools/common/toolSchemaNormalizer.ts @31acd00a ; \
                 agentscope-ai/ReMe#84; DollhouseMCP/mcp-server#1566",
        date: "2026-03-28",
        consequence: "'Failed to validate tool …: tool parameters array type must have items' and the request fails",
        fix: "say what is in the array: \"items\": {\"type\": \"string\"}",
        check: Check::Tool(check),
        ..Rule::BASE
    },
];

fn check(tool: &Tool<'_>, found: &mut Found<'_>) {
    let Some(schema) = tool.input() else { return };
    for sub in schema.subs.iter().filter(|sub| sub.is("array") && !sub.has("items")) {
        found.at(tool.place_of(sub.node, "type"), "this array has no `items`");
    }
}
