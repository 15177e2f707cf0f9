//! Arguments that carry the conversation away.

use crate::finding::Found;
use crate::rule::{Blast, Check, Family, Rule, Severity, Subject};
use crate::say::quoted;
use crate::tool::Tool;
use crate::words;

pub(super) static RULES: [Rule; 1] = [Rule {
    id: "SAF-EXFIL-001",
    title: "an argument asks for the conversation or the instructions",
    subject: Subject::Input,
    family: Family::Safety,
    severity: Severity::Degraded,
    blast: Blast::Session,
    source: "cisco-ai-defense/mcp-scanner yara_rules @893327c (exfiltration parameters)",
    date: "2026-08-06",
    consequence: "models fill in what they are asked for, and scanners take it for an attack",
    fix: "ask for what the tool needs, by a name that says what it is",
    check: Check::Tool(check),
    ..Rule::BASE
}];

const ASKING: [&[&str]; 7] = [
    &["sidenote"],
    &["conversation", "history"],
    &["chat", "history"],
    &["chain", "of", "thought"],
    &["system", "prompt"],
    &["tools", "list"],
    &["full", "conversation"],
];

fn check(tool: &Tool<'_>, found: &mut Found<'_>) {
    let Some(schema) = tool.input() else { return };
    for (name, sub) in schema.arguments().filter(|(_, sub)| !sub.is("boolean")) {
        let words = words::of_name(name);
        if ASKING.iter().any(|asking| words == **asking) {
            found.at(tool.at(sub.node), format!("{} asks for more than a tool's business", quoted(name)));
        }
    }
}
