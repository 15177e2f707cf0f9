//! Descriptions that say when to use the tool.

use std::sync::LazyLock;

use regex::Regex;

use crate::finding::Found;
use crate::host::Host;
use crate::rule::{Check, Confidence, Family, Rule, Severity, Subject};
use crate::tool::Tool;
use crate::words;

pub(super) static RULES: [Rule; 3] = [
    Rule {
        id: "QUA-DESC-001",
        title: "the description doesn't say when to use the tool",
        subject: Subject::Description,
        family: Family::Quality,
        severity: Severity::Advice,
        confidence: Confidence::Derived,
        source: "arXiv 2602.14878: 89% of descriptions never say when to use the tool; DialMCP, \"MCP tools \
                 explained\", checklist for every tool, 2",
        date: "2026-02-16",
        consequence: "a model calls it too often or too seldom",
        fix: "add for which requests the tool is, and for which it isn't",
        check: Check::Tool(when),
        ..Rule::BASE
    },
    Rule {
        id: "QUA-DESC-002",
        title: "the description is too short to choose by",
        subject: Subject::Description,
        family: Family::Quality,
        severity: Severity::Advice,
        confidence: Confidence::Derived,
        source: "arXiv 2602.14878: 56% of descriptions leave the purpose unclear",
        date: "2026-02-16",
        consequence: "a model can't tell it from others",
        fix: "say what the tool does, when to use it, and what it returns",
        check: Check::Tool(short),
        ..Rule::BASE
    },
    Rule {
        id: "OAI-DESC-003",
        title: "the description doesn't begin with \"Use this when\"",
        subject: Subject::Description,
        hosts: &[Host::Chatgpt],
        severity: Severity::Advice,
        source: "Apps SDK Define tools, https://developers.openai.com/apps-sdk/plan/tools",
        date: "2025-26-01",
        consequence: "worse tool choice",
        fix: "begin with \"Use this when…\", and name the cases where it is not to be used",
        check: Check::Tool(begins),
        ..Rule::BASE
    },
];

static WHEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\buse (?:this|it|only|when|to|for|after|before|if|instead)\b|\bwhen(?:ever)?\b|\bif (?:the user|you)\b|\buseful\b|\bbefore\b|\bafter\b").ok()
});

fn when(tool: &Tool<'_>, found: &mut Found<'_>) {
    let description = tool.description();
    let says = WHEN.as_ref().is_some_and(|when| when.is_match(description));
    if !description.trim().is_empty() && !says {
        found.at(tool.place(&["description"]), "nothing here says when to use the tool");
    }
}

fn short(tool: &Tool<'_>, found: &mut Found<'_>) {
    let count = words::of_name(tool.description()).len();
    if (1..5).contains(&count) && tool.description().is_ascii() {
        let words = if count == 1 { "word" } else { "words" };
        found.at(tool.place(&["description"]), format!("the description has {count} {words}"));
    }
}

fn begins(tool: &Tool<'_>, found: &mut Found<'_>) {
    let description = tool.description().trim_start().to_lowercase();
    if !description.is_empty() && !description.starts_with("use this") && !description.starts_with("use when") {
        found.at(tool.place(&["description"]), "the description begins otherwise");
    }
}
