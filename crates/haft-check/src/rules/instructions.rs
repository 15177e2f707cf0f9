//! Instructions that are cut.

use crate::finding::Found;
use crate::host::Host;
use crate::json::Text;
use crate::limits;
use crate::rule::{Blast, Check, Rule, Severity, Subject};
use crate::server::Server;

pub(super) static RULES: [Rule; 2] = [
    Rule {
        id: "CC-SRV-001",
        title: "the instructions are longer than Claude Code shows",
        subject: Subject::Server,
        hosts: &[Host::ClaudeCode, Host::Portable],
        severity: Severity::Truncates,
        blast: Blast::Server,
        source: limits::CLAUDE_CODE_INSTRUCTIONS.source,
        date: limits::CLAUDE_CODE_INSTRUCTIONS.date,
        limit: Some(&limits::CLAUDE_CODE_INSTRUCTIONS),
        consequence: "tail lost",
        fix: "shorten them, and put what matters first",
        check: Check::Server(|server, found| too_long(server, |text| text.utf16, found)),
        ..Rule::BASE
    },
    Rule {
        id: "CDX-DESC-001",
        title: "the instructions are longer than Codex shows",
        subject: Subject::Server,
        hosts: &[Host::Codex],
        severity: Severity::Truncates,
        blast: Blast::Server,
        source: limits::CODEX_NAMESPACE.source,
        date: limits::CODEX_NAMESPACE.date,
        limit: Some(&limits::CODEX_NAMESPACE),
        consequence: "cut with '[truncated]'",
        fix: "shorten them, and put what matters first",
        note: Some("Codex describes the namespace of a server's tools by the server's instructions."),
        check: Check::Server(|server, found| too_long(server, |text| text.bytes, found)),
        ..Rule::BASE
    },
];

fn too_long(server: &Server<'_>, measure: fn(&Text) -> usize, found: &mut Found<'_>) {
    let Some(discover) = server.discover() else { return };
    let length = discover.node.get("instructions").and_then(|it| it.as_text()).map_or(0, measure);
    if length > found.limit() {
        let (limit, unit) = (found.limit(), found.unit());
        found
            .at(discover.place("instructions"), format!("the instructions have {length} {unit}; the limit is {limit}"));
    }
}
