//! More tools than a host takes.

use crate::finding::Found;
use crate::host::Host;
use crate::limits;
use crate::rule::{Blast, Check, Confidence, Rule, Severity, Subject};
use crate::schema::compact_bytes;
use crate::server::Server;

pub(super) static RULES: [Rule; 7] = [
    Rule {
        id: "OAI-API-COUNT",
        title: "there are more tools than the OpenAI API takes",
        subject: Subject::Server,
        hosts: &[Host::OpenaiApi, Host::Portable],
        severity: Severity::Rejects,
        blast: Blast::Session,
        source: limits::OPENAI_TOOLS.source,
        date: limits::OPENAI_TOOLS.date,
        limit: Some(&limits::OPENAI_TOOLS),
        consequence: "request refused; accuracy falls earlier",
        fix: "offer fewer tools, in servers of their own or by scopes",
        check: Check::Server(too_many),
        ..Rule::BASE
    },
    Rule {
        id: "VSC-COUNT-001",
        title: "there are more tools than Copilot takes",
        subject: Subject::Server,
        hosts: &[Host::Vscode],
        severity: Severity::Rejects,
        blast: Blast::Session,
        source: limits::COPILOT_TOOLS.source,
        date: limits::COPILOT_TOOLS.date,
        limit: Some(&limits::COPILOT_TOOLS),
        consequence: "'Tool limit exceeded (n/128)' unless Claude tool search is active",
        fix: "offer fewer tools, in servers of their own or by scopes",
        check: Check::Server(too_many),
        ..Rule::BASE
    },
    Rule {
        id: "CUR-COUNT-001",
        title: "there are more tools than Cursor offers",
        subject: Subject::Server,
        hosts: &[Host::Cursor],
        severity: Severity::Degraded,
        blast: Blast::Server,
        confidence: Confidence::Reported,
        source: limits::CURSOR_TOOLS.source,
        date: limits::CURSOR_TOOLS.date,
        limit: Some(&limits::CURSOR_TOOLS),
        consequence: "tools beyond are not offered / choice degrades",
        fix: "offer fewer tools, in servers of their own or by scopes",
        note: Some("No vendor page found in the stored copies; newer versions may differ."),
        check: Check::Server(too_many),
        ..Rule::BASE
    },
    Rule {
        id: "WS-COUNT-001",
        title: "there are more tools than Windsurf takes",
        subject: Subject::Server,
        hosts: &[Host::Windsurf],
        severity: Severity::Degraded,
        blast: Blast::Server,
        confidence: Confidence::Reported,
        source: limits::WINDSURF_TOOLS.source,
        date: limits::WINDSURF_TOOLS.date,
        limit: Some(&limits::WINDSURF_TOOLS),
        consequence: "further tools unavailable",
        fix: "offer fewer tools, in servers of their own or by scopes",
        check: Check::Server(too_many),
        ..Rule::BASE
    },
    Rule {
        id: "KIR-COUNT-001",
        title: "there are more tools than Kiro takes",
        subject: Subject::Server,
        hosts: &[Host::Kiro],
        severity: Severity::Degraded,
        blast: Blast::Session,
        confidence: Confidence::Reported,
        source: limits::KIRO_TOOLS.source,
        date: limits::KIRO_TOOLS.date,
        limit: Some(&limits::KIRO_TOOLS),
        consequence: "large catalogues refused (49 tools, ~108 KiB)",
        fix: "offer fewer tools, in servers of their own or by scopes",
        check: Check::Server(too_many),
        ..Rule::BASE
    },
    Rule {
        id: "KIR-COUNT-002",
        title: "the definitions are larger than Kiro takes",
        subject: Subject::Server,
        hosts: &[Host::Kiro],
        severity: Severity::Degraded,
        blast: Blast::Session,
        confidence: Confidence::Reported,
        source: limits::KIRO_CATALOGUE.source,
        date: limits::KIRO_CATALOGUE.date,
        limit: Some(&limits::KIRO_CATALOGUE),
        consequence: "large catalogues refused (49 tools, ~108 KiB)",
        fix: "offer fewer tools, in servers of their own or by scopes",
        check: Check::Server(too_large),
        ..Rule::BASE
    },
    Rule {
        id: "GEM-SRV-001",
        title: "there is nothing to offer",
        subject: Subject::Server,
        hosts: &[Host::GeminiCli],
        severity: Severity::Rejects,
        blast: Blast::Server,
        source: "google-gemini/gemini-cli packages/core/src/tools/mcp-client.ts @5411f113",
        date: "2026-08-21",
        consequence: "connection closed: 'No prompts, tools, or resources found'",
        fix: "offer at least one tool, prompt or resource",
        check: Check::Server(nothing),
        ..Rule::BASE
    },
];

fn too_many(server: &Server<'_>, found: &mut Found<'_>) {
    let (count, limit, unit) = (server.tools.len(), found.limit(), found.unit());
    if count > limit {
        found.at(
            server.list(),
            format!("there are {count} {unit}; the limit is {limit}, for all servers of a user together"),
        );
    }
}

fn too_large(server: &Server<'_>, found: &mut Found<'_>) {
    let bytes: usize = server.tools.iter().map(|tool| compact_bytes(tool.node)).sum();
    let (limit, unit) = (found.limit(), found.unit());
    if bytes > limit {
        found.at(server.list(), format!("the definitions have {bytes} {unit}; the limit is {limit}"));
    }
}

fn nothing(server: &Server<'_>, found: &mut Found<'_>) {
    let Some(discover) = server.discover() else { return };
    let offers = |what: &str| discover.node.find(&["capabilities", what]).is_some();
    if server.tools.is_empty() && !offers("prompts") && !offers("resources") {
        found.at(discover.place("capabilities"), "there are no tools, prompts or resources");
    }
}
