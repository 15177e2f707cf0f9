//! Names and descriptions that advertise.

use std::sync::LazyLock;

use regex::Regex;

use crate::finding::Found;
use crate::host::Host;
use crate::rule::{Check, Rule, Severity, Subject};
use crate::say::quoted;
use crate::tool::Tool;
use crate::words;

pub(super) static RULES: [Rule; 3] = [
    Rule {
        id: "OAI-NAME-001",
        title: "the name advertises",
        subject: Subject::Name,
        hosts: &[Host::Chatgpt],
        severity: Severity::Degraded,
        source: "OpenAI app/plugin submission guidelines (developers.openai.com/apps-sdk, later \
                 /plugins/app-guidelines), public copies",
        date: "2025-12-01",
        consequence: "may be rejected",
        fix: "name the tool by what it does",
        check: Check::Tool(name),
        ..Rule::BASE
    },
    Rule {
        id: "OAI-DESC-002",
        title: "the description claims every request",
        subject: Subject::Description,
        hosts: &[Host::Chatgpt],
        severity: Severity::Advice,
        source: "OpenAI app/plugin submission guidelines (developers.openai.com/apps-sdk, later \
                 /plugins/app-guidelines), public copies",
        date: "2025-12-01",
        consequence: "may be rejected",
        fix: "say for which requests the tool is, and for which it isn't",
        check: Check::Tool(|tool, found| {
            said(tool, &BROAD, "this claims requests that the tool may have nothing to do with", found)
        }),
        ..Rule::BASE
    },
    Rule {
        id: "CLD-DESC-007",
        title: "the description advertises",
        subject: Subject::Description,
        hosts: &[Host::ClaudeDirectory, Host::Chatgpt],
        severity: Severity::Degraded,
        source: "Connector pre-submission checklist, https://claude.com/docs/connectors/building/review-criteria",
        date: "2026-10-07",
        consequence: "treated as prompt injection",
        fix: "state what the tool does, without comparison to others",
        note: Some(
            "Conflict inside Anthropic material: tool-design.md recommends naming the sibling tool to use \
                    instead; 'always do X' / 'you must call Y first' is rejected. Safe form: a fact about scope ('does \
                    not search comments'), not an order.",
        ),
        check: Check::Tool(|tool, found| {
            said(tool, &PRAISE, "this praises the tool or steers choice towards it", found)
        }),
        ..Rule::BASE
    },
];

const PROMOTING: [&str; 9] =
    ["best", "official", "ultimate", "top", "premium", "superior", "better", "recommended", "preferred"];

fn name(tool: &Tool<'_>, found: &mut Found<'_>) {
    let words = tool.name().map(words::of_name).unwrap_or_default();
    // `get_best_route` asks for the best route: only the first word praises the tool itself.
    let picks = words.first().is_some_and(|word| word == "pick") && words.get(1).is_some_and(|word| word == "me");
    if let Some(word) = words.first().filter(|word| PROMOTING.contains(&word.as_str()) || picks) {
        found.at(tool.place(&["name"]), format!("the name begins with {}", quoted(word)));
    }
}

static BROAD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:use|call|invoke) this(?: tool)? (?:for|on|with) (?:any|every|all) (?:user )?(?:question|request|query|message|task|prompt)s?\b").ok()
});
static PRAISE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(?:prefer (?:this|it)(?: tool)? (?:over|to|instead of) (?:any |all )?other|(?:better|more accurate|faster) than (?:any |all )?other (?:tool|server|app)s?|the best (?:tool|server|app) (?:for|to)|always (?:prefer|choose|pick) this(?: tool)?)\b",
    )
    .ok()
});

fn said(tool: &Tool<'_>, pattern: &Option<Regex>, message: &str, found: &mut Found<'_>) {
    if let Some(hit) = pattern.as_ref().and_then(|pattern| pattern.find(tool.description())) {
        found.at(tool.place(&["description"]), format!("{}: {message}", quoted(hit.as_str())));
    }
}
