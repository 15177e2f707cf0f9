//! Titles.

use crate::finding::Found;
use crate::host::Host;
use crate::rule::{Check, Rule, Severity, Subject};
use crate::say::quoted;
use crate::tool::Tool;

pub(super) static RULES: [Rule; 2] = [
    Rule {
        id: "CLD-ANN-001",
        title: "the tool has no title",
        subject: Subject::Title,
        hosts: &[Host::ClaudeDirectory, Host::Portable],
        severity: Severity::Rejects,
        source: "Connector pre-submission checklist, https://claude.com/docs/connectors/building/review-criteria ; \
                 directory-checklist.md @f4b5494 (annotations.title)",
        date: "2026-10-07",
        consequence: "portal flags the tool; cannot submit",
        fix: "give the tool a `title`, and the same in `annotations.title`",
        note: Some(
            "Policy 5.E and the 2026-04 plugin skill ask for all of readOnlyHint, destructiveHint and title; \
                    the checklist page asks for title plus the applicable hint. Setting all satisfies both.",
        ),
        check: Check::Tool(missing),
        ..Rule::BASE
    },
    Rule {
        id: "VSC-TITLE-001",
        title: "the two titles differ",
        subject: Subject::Title,
        hosts: &[Host::Vscode, Host::Portable],
        severity: Severity::Degraded,
        source: "microsoft/vscode src/vs/workbench/contrib/mcp/common/mcpLanguageModelToolContribution.ts @027907cb",
        date: "2026-01-01",
        consequence: "VS Code prefers annotations.title; spec prefers title",
        fix: "make `title` and `annotations.title` the same",
        note: Some("The specification puts `title` first, VS Code `annotations.title`: set both, to the same."),
        check: Check::Tool(differ),
        ..Rule::BASE
    },
];

fn missing(tool: &Tool<'_>, found: &mut Found<'_>) {
    if tool.title().is_none_or(|title| title.trim().is_empty()) {
        found.at(tool.place(&[]), "there is neither `title` nor `annotations.title`");
    }
}

fn differ(tool: &Tool<'_>, found: &mut Found<'_>) {
    let title = tool.node.get("title");
    let annotated = tool.node.find(&["annotations", "title"]);
    if let (Some(one), Some(other)) = (title.and_then(|it| it.as_str()), annotated.and_then(|it| it.as_str()))
        && one != other
    {
        found.at(
            tool.place(&["annotations", "title"]),
            format!("`title` is {}, `annotations.title` {}", quoted(one), quoted(other)),
        );
    }
}
