//! Characters in names that hosts don't take.

use crate::finding::Found;
use crate::host::Host;
use crate::limits;
use crate::rule::{Blast, Check, Confidence, Rule, Severity, Subject};
use crate::say::quoted;
use crate::tool::Tool;

pub(super) static RULES: [Rule; 8] = [
    Rule {
        id: "CLA-NAME-001",
        title: "the name has characters that Claude's apps don't take",
        subject: Subject::Name,
        hosts: &[Host::ClaudeApp, Host::Portable],
        severity: Severity::Degraded,
        blast: Blast::Server,
        confidence: Confidence::Reported,
        source: "evoila/meho#2745; loomle/loomle#168; hostinger/api-mcp-server#51; l22-io/orchard-mcp#14; \
                 NetApp/netapp-dataops-toolkit#38",
        date: "2026-08-02",
        consequence: "one bad name withholds ALL tools of the connector from every chat (error \
                      FrontendRemoteMcpToolDefinition.name)",
        fix: "use only a-z, 0-9 and _ in names",
        note: Some(
            "Conflict: spec allows dots and 128; the directory page states only <=64. Older pattern had no \
                    hyphen (modelcontextprotocol#1063, 2025-07-26).",
        ),
        check: Check::Tool(|tool, found| only(tool, word_or_hyphen, found)),
        ..Rule::BASE
    },
    Rule {
        id: "OAI-API-NAME",
        title: "the name is not one that the OpenAI API takes",
        subject: Subject::Name,
        hosts: &[Host::OpenaiApi, Host::Codex, Host::Chatgpt, Host::Portable],
        severity: Severity::Rejects,
        blast: Blast::Session,
        source: limits::OPENAI_NAME.source,
        date: limits::OPENAI_NAME.date,
        limit: Some(&limits::OPENAI_NAME),
        consequence: "HTTP 400",
        fix: "use only a-z, 0-9 and _ in names, 64 at most",
        note: Some("LibreChat#12678 (2026-04-15) shows a provider error text allowing 128 with the same charset."),
        check: Check::Tool(|tool, found| {
            only(tool, word_or_hyphen, found);
            at_most(tool, found)
        }),
        ..Rule::BASE
    },
    Rule {
        id: "BED-NAME-001",
        title: "the name is not one that Bedrock takes",
        subject: Subject::Name,
        hosts: &[Host::Bedrock],
        severity: Severity::Degraded,
        blast: Blast::Session,
        confidence: Confidence::Reported,
        source: limits::BEDROCK_NAME.source,
        date: limits::BEDROCK_NAME.date,
        limit: Some(&limits::BEDROCK_NAME),
        consequence: "ValidationException for the whole request, even if the tool is only declared",
        fix: "use only a-z, 0-9 and _ in names, 64 at most",
        check: Check::Tool(|tool, found| {
            only(tool, word_or_hyphen, found);
            at_most(tool, found)
        }),
        ..Rule::BASE
    },
    Rule {
        id: "VSC-NAME-003",
        title: "the name is not one that Copilot CLI takes",
        subject: Subject::Name,
        hosts: &[Host::CopilotCli],
        severity: Severity::Degraded,
        blast: Blast::Session,
        confidence: Confidence::Reported,
        source: limits::COPILOT_CLI_NAME.source,
        date: limits::COPILOT_CLI_NAME.date,
        limit: Some(&limits::COPILOT_CLI_NAME),
        consequence: "CAPIError 400 on any prompt",
        fix: "use only a-z, 0-9 and _ in names",
        check: Check::Tool(|tool, found| {
            only(tool, word_or_hyphen, found);
            at_most(tool, found)
        }),
        ..Rule::BASE
    },
    Rule {
        id: "VSC-NAME-001",
        title: "the name has characters that VS Code replaces",
        subject: Subject::Name,
        hosts: &[Host::Vscode, Host::Portable],
        severity: Severity::Truncates,
        source: "microsoft/vscode src/vs/workbench/contrib/mcp/common/mcpServer.ts @0052d689",
        date: "2026-01-01",
        consequence: "other characters become '_' with a logged warning",
        fix: "use only a-z, 0-9 and _ in names",
        check: Check::Tool(|tool, found| only(tool, word_or_hyphen, found)),
        ..Rule::BASE
    },
    Rule {
        id: "GEM-NAME-003",
        title: "the name is not one that the Gemini API takes",
        subject: Subject::Name,
        hosts: &[Host::GeminiApi, Host::GeminiCli],
        severity: Severity::Degraded,
        blast: Blast::Session,
        source: limits::GEMINI_NAME.source,
        date: limits::GEMINI_NAME.date,
        limit: Some(&limits::GEMINI_NAME),
        consequence: "HTTP 400",
        fix: "begin with a letter, and use only a-z, 0-9 and _, 64 at most",
        note: Some(
            "Conflict 64 vs 128: Vertex reference/SDK comments and CLI use 64; Developer API discovery \
                    document says 128.",
        ),
        check: Check::Tool(gemini),
        ..Rule::BASE
    },
    Rule {
        id: "AQ-NAME-001",
        title: "the name has characters that Amazon Q removes",
        subject: Subject::Name,
        hosts: &[Host::AmazonQ],
        severity: Severity::Truncates,
        source: "aws/amazon-q-developer-cli crates/chat-cli/src/cli/chat/tool_manager.rs @15cc8f3c",
        date: "2026-04-23",
        consequence: "other characters removed",
        fix: "begin with a letter, and use only a-z, 0-9 and _, no `___`",
        check: Check::Tool(amazon),
        ..Rule::BASE
    },
    Rule {
        id: "KIR-NAME-002",
        title: "the name has a hyphen or a dot",
        subject: Subject::Name,
        hosts: &[Host::Kiro],
        severity: Severity::Degraded,
        confidence: Confidence::Reported,
        source: "seed 000 quoting https://pournasserian.com/writing/what-ai-hosts-require-of-an-mcp-server",
        date: "2026-10-01",
        consequence: "tool not available",
        fix: "use only a-z, 0-9 and _ in names",
        note: Some(
            "Conflict: Kiro's open predecessor (Amazon Q CLI) sanitizes bad characters instead of rejecting; \
                    two independent Kiro proxies report the API accepting ^[a-zA-Z0-9_-]{1,64}$ (hyphen allowed). Use \
                    [a-z0-9_] to satisfy all.",
        ),
        check: Check::Tool(|tool, found| only(tool, word, found)),
        ..Rule::BASE
    },
];

fn word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn word_or_hyphen(c: char) -> bool {
    word(c) || c == '-'
}

fn only(tool: &Tool<'_>, takes: fn(char) -> bool, found: &mut Found<'_>) {
    let Some(name) = tool.name() else { return };
    if name.is_empty() {
        found.at(tool.place(&["name"]), "the name is empty");
    }
    let mut others: Vec<char> = name.chars().filter(|&c| !takes(c)).collect();
    others.sort_unstable();
    others.dedup();
    if let Some(c) = others.first() {
        let more = if others.len() > 1 { format!(" and {} more characters", others.len() - 1) } else { String::new() };
        found.at(tool.place(&["name"]), format!("the name {} has {}{more}", quoted(name), quoted(&c.to_string())));
    }
}

fn at_most(tool: &Tool<'_>, found: &mut Found<'_>) {
    let length = tool.name().map_or(0, |name| name.chars().count());
    if length > found.limit() {
        let limit = found.limit();
        found.at(tool.place(&["name"]), format!("the name has {length} characters; the limit is {limit}"));
    }
}

fn gemini(tool: &Tool<'_>, found: &mut Found<'_>) {
    only(tool, |c| word(c) || ".:-".contains(c), found);
    letter_first(tool, |c| c.is_ascii_alphabetic() || c == '_', found);
    at_most(tool, found);
}

fn amazon(tool: &Tool<'_>, found: &mut Found<'_>) {
    only(tool, word, found);
    letter_first(tool, |c| c.is_ascii_alphabetic(), found);
    if tool.name().is_some_and(|name| name.contains("___")) {
        found.at(tool.place(&["name"]), "the name has `___`, which stands between a server's name and a tool's");
    }
}

fn letter_first(tool: &Tool<'_>, takes: fn(char) -> bool, found: &mut Found<'_>) {
    if tool.name().and_then(|name| name.chars().next()).is_some_and(|first| !takes(first) && first.is_ascii()) {
        found.at(tool.place(&["name"]), "the name doesn't begin with a letter");
    }
}
