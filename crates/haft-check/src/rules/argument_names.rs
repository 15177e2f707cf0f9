//! Names of arguments.

use crate::finding::Found;
use crate::host::Host;
use crate::limits;
use crate::rule::{Blast, Check, Confidence, Rule, Severity, Subject};
use crate::say::quoted;
use crate::tool::Tool;

pub(super) static RULES: [Rule; 2] = [
    Rule {
        id: "CLA-IN-002",
        title: "an argument's name is not one that the Claude API takes",
        subject: Subject::Input,
        hosts: &[Host::ClaudeApi, Host::ClaudeApp, Host::ClaudeCode, Host::Bedrock, Host::Portable],
        severity: Severity::Degraded,
        blast: Blast::Session,
        confidence: Confidence::Reported,
        source: limits::CLAUDE_ARGUMENT.source,
        date: limits::CLAUDE_ARGUMENT.date,
        limit: Some(&limits::CLAUDE_ARGUMENT),
        consequence: "HTTP 400 for every request; all tools lost",
        fix: "use at most 64 characters a-z, 0-9 and _",
        note: Some(
            "Catches foo[bar], date<, $filter, Japanese keys, flattened names over 64. An April 2025 report \
                    shows an older pattern without the dot (roychri/mcp-server-asana#16).",
        ),
        check: Check::Tool(|tool, found| {
            names(tool, |name| name.chars().all(|c| c.is_ascii_alphanumeric() || "_.-".contains(c)), found)
        }),
        ..Rule::BASE
    },
    Rule {
        id: "GEM-NAME-004",
        title: "an argument's name is no identifier",
        subject: Subject::Input,
        hosts: &[Host::GeminiApi, Host::Portable],
        severity: Severity::Advice,
        source: limits::GEMINI_ARGUMENT.source,
        date: limits::GEMINI_ARGUMENT.date,
        limit: Some(&limits::GEMINI_ARGUMENT),
        consequence: "may be refused on Vertex",
        fix: "begin with a letter, and use only a-z, 0-9 and _",
        check: Check::Tool(|tool, found| names(tool, is_identifier, found)),
        ..Rule::BASE
    },
];

fn names(tool: &Tool<'_>, takes: fn(&str) -> bool, found: &mut Found<'_>) {
    let Some(schema) = tool.input() else { return };
    for (name, sub) in schema.arguments() {
        let length = name.chars().count();
        if length == 0 || !takes(name) {
            found.at(tool.at(sub.node), format!("{} is no name for an argument", quoted(name)));
        } else if length > found.limit() {
            let (limit, unit) = (found.limit(), found.unit());
            found.at(tool.at(sub.node), format!("the name {} has {length} {unit}; the limit is {limit}", quoted(name)));
        }
    }
}

fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
