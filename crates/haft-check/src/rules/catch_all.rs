//! One tool for reads and writes.

use crate::finding::Found;
use crate::host::Host;
use crate::json::Node;
use crate::rule::{Check, Rule, Severity, Subject};
use crate::say::quoted;
use crate::tool::Tool;
use crate::words;

pub(super) static RULES: [Rule; 2] = [
    Rule {
        id: "CLD-DESIGN-001",
        title: "one tool reads and writes",
        subject: Subject::Input,
        hosts: &[Host::ClaudeDirectory, Host::Portable],
        severity: Severity::Rejects,
        source: "Connector pre-submission checklist, https://claude.com/docs/connectors/building/review-criteria",
        date: "2026-10-07",
        consequence: "submission rejected, even if the description explains it",
        fix: "make two tools of it: one that reads, one that writes",
        note: Some("Check: a property named method/verb/action/operation whose enum mixes read and write verbs."),
        check: Check::Tool(mixed),
        ..Rule::BASE
    },
    Rule {
        id: "OAI-DESIGN-001",
        title: "one tool does several jobs",
        subject: Subject::Input,
        hosts: &[Host::Chatgpt],
        severity: Severity::Advice,
        source: "Apps SDK Define tools (same page)",
        date: "2025-26-01",
        consequence: "confirmation flow cannot be applied",
        fix: "make a tool for each job",
        check: Check::Tool(several),
        ..Rule::BASE
    },
];

const CHOOSERS: [&str; 9] = ["method", "http_method", "verb", "action", "operation", "op", "command", "mode", "type"];

/// The values of an argument that chooses what the tool does, if there is one.
fn choices<'a>(tool: &Tool<'a>) -> Option<(&'a Node, Vec<&'a str>)> {
    let (_, sub) = tool.input()?.arguments().find(|(name, sub)| {
        let name = name.to_ascii_lowercase();
        CHOOSERS.contains(&name.as_str()) && (sub.has("enum") || name.ends_with("method"))
    })?;
    let values = sub.get("enum").map(Node::items).unwrap_or_default().iter().filter_map(Node::as_str).collect();
    Some((sub.node, values))
}

fn mixed(tool: &Tool<'_>, found: &mut Found<'_>) {
    let Some((node, values)) = choices(tool) else { return };
    let verbs: Vec<Vec<String>> = values.iter().map(|value| words::of_name(value)).collect();
    let first = |is: fn(&str) -> bool| {
        verbs.iter().position(|words| words.first().is_some_and(|word| is(word))).map(|at| values[at])
    };
    let (read, write) = (first(words::reads), first(words::writes));
    if let (Some(read), Some(write)) = (read, write) {
        found.at(tool.at(node), format!("this takes {} as well as {}", quoted(read), quoted(write)));
    }
}

fn several(tool: &Tool<'_>, found: &mut Found<'_>) {
    let Some((node, values)) = choices(tool) else { return };
    let verbs =
        values.iter().filter(|value| words::of_name(value).first().is_some_and(|word| words::is_verb(word))).count();
    if verbs > 1 {
        found.at(tool.at(node), format!("this chooses between {verbs} jobs"));
    }
}
