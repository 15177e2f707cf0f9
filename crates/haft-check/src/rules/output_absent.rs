//! Output schemas that aren't there.

use crate::finding::Found;
use crate::host::Host;
use crate::rule::{Check, Rule, Severity, Subject};
use crate::tool::Tool;

pub(super) static RULES: [Rule; 1] = [Rule {
    id: "OAI-OUT-001",
    title: "there is no output schema",
    subject: Subject::Output,
    hosts: &[Host::Chatgpt, Host::Portable],
    severity: Severity::Advice,
    source: "openai/plugins plugins/openai-developers/skills/chatgpt-app-submission/SKILL.md @43313cc",
    date: "2026-06-16",
    consequence: "review warning, not a blocker",
    fix: "declare an `outputSchema` where programs may read the result",
    check: Check::Tool(check),
    ..Rule::BASE
}];

fn check(tool: &Tool<'_>, found: &mut Found<'_>) {
    if tool.output().is_none() {
        found.at(tool.place(&[]), "there is no `outputSchema`");
    }
}
