//! Composition at the root of an input schema.

use crate::finding::Found;
use crate::host::Host;
use crate::rule::{Blast, Check, Confidence, Rule, Severity, Subject};
use crate::tool::Tool;

pub(super) static RULES: [Rule; 3] = [
    Rule {
        id: "CLA-IN-001",
        title: "the root has oneOf, anyOf or allOf",
        subject: Subject::Input,
        hosts: &[Host::ClaudeApi, Host::ClaudeApp, Host::ClaudeCode, Host::Bedrock, Host::Portable],
        severity: Severity::Degraded,
        blast: Blast::Session,
        confidence: Confidence::Reported,
        source: "anthropics/claude-code#5973, #710; makenotion/notion-mcp-server#341; zereight/gitlab-mcp#550; \
                 opentokenz/mcpx#28",
        date: "2026-09-21",
        consequence: "HTTP 400 'input_schema does not support oneOf, allOf, or anyOf at the top level' for the whole \
                      request; newer Claude Code silently drops the tool",
        fix: "write one object with all properties, say in descriptions which go together, and check the rest in the \
              tool",
        note: Some(
            "The specification allows composition at the root; the Claude API refuses it, VS Code deletes it, \
                    OpenAI's strict mode refuses it. Safe: never at the root.",
        ),
        check: Check::Tool(|tool, found| root(tool, &["oneOf", "anyOf", "allOf"], found)),
        ..Rule::BASE
    },
    Rule {
        id: "KIR-IN-001",
        title: "the root has oneOf, anyOf or allOf",
        subject: Subject::Input,
        hosts: &[Host::Kiro],
        severity: Severity::Degraded,
        blast: Blast::Session,
        confidence: Confidence::Reported,
        source: "kirodotdev/Kiro#11027; zereight/gitlab-mcp#550",
        date: "2026-08-24",
        consequence: "ValidationException on every turn",
        fix: "write one object with all properties",
        check: Check::Tool(|tool, found| root(tool, &["oneOf", "anyOf", "allOf"], found)),
        ..Rule::BASE
    },
    Rule {
        id: "VSC-IN-003",
        title: "VS Code deletes keywords at the root",
        subject: Subject::Input,
        hosts: &[Host::Vscode, Host::Portable],
        severity: Severity::Degraded,
        source: "microsoft/vscode-copilot-chat src/extension/tools/common/toolSchemaNormalizer.ts @31acd00a",
        date: "2026-03-28",
        consequence: "silently deleted, constraint lost",
        fix: "write one object with all properties, and check the rest in the tool",
        check: Check::Tool(|tool, found| root(tool, &["oneOf", "anyOf", "allOf", "not", "if", "then", "else"], found)),
        ..Rule::BASE
    },
];

fn root(tool: &Tool<'_>, keywords: &[&str], found: &mut Found<'_>) {
    let Some(schema) = tool.input() else { return };
    for keyword in keywords {
        if let Some(node) = schema.root.get(keyword) {
            found.at(tool.at(node), format!("`{keyword}` stands at the root"));
        }
    }
}
