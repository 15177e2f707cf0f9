//! Calls that should succeed.

use crate::exchange::Probe;
use crate::finding::Found;
use crate::host::Host;
use crate::json::Node;
use crate::limits;
use crate::rule::{Blast, Check, Family, Rule, Severity, Subject};
use crate::server::Server;

pub(super) static RULES: [Rule; 6] = [
    Rule {
        id: "CLD-RES-001",
        title: "a call with valid arguments fails",
        subject: Subject::Result,
        hosts: &[Host::ClaudeDirectory],
        severity: Severity::Rejects,
        source: "Connector pre-submission checklist, https://claude.com/docs/connectors/building/review-criteria ; Anthropic Software Directory Policy, https://support.claude.com/en/articles/13145358-anthropic-software-directory-policy 5.A",
        date: "2026-10-07",
        consequence: "fails functional review",
        fix: "make the examples of the schema work",
        note: Some(
            "The arguments are those of `--args`, or the schema's own examples and defaults; a tool that needs something from outside (an account, a file) fails for want of it.",
        ),
        check: Check::Server(fails),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-ERR-005",
        title: "a failed call is a protocol error",
        subject: Subject::Result,
        family: Family::Specification,
        severity: Severity::Degraded,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/server/tools.mdx (Error Handling); schema CallToolResult.isError",
        date: "2026-07-28",
        consequence: "hosts may keep it from the model, which can't react",
        fix: "answer with a result that has \"isError\": true, and say what happened",
        check: Check::Server(channel),
        ..Rule::BASE
    },
    Rule {
        id: "CLA-RES-002",
        title: "the call takes longer than the host waits",
        subject: Subject::Result,
        hosts: &[Host::ClaudeApp],
        severity: Severity::Rejects,
        source: "Building custom connectors + Connectors FAQ, https://claude.com/docs/connectors/building , https://claude.com/docs/connectors/faq",
        date: "2026-01-01",
        consequence: "call times out",
        fix: "return a handle at once, and let another tool ask how it is going",
        limit: Some(&limits::CLAUDE_CALL),
        check: Check::Server(slow),
        ..Rule::BASE
    },
    Rule {
        id: "CLI-SRV-001",
        title: "the call takes longer than the host waits",
        subject: Subject::Result,
        hosts: &[Host::Cline],
        severity: Severity::Rejects,
        source: "cline/cline sdk/packages/shared/src/mcp.ts @21cb8d2",
        date: "2026-08-22",
        consequence: "timeout",
        fix: "return a handle at once, and let another tool ask how it is going",
        limit: Some(&limits::CLINE_CALL),
        check: Check::Server(slow),
        ..Rule::BASE
    },
    Rule {
        id: "CDX-SRV-001",
        title: "the list takes longer than the host waits",
        subject: Subject::Server,
        hosts: &[Host::Codex],
        severity: Severity::Degraded,
        blast: Blast::Server,
        source: "openai/codex connection manager constants, old and new stored versions",
        date: "2026-01-01",
        consequence: "server times out: none of its tools are there",
        fix: "start faster: connect, download and compile when it is needed first",
        note: Some("10 s by default in older builds, 30 s in newer ones."),
        limit: Some(&limits::CODEX_START),
        check: Check::Server(start),
        ..Rule::BASE
    },
    Rule {
        id: "CDX-SRV-002",
        title: "the call takes longer than the host waits",
        subject: Subject::Result,
        hosts: &[Host::Codex],
        severity: Severity::Degraded,
        source: "openai/codex connection manager constants, old and new stored versions",
        date: "2026-01-01",
        consequence: "call times out",
        fix: "return a handle at once, and let another tool ask how it is going",
        note: Some("60 s by default in older builds, 300 s in newer ones."),
        limit: Some(&limits::CODEX_CALL),
        check: Check::Server(slow),
        ..Rule::BASE
    },
];

fn fails(server: &Server<'_>, found: &mut Found<'_>) {
    for observed in server.probed(Probe::GoodCall) {
        let failed =
            observed.result().is_some_and(|result| result.get("isError").and_then(Node::as_bool) == Some(true));
        if failed || observed.error().is_some() {
            let place = observed.at(observed.result().or(observed.error()));
            found.seen(
                server,
                &observed,
                place,
                format!("the arguments are taken by the schema ({})", observed.detail()),
            );
        }
    }
}

fn channel(server: &Server<'_>, found: &mut Found<'_>) {
    for observed in server.probed(Probe::GoodCall) {
        // What the client can't do, and headers, are for the protocol.
        if let Some(code) = observed.code().filter(|code| ![-32020.0, -32021.0].contains(code)) {
            found.seen(
                server,
                &observed,
                observed.at(observed.error()),
                format!("the arguments are taken by the schema, and the call ends with the error {code}"),
            );
        }
    }
}

fn slow(server: &Server<'_>, found: &mut Found<'_>) {
    let limit = found.limit();
    for observed in server.probed(Probe::GoodCall) {
        let ms = usize::try_from(observed.exchange().ms).unwrap_or(usize::MAX);
        if ms >= limit.saturating_mul(1_000) {
            let more = if observed.answer().is_none() { "at least " } else { "" };
            found.seen(
                server,
                &observed,
                observed.at_sent(),
                format!("{more}{} s; the limit is {limit} s", ms / 1_000),
            );
        }
    }
}

fn start(server: &Server<'_>, found: &mut Found<'_>) {
    let limit = found.limit();
    for observed in server.probed(Probe::List) {
        let ms = observed.exchange().since_start_ms.and_then(|ms| usize::try_from(ms).ok()).unwrap_or_default();
        if ms >= limit.saturating_mul(1_000) {
            found.seen(
                server,
                &observed,
                observed.at_sent(),
                format!("{} s from the start to the list; the limit is {limit} s", ms / 1_000),
            );
            break;
        }
    }
}
