//! The text and the structured content of a result, each by itself.

use crate::exchange::Probe;
use crate::finding::Found;
use crate::host::Host;
use crate::json::Node;
use crate::json::Value;
use crate::observed::Observed;
use crate::rule::{Check, Confidence, Rule, Severity, Subject};
use crate::server::Server;

pub(super) static RULES: [Rule; 4] = [
    Rule {
        id: "GEM-RES-001",
        title: "the text alone says less than the structured content",
        subject: Subject::Result,
        hosts: &[Host::GeminiCli, Host::Portable],
        severity: Severity::Degraded,
        source: "google-gemini/gemini-cli packages/core/src/tools/mcp-tool.ts @5411f113 transformMcpContentToParts",
        date: "2026-08-21",
        consequence: "structuredContent ignored; without content array the model sees '[Error: Could not parse tool response]'",
        fix: "put all facts into the text, too: as JSON, or in words",
        note: Some(
            "Gemini CLI and MCP Apps hosts show the model the text; Claude Code and VS Code the structured content, where there is one. Safe: either alone says everything.",
        ),
        check: Check::Server(text),
        ..Rule::BASE
    },
    Rule {
        id: "CLA-APP-001",
        title: "the text alone says less than the structured content",
        subject: Subject::Result,
        hosts: &[Host::ClaudeApp],
        severity: Severity::Degraded,
        confidence: Confidence::Reported,
        source: "modelcontextprotocol/ext-apps 2026-01-26 apps.mdx",
        date: "2026-10-15",
        consequence: "model misses data",
        fix: "put all facts into the text, too: as JSON, or in words",
        note: Some("The MCP Apps convention keeps structuredContent out of the model."),
        check: Check::Server(text),
        ..Rule::BASE
    },
    Rule {
        id: "VSC-RES-001",
        title: "the structured content alone says less than the text",
        subject: Subject::Result,
        hosts: &[Host::Vscode, Host::Portable],
        severity: Severity::Degraded,
        source: "microsoft/vscode src/vs/workbench/contrib/mcp/common/mcpLanguageModelToolContribution.ts @027907cb",
        date: "2026-01-01",
        consequence: "when present, text blocks are not sent to the model",
        fix: "put all facts into the structured content, or leave it out",
        check: Check::Server(structure),
        ..Rule::BASE
    },
    Rule {
        id: "CC-RES-003",
        title: "the structured content alone says less than the text",
        subject: Subject::Result,
        hosts: &[Host::ClaudeCode],
        severity: Severity::Degraded,
        confidence: Confidence::Reported,
        source: "https://code.claude.com/docs/en/agent-sdk/custom-tools",
        date: "2026-10-08",
        consequence: "prose placed only in content[].text is not seen",
        fix: "put all facts into the structured content, or leave it out",
        note: Some("Opposite of the MCP Apps convention and of Gemini CLI."),
        check: Check::Server(structure),
        ..Rule::BASE
    },
];

/// How much longer than the structured content a text is that says more, as a factor and in bytes.
const LONGER: usize = 4;
const MUCH: usize = 400;
/// The most values that are looked for.
const MOST_VALUES: usize = 500;
/// A longer string is not looked for: texts shorten such.
const LONGEST: usize = 80;

/// Both halves of a result that is no error, with what was observed.
fn halves<'a>(server: &Server<'a>) -> impl Iterator<Item = (Observed<'a>, &'a Node, String)> + use<'a> {
    server.probed(Probe::GoodCall).filter_map(|observed| {
        let result = observed.result()?;
        let structured = result.get("structuredContent")?;
        let failed = result.get("isError").and_then(Node::as_bool) == Some(true);
        let blocks = result.get("content").map(Node::items).unwrap_or_default();
        let texts: Vec<&str> = blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect();
        Some((observed, structured, texts.join("\n"))).filter(|_| !failed)
    })
}

/// The values of a structure that a text can repeat: numbers and short strings.
fn values(node: &Node, out: &mut Vec<String>) {
    if out.len() >= MOST_VALUES {
        return;
    }
    match &node.value {
        Value::Number(text) => out.push(text.trim_end_matches(".0").to_owned()),
        Value::String(text) if (1..=LONGEST).contains(&text.bytes) => out.push(text.kept.to_string()),
        Value::Array(items) => items.iter().for_each(|item| values(item, out)),
        Value::Object(members) => members.iter().for_each(|member| values(&member.node, out)),
        Value::Null | Value::Bool(_) | Value::String(_) | Value::Unread => {}
    }
}

fn text(server: &Server<'_>, found: &mut Found<'_>) {
    for (observed, structured, text) in halves(server) {
        let mut all = Vec::new();
        values(structured, &mut all);
        // As JSON has it: quotes and the like are escaped there.
        let plain = text.replace("\\\"", "\"").replace("\\n", "\n").replace("\\\\", "\\");
        let missing = all.iter().filter(|value| !text.contains(*value) && !plain.contains(*value)).count();
        if text.len() < 64 << 10 && missing * 2 > all.len() {
            let what = format!("{missing} of {} values are not in the text", all.len());
            found.seen(server, &observed, observed.at(Some(structured)), what);
        }
    }
}

fn structure(server: &Server<'_>, found: &mut Found<'_>) {
    for (observed, structured, text) in halves(server) {
        let empty = match &structured.value {
            Value::Null => true,
            Value::Array(items) => items.is_empty(),
            Value::Object(members) => members.is_empty(),
            _ => false,
        };
        let size = structured.span.len();
        let more = text.len() > size * LONGER && text.len() > size + MUCH;
        let said = !text.trim().is_empty() && !matches!(text.trim(), "null" | "[]" | "{}");
        if (empty && said && text.len() > size + LONGEST) || more {
            let what = format!("the text has {} bytes, the structured content {size}", text.len());
            found.seen(server, &observed, observed.at(Some(structured)), what);
        }
    }
}
