//! Names that are longer than a host takes, whatever the server is called.

use crate::finding::Found;
use crate::host::Host;
use crate::limits;
use crate::rule::{Blast, Check, Confidence, Rule, Severity, Subject};
use crate::tool::Tool;

pub(super) static RULES: [Rule; 6] = [
    Rule {
        id: "CLD-NAME-001",
        title: "the name is longer than the directory takes",
        subject: Subject::Name,
        hosts: &[Host::ClaudeDirectory, Host::Portable],
        severity: Severity::Rejects,
        source: limits::CLAUDE_DIRECTORY_NAME.source,
        date: limits::CLAUDE_DIRECTORY_NAME.date,
        limit: Some(&limits::CLAUDE_DIRECTORY_NAME),
        consequence: "submission rejected",
        fix: "shorten the name to 40 characters or fewer",
        check: Check::Tool(too_long),
        ..Rule::BASE
    },
    Rule {
        id: "AQ-NAME-002",
        title: "the name is longer than Amazon Q takes",
        subject: Subject::Name,
        hosts: &[Host::AmazonQ],
        severity: Severity::Rejects,
        source: limits::AMAZON_Q_NAME.source,
        date: limits::AMAZON_Q_NAME.date,
        limit: Some(&limits::AMAZON_Q_NAME),
        consequence: "tool excluded with a warning",
        fix: "shorten the name to 40 characters or fewer",
        note: Some("Message says 'when combined with server name'; the code checks the model tool name only."),
        check: Check::Tool(too_long),
        ..Rule::BASE
    },
    Rule {
        id: "ZED-NAME-001",
        title: "the name is longer than Zed takes",
        subject: Subject::Name,
        hosts: &[Host::Zed],
        severity: Severity::Truncates,
        source: limits::ZED_NAME.source,
        date: limits::ZED_NAME.date,
        limit: Some(&limits::ZED_NAME),
        consequence: "longer names are renamed, cut or skipped (that code path was not read)",
        fix: "shorten the name to 40 characters or fewer",
        check: Check::Tool(too_long),
        ..Rule::BASE
    },
    Rule {
        id: "CLI-NAME-001",
        title: "the name is longer than Cline takes",
        subject: Subject::Name,
        hosts: &[Host::Cline],
        severity: Severity::Truncates,
        source: limits::CLINE_NAME.source,
        date: limits::CLINE_NAME.date,
        limit: Some(&limits::CLINE_NAME),
        consequence: "sanitized/shortened",
        fix: "shorten the name to 40 characters or fewer",
        check: Check::Tool(too_long),
        ..Rule::BASE
    },
    Rule {
        id: "N8N-NAME-001",
        title: "the name is longer than models of OpenAI take",
        subject: Subject::Name,
        hosts: &[Host::N8n],
        severity: Severity::Degraded,
        blast: Blast::Session,
        confidence: Confidence::Reported,
        source: limits::N8N_NAME.source,
        date: limits::N8N_NAME.date,
        limit: Some(&limits::N8N_NAME),
        consequence: "provider 400",
        fix: "shorten the name to 40 characters or fewer",
        check: Check::Tool(too_long),
        ..Rule::BASE
    },
    Rule {
        id: "VSC-NAME-002",
        title: "the name is longer than VS Code keeps",
        subject: Subject::Name,
        hosts: &[Host::Vscode],
        severity: Severity::Truncates,
        source: limits::VSCODE_NAME.source,
        date: limits::VSCODE_NAME.date,
        limit: Some(&limits::VSCODE_NAME),
        consequence: "id cut to 64: tools sharing a long prefix collide",
        fix: "shorten the name to 40 characters or fewer",
        check: Check::Tool(too_long),
        ..Rule::BASE
    },
];

fn too_long(tool: &Tool<'_>, found: &mut Found<'_>) {
    let length = tool.name().map_or(0, |name| name.chars().count());
    if length > found.limit() {
        let (limit, unit) = (found.limit(), found.unit());
        found.at(tool.place(&["name"]), format!("the name has {length} {unit}; the limit is {limit}"));
    }
}
