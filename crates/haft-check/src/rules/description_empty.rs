//! Descriptions that aren't there.

use crate::finding::Found;
use crate::host::Host;
use crate::rule::{Blast, Check, Confidence, Rule, Severity, Subject};
use crate::tool::Tool;

pub(super) static RULES: [Rule; 4] = [
    Rule {
        id: "VSC-DESC-001",
        title: "the tool has no description",
        subject: Subject::Description,
        hosts: &[Host::Vscode],
        severity: Severity::Degraded,
        source: "microsoft/vscode src/vs/workbench/contrib/mcp/common/mcpServer.ts @0052d689 ; \
                 microsoft/vscode-copilot-chat src/extension/tools/common/toolSchemaNormalizer.ts @31acd00a ; \
                 microsoft/vscode#243919",
        date: "2026-01-01",
        consequence: "replaced by '<empty>' / 'No description provided'",
        fix: "say what the tool does, when to use it, and what it returns",
        check: Check::Tool(check),
        ..Rule::BASE
    },
    Rule {
        id: "AQ-DESC-001",
        title: "the tool has no description",
        subject: Subject::Description,
        hosts: &[Host::AmazonQ, Host::Portable],
        severity: Severity::Rejects,
        source: "aws/amazon-q-developer-cli crates/chat-cli/src/cli/chat/tool_manager.rs @15cc8f3c",
        date: "2026-04-23",
        consequence: "tool excluded: 'tool schema contains empty description'",
        fix: "say what the tool does, when to use it, and what it returns",
        check: Check::Tool(check),
        ..Rule::BASE
    },
    Rule {
        id: "KIR-DESC-001",
        title: "the tool has no description",
        subject: Subject::Description,
        hosts: &[Host::Kiro],
        severity: Severity::Degraded,
        blast: Blast::Session,
        confidence: Confidence::Reported,
        source: "public Kiro proxies (opencodex-derived router; black-box probe report)",
        date: "2026-01-01",
        consequence: "omitted description gives 400",
        fix: "say what the tool does, when to use it, and what it returns",
        check: Check::Tool(check),
        ..Rule::BASE
    },
    Rule {
        id: "OAI-DESC-001",
        title: "the tool has no description",
        subject: Subject::Description,
        hosts: &[Host::Chatgpt],
        severity: Severity::Degraded,
        source: "OpenAI app/plugin submission guidelines (developers.openai.com/apps-sdk, later \
                 /plugins/app-guidelines), public copies",
        date: "2025-12-01",
        consequence: "the submission may be rejected",
        fix: "say what the tool does, when to use it, and what it returns",
        check: Check::Tool(check),
        ..Rule::BASE
    },
];

fn check(tool: &Tool<'_>, found: &mut Found<'_>) {
    if tool.description().trim().is_empty() {
        let message = if tool.node.get("description").is_some() {
            "the description is empty"
        } else {
            "there is no `description`"
        };
        found.at(tool.place(&["description"]), message);
    }
}
