//! Hints that hosts and directories want to be there.

use crate::finding::Found;
use crate::host::Host;
use crate::rule::{Check, Family, Rule, Severity, Subject};
use crate::say::list;
use crate::tool::Tool;
use crate::words;

pub(super) static RULES: [Rule; 5] = [
    Rule {
        id: "SPEC-ANN-001",
        title: "hints are left to their defaults",
        subject: Subject::Annotations,
        family: Family::Specification,
        severity: Severity::Advice,
        source: "seed 001; schema.ts ToolAnnotations",
        date: "2026-07-28",
        consequence: "unannotated tool is treated as worst case",
        fix: "set readOnlyHint, destructiveHint, idempotentHint and openWorldHint",
        note: Some(
            "Absent hints mean: not read-only, destructive, not idempotent, open world. destructiveHint and \
                    idempotentHint mean something only where readOnlyHint is false.",
        ),
        check: Check::Tool(defaults),
        ..Rule::BASE
    },
    Rule {
        id: "CLD-ANN-002",
        title: "the tool says neither that it reads nor that it destroys",
        subject: Subject::Annotations,
        hosts: &[Host::ClaudeDirectory, Host::Portable],
        severity: Severity::Rejects,
        source: "Connector pre-submission checklist, https://claude.com/docs/connectors/building/review-criteria",
        date: "2026-10-07",
        consequence: "submission rejected; in use, read-only tools may skip the prompt, destructive ones always \
                      prompt",
        fix: "set \"readOnlyHint\": true on tools that only read, \"destructiveHint\": true on tools that change or \
              delete, false on tools that only add",
        note: Some(
            "The specification counts additive writes as not destructive; the directory ties destructiveHint \
                    to any change. Set it explicitly, one way or the other.",
        ),
        check: Check::Tool(neither),
        ..Rule::BASE
    },
    Rule {
        id: "OAI-ANN-001",
        title: "a hint that the review asks for is missing",
        subject: Subject::Annotations,
        hosts: &[Host::Chatgpt, Host::Portable],
        severity: Severity::Rejects,
        source: "openai/plugins plugins/openai-developers/skills/chatgpt-app-submission/SKILL.md @43313cc ; OpenAI \
                 app/plugin submission guidelines (developers.openai.com/apps-sdk, later /plugins/app-guidelines), \
                 public copies",
        date: "2026-06-16",
        consequence: "submission blocker, even where MCP has defaults",
        fix: "set readOnlyHint, destructiveHint and openWorldHint to true or false",
        check: Check::Tool(all_three),
        ..Rule::BASE
    },
    Rule {
        id: "GEM-ANN-001",
        title: "a tool that seems to read isn't marked so",
        subject: Subject::Annotations,
        hosts: &[Host::GeminiCli],
        severity: Severity::Degraded,
        source: "google-gemini/gemini-cli packages/core/src/tools/mcp-client.ts @5411f113",
        date: "2026-08-21",
        consequence: "more prompts without it",
        fix: "set \"readOnlyHint\": true if it only reads",
        check: Check::Tool(unmarked_read),
        ..Rule::BASE
    },
    Rule {
        id: "VSC-ANN-001",
        title: "VS Code asks more often than it needs to",
        subject: Subject::Annotations,
        hosts: &[Host::Vscode],
        severity: Severity::Degraded,
        source: "microsoft/vscode src/vs/workbench/contrib/mcp/common/mcpLanguageModelToolContribution.ts @027907cb",
        date: "2026-01-01",
        consequence: "without readOnlyHint the user confirms each run, without openWorldHint each result as well",
        fix: "set readOnlyHint and openWorldHint",
        check: Check::Tool(asks),
        ..Rule::BASE
    },
];

fn absent(tool: &Tool<'_>, names: &[&'static str]) -> Vec<&'static str> {
    names.iter().copied().filter(|name| tool.hint(name).is_none()).collect()
}

fn report(tool: &Tool<'_>, absent: &[&'static str], found: &mut Found<'_>) {
    if !absent.is_empty() {
        let verb = if absent.len() == 1 { "is" } else { "are" };
        found.at(tool.place(&["annotations"]), format!("{} {verb} not set", list(absent.iter().copied())));
    }
}

fn defaults(tool: &Tool<'_>, found: &mut Found<'_>) {
    let mut missing = absent(tool, &["readOnlyHint", "openWorldHint"]);
    if tool.hint("readOnlyHint") != Some(true) {
        missing.extend(absent(tool, &["destructiveHint", "idempotentHint"]));
    }
    report(tool, &missing, found);
}

fn neither(tool: &Tool<'_>, found: &mut Found<'_>) {
    if tool.hint("readOnlyHint") != Some(true) && tool.hint("destructiveHint").is_none() {
        found.at(tool.place(&["annotations"]), "`readOnlyHint` isn't true, and `destructiveHint` is not set");
    }
}

fn all_three(tool: &Tool<'_>, found: &mut Found<'_>) {
    report(tool, &absent(tool, &["readOnlyHint", "destructiveHint", "openWorldHint"]), found);
}

fn unmarked_read(tool: &Tool<'_>, found: &mut Found<'_>) {
    let reads = tool.name().is_some_and(|name| words::of_name(name).first().is_some_and(|word| words::reads(word)));
    if reads && tool.hint("readOnlyHint").is_none() {
        found.at(tool.place(&["annotations"]), "the name sounds like reading, and `readOnlyHint` is not set");
    }
}

fn asks(tool: &Tool<'_>, found: &mut Found<'_>) {
    report(tool, &absent(tool, &["readOnlyHint", "openWorldHint"]), found);
}
