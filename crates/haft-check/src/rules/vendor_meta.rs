//! Members of `_meta` that hosts read.

use crate::finding::Found;
use crate::host::Host;
use crate::limits;
use crate::rule::{Blast, Check, Rule, Severity, Subject};
use crate::say::quoted;
use crate::server::Server;
use crate::tool::Tool;

pub(super) static RULES: [Rule; 3] = [
    Rule {
        id: "CC-RES-002",
        title: "the size that the tool asks for is more than Claude Code gives",
        subject: Subject::Meta,
        hosts: &[Host::ClaudeCode],
        severity: Severity::Truncates,
        source: limits::CLAUDE_CODE_RESULT.source,
        date: limits::CLAUDE_CODE_RESULT.date,
        limit: Some(&limits::CLAUDE_CODE_RESULT),
        consequence: "value above the ceiling is capped",
        fix: "ask for 500,000 or fewer",
        check: Check::Tool(size),
        ..Rule::BASE
    },
    Rule {
        id: "CC-TOOL-001",
        title: "many tools ask to be loaded always",
        subject: Subject::Meta,
        hosts: &[Host::ClaudeCode],
        severity: Severity::Degraded,
        blast: Blast::Server,
        source: limits::CLAUDE_CODE_ALWAYS.source,
        date: limits::CLAUDE_CODE_ALWAYS.date,
        limit: Some(&limits::CLAUDE_CODE_ALWAYS),
        consequence: "the tools take room in every conversation, which tool search was to spare",
        fix: "set anthropic/alwaysLoad on the few tools that every conversation needs",
        check: Check::Server(always),
        ..Rule::BASE
    },
    Rule {
        id: "CLD-APP-001",
        title: "a helper of a widget is shown to the model",
        subject: Subject::Meta,
        hosts: &[Host::ClaudeDirectory],
        severity: Severity::Degraded,
        source: "directory-checklist.md @f4b5494",
        date: "2026-04-27",
        consequence: "helper shows in Claude's tool list",
        fix: "set \"_meta\": {\"ui\": {\"visibility\": [\"app\"]}}",
        note: Some(
            "Whether a tool is a helper is told from its description: those that say so themselves are \
                    reported.",
        ),
        check: Check::Tool(widget),
        ..Rule::BASE
    },
];

fn size(tool: &Tool<'_>, found: &mut Found<'_>) {
    let path = ["_meta", "anthropic/maxResultSizeChars"];
    let Some(asked) = tool.node.find(&path).and_then(|node| node.as_f64()) else { return };
    if asked > found.limit() as f64 {
        let (limit, unit) = (found.limit(), found.unit());
        found.at(tool.place(&path), format!("the tool asks for {asked} {unit}; the limit is {limit}"));
    }
}

fn always(server: &Server<'_>, found: &mut Found<'_>) {
    let path = ["_meta", "anthropic/alwaysLoad"];
    let asking: Vec<_> =
        server.tools.iter().filter(|it| it.node.find(&path).and_then(|node| node.as_bool()) == Some(true)).collect();
    if asking.len() > found.limit() {
        found.of(
            asking[0],
            asking[0].place(&path),
            format!("{} tools ask to be loaded always, this one and others", asking.len()),
        );
    }
}

fn widget(tool: &Tool<'_>, found: &mut Found<'_>) {
    const SAYS: [&str; 6] = [
        "called by the widget",
        "called only by the widget",
        "used by the widget",
        "widget only",
        "only for the widget",
        "called from the ui",
    ];
    let description = tool.description().to_lowercase();
    let visible = tool.node.find(&["_meta", "ui", "visibility"]);
    let app_only = visible.is_some_and(|it| it.items().len() == 1 && it.items()[0].as_str() == Some("app"));
    if let Some(says) = SAYS.iter().find(|says| description.contains(**says)).filter(|_| !app_only) {
        found.at(
            tool.place(&["description"]),
            format!("the description says {}, and the model sees the tool", quoted(says)),
        );
    }
}
