//! Results that hosts cut.

use crate::exchange::Probe;
use crate::finding::Found;
use crate::host::Host;
use crate::json::Node;
use crate::limits;
use crate::observed::Observed;
use crate::rule::{Check, Rule, Severity, Subject};
use crate::server::Server;

pub(super) static RULES: [Rule; 4] = [
    Rule {
        id: "CLA-RES-001",
        title: "the result is longer than the host takes",
        subject: Subject::Result,
        hosts: &[Host::ClaudeApp],
        severity: Severity::Truncates,
        source: "Building custom connectors + Connectors FAQ, https://claude.com/docs/connectors/building , https://claude.com/docs/connectors/faq ; payload-budgeting.md @f4b5494 (advises <=130,000)",
        date: "2026-04-27",
        consequence: "host replaces the text with a file pointer; widgets fail to parse JSON",
        fix: "return less: pages, a filter, or a summary",
        limit: Some(&limits::CLAUDE_RESULT),
        check: Check::Server(whole),
        ..Rule::BASE
    },
    Rule {
        id: "CC-RES-001",
        title: "the result is longer than the host takes",
        subject: Subject::Result,
        hosts: &[Host::ClaudeCode, Host::Portable],
        severity: Severity::Truncates,
        source: "Claude Code MCP docs, https://code.claude.com/docs/en/mcp",
        date: "2026-01-01",
        consequence: "saved to disk and replaced by a file reference",
        fix: "return less: pages, a filter, or a summary",
        note: Some("The limit is 25,000 tokens (a warning comes from 10,000). Four characters are reckoned as one."),
        limit: Some(&limits::CLAUDE_CODE_TOKENS),
        check: Check::Server(whole),
        ..Rule::BASE
    },
    Rule {
        id: "GEM-RES-002",
        title: "the text is longer than the host takes",
        subject: Subject::Result,
        hosts: &[Host::GeminiCli],
        severity: Severity::Truncates,
        source: "google-gemini/gemini-cli scheduler/tool-executor.ts and config.ts @5411f113",
        date: "2026-08-21",
        consequence: "saved to file, shortened text sent (only when the result has exactly one part)",
        fix: "return less: pages, a filter, or a summary",
        limit: Some(&limits::GEMINI_RESULT),
        check: Check::Server(single),
        ..Rule::BASE
    },
    Rule {
        id: "GOO-RES-001",
        title: "the result is longer than the host takes",
        subject: Subject::Result,
        hosts: &[Host::Goose],
        severity: Severity::Truncates,
        source: "block/aaif-goose large_response_handler.rs, several stored versions",
        date: "2026-01-01",
        consequence: "written to a temp file, pointer sent",
        fix: "return less: pages, a filter, or a summary",
        limit: Some(&limits::GOOSE_RESULT),
        check: Check::Server(whole),
        ..Rule::BASE
    },
];

/// The result of each good call, with its size in characters. Where both halves say the same, the larger one counts.
fn sizes<'a>(server: &Server<'a>) -> impl Iterator<Item = (Observed<'a>, &'a Node, usize)> + use<'a> {
    server.probed(Probe::GoodCall).filter_map(|observed| {
        let result = observed.result()?;
        let content = result.get("content");
        let texts =
            content.map(Node::items).unwrap_or_default().iter().filter_map(|block| block.get("text")?.as_text());
        let structured = result.get("structuredContent").map_or(0, |node| node.span.len());
        Some((observed, content.unwrap_or(result), texts.map(|text| text.chars).sum::<usize>().max(structured)))
    })
}

fn whole(server: &Server<'_>, found: &mut Found<'_>) {
    let (limit, unit) = (found.limit(), found.unit());
    for (observed, place, size) in sizes(server).filter(|(.., size)| *size > limit) {
        found.seen(
            server,
            &observed,
            observed.at(Some(place)),
            format!("{size} characters; the limit is {limit} {unit}"),
        );
    }
}

fn single(server: &Server<'_>, found: &mut Found<'_>) {
    let limit = found.limit();
    for observed in server.probed(Probe::GoodCall) {
        let blocks = observed.result().and_then(|result| result.get("content")).map(Node::items).unwrap_or_default();
        let [block] = blocks else { continue };
        let Some(text) = block.get("text") else { continue };
        let chars = text.as_text().map_or(0, |text| text.chars);
        if chars > limit {
            found.seen(server, &observed, observed.at(Some(text)), format!("{chars} characters; the limit is {limit}"));
        }
    }
}
