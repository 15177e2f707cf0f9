//! Hints that contradict the name, the description or each other.

use crate::finding::Found;
use crate::host::Host;
use crate::rule::{Check, Confidence, Family, Rule, Severity, Subject};
use crate::say::quoted;
use crate::tool::Tool;
use crate::words;

pub(super) static RULES: [Rule; 2] = [
    Rule {
        id: "QUA-ANN-001",
        title: "the hints contradict the name or each other",
        subject: Subject::Annotations,
        family: Family::Quality,
        severity: Severity::Degraded,
        confidence: Confidence::Derived,
        source: "Glama TDQS README @c8c6b0c (Annotation Contradiction); MCP 2026-07-28, schema.ts, ToolAnnotations",
        date: "2026-06-14",
        consequence: "a host skips a confirmation that the user should have seen, or asks for one too many",
        fix: "set the hints to what the tool does, or rename it",
        check: Check::Tool(check),
        ..Rule::BASE
    },
    Rule {
        id: "OAI-ANN-002",
        title: "a tool that only reads is marked as open-world",
        subject: Subject::Annotations,
        hosts: &[Host::Chatgpt],
        severity: Severity::Advice,
        source: "openai/plugins plugins/openai-developers/skills/chatgpt-app-submission/SKILL.md @43313cc ; OpenAI \
                 app/plugin submission guidelines (developers.openai.com/apps-sdk, later /plugins/app-guidelines), \
                 public copies",
        date: "2026-06-16",
        consequence: "wrong labels are a common reason for rejection",
        fix: "for ChatGPT, set openWorldHint to true only if the tool can change what others see",
        note: Some(
            "The specification and Claude's checklist call a tool open-world that touches anything outside, \
                    reads included; OpenAI only one that can change public or third-party state. No value suits both: \
                    say in the submission which one you follow.",
        ),
        check: Check::Tool(open_reads),
        ..Rule::BASE
    },
];

fn check(tool: &Tool<'_>, found: &mut Found<'_>) {
    let read_only = tool.hint("readOnlyHint");
    if read_only == Some(true) && tool.hint("destructiveHint") == Some(true) {
        found.at(tool.place(&["annotations", "destructiveHint"]), "a tool can't be both read-only and destructive");
    }
    let words = tool.name().map(words::of_name).unwrap_or_default();
    let Some(verb) = words.first() else { return };
    if read_only == Some(true) && words::writes(verb) && !HARMLESS.contains(&verb.as_str()) {
        let message = format!("`readOnlyHint` is true, and the name begins with {}", quoted(verb));
        found.at(tool.place(&["annotations", "readOnlyHint"]), message);
    }
    if words::destroys(verb)
        && read_only == Some(false)
        && tool.hint("destructiveHint") == Some(false)
        && verb != "clear"
    {
        let message = format!("`destructiveHint` is false, and the name begins with {}", quoted(verb));
        found.at(tool.place(&["annotations", "destructiveHint"]), message);
    }
}

/// Verbs that change things in some names and nothing in others: open_file, sync_status, add_numbers, merge_texts.
const HARMLESS: [&str; 18] = [
    "open", "close", "sync", "set", "start", "stop", "import", "add", "append", "insert", "merge", "replace", "move",
    "put", "edit", "store", "post", "place",
];

fn open_reads(tool: &Tool<'_>, found: &mut Found<'_>) {
    if tool.hint("readOnlyHint") == Some(true) && tool.hint("openWorldHint") == Some(true) {
        found.at(tool.place(&["annotations", "openWorldHint"]), "`openWorldHint` is true on a tool that only reads");
    }
}
