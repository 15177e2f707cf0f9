//! Names that are too long once the host has put the server's name before them. The user chooses that name, so the message
//! says what is left for the tool.

use crate::finding::Found;
use crate::host::Host;
use crate::limits;
use crate::rule::{Blast, Check, Confidence, Rule, Severity, Subject};
use crate::say::quoted;
use crate::tool::Tool;

pub(super) static RULES: [Rule; 7] = [
    Rule {
        id: "CLA-NAME-002",
        title: "the name leaves no room for the prefix of Claude Code",
        subject: Subject::Name,
        hosts: &[Host::ClaudeCode, Host::ClaudeApi],
        severity: Severity::Degraded,
        blast: Blast::Session,
        confidence: Confidence::Reported,
        source: limits::CLAUDE_CODE_NAME.source,
        date: limits::CLAUDE_CODE_NAME.date,
        limit: Some(&limits::CLAUDE_CODE_NAME),
        consequence: "HTTP 400 on every request while the tool is loaded",
        fix: "shorten the name to 40 characters or fewer, and keep the server's name to 16",
        note: Some(
            "Claude Code name is mcp__<server>__<tool>. A 2026-03-12 report still fails above 64 \
                    (ChromeDevTools/chrome-devtools-mcp#1169, 67 chars): treat 64 as the safe limit.",
        ),
        check: Check::Tool(|tool, found| budget(tool, "mcp__", "__", found)),
        ..Rule::BASE
    },
    Rule {
        id: "CDX-NAME-001",
        title: "the name leaves no room for the prefix of Codex",
        subject: Subject::Name,
        hosts: &[Host::Codex],
        severity: Severity::Truncates,
        source: limits::CODEX_NAME.source,
        date: limits::CODEX_NAME.date,
        limit: Some(&limits::CODEX_NAME),
        consequence: "tool part cut and 12-hex sha1 suffix added; exact name lost to the model",
        fix: "shorten the name to 40 characters or fewer, and keep the server's name to 16",
        note: Some("Depends on the user's server key: give a budget, not a verdict."),
        check: Check::Tool(|tool, found| budget(tool, "", "__", found)),
        ..Rule::BASE
    },
    Rule {
        id: "GEM-NAME-001",
        title: "the name leaves no room for the prefix of Gemini CLI",
        subject: Subject::Name,
        hosts: &[Host::GeminiCli],
        severity: Severity::Truncates,
        source: limits::GEMINI_CLI_NAME.source,
        date: limits::GEMINI_CLI_NAME.date,
        limit: Some(&limits::GEMINI_CLI_NAME),
        consequence: "first 30 + '...' + last 30 characters; others replaced by '_'; 'may require user approval'",
        fix: "shorten the name to 40 characters or fewer, and keep the server's name to 16",
        check: Check::Tool(|tool, found| budget(tool, "mcp_", "_", found)),
        ..Rule::BASE
    },
    Rule {
        id: "CUR-NAME-001",
        title: "the name leaves no room for the server's name in Cursor",
        subject: Subject::Name,
        hosts: &[Host::Cursor],
        severity: Severity::Degraded,
        confidence: Confidence::Reported,
        source: limits::CURSOR_NAME.source,
        date: limits::CURSOR_NAME.date,
        limit: Some(&limits::CURSOR_NAME),
        consequence: "'Some tools have naming issues and may be filtered out'; tool missing",
        fix: "shorten the name to 40 characters or fewer, and keep the server's name to 16",
        note: Some("Text says 'exceeds 60' but 60 itself is refused in two reports (separator counted)."),
        check: Check::Tool(|tool, found| budget(tool, "", "", found)),
        ..Rule::BASE
    },
    Rule {
        id: "LIB-NAME-001",
        title: "the name leaves no room for the server's name in LibreChat",
        subject: Subject::Name,
        hosts: &[Host::Librechat],
        severity: Severity::Degraded,
        blast: Blast::Session,
        confidence: Confidence::Reported,
        source: limits::LIBRECHAT_NAME.source,
        date: limits::LIBRECHAT_NAME.date,
        limit: Some(&limits::LIBRECHAT_NAME),
        consequence: "provider 400 'string too long' / grammar compile error",
        fix: "shorten the name to 40 characters or fewer, and keep the server's name to 16",
        check: Check::Tool(|tool, found| budget(tool, "", "_mcp_", found)),
        ..Rule::BASE
    },
    Rule {
        id: "KIR-NAME-001",
        title: "the name leaves no room for the server's name in Kiro",
        subject: Subject::Name,
        hosts: &[Host::Kiro],
        severity: Severity::Degraded,
        confidence: Confidence::Reported,
        source: limits::KIRO_NAME.source,
        date: limits::KIRO_NAME.date,
        limit: Some(&limits::KIRO_NAME),
        consequence: "tool not available",
        fix: "shorten the name to 40 characters or fewer, and keep the server's name to 16",
        check: Check::Tool(|tool, found| budget(tool, "", "", found)),
        ..Rule::BASE
    },
    Rule {
        id: "AGC-NAME-001",
        title: "the name leaves no room for the target's name in AgentCore Gateway",
        subject: Subject::Name,
        hosts: &[Host::Bedrock],
        severity: Severity::Degraded,
        source: limits::BEDROCK_GATEWAY_NAME.source,
        date: limits::BEDROCK_GATEWAY_NAME.date,
        limit: Some(&limits::BEDROCK_GATEWAY_NAME),
        consequence: "the exposed name <target>___<tool> is longer than models on Bedrock take",
        fix: "shorten the name to 40 characters or fewer, and keep the server's name to 16",
        check: Check::Tool(|tool, found| budget(tool, "", "___", found)),
        ..Rule::BASE
    },
];

fn budget(tool: &Tool<'_>, before: &str, between: &str, found: &mut Found<'_>) {
    let Some(name) = tool.name() else { return };
    let length = name.chars().count();
    let taken = before.len() + found.options.key_length() + between.len();
    if taken + length > found.limit() {
        let left = found.limit().saturating_sub(taken);
        let key = match &found.options.server_key {
            Some(key) => quoted(key),
            None => format!("a server's name of {} characters", found.options.key_length()),
        };
        let message = format!("the name has {length} characters; with {key} before it there is room for {left}");
        found.at(tool.place(&["name"]), message);
    }
}
