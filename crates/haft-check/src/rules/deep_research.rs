//! The two tools that deep research looks for.

use crate::finding::Found;
use crate::host::Host;
use crate::rule::{Blast, Check, Rule, Severity, Subject};
use crate::server::Server;
use crate::tool::Tool;

pub(super) static RULES: [Rule; 1] = [Rule {
    id: "OAI-SRV-003",
    title: "`search` and `fetch` are not of the form that deep research takes",
    subject: Subject::Server,
    hosts: &[Host::Chatgpt],
    severity: Severity::Degraded,
    blast: Blast::Server,
    source: "openai/plugins build-chatgpt-app/references/search-fetch-standard.md @3fdeeb4",
    date: "2026-06-25",
    consequence: "not usable as a knowledge source",
    fix: "give `search` one argument `query`, and `fetch` one argument `id`, both strings and read-only",
    check: Check::Server(check),
    ..Rule::BASE
}];

fn check(server: &Server<'_>, found: &mut Found<'_>) {
    let mut tools = server.tools.iter();
    let search = tools.clone().find(|tool| tool.name() == Some("search"));
    let fetch = tools.find(|tool| tool.name() == Some("fetch"));
    // A server with one of them alone doesn't mean to be a source of knowledge.
    let (Some(search), Some(fetch)) = (search, fetch) else { return };
    for (tool, argument) in [(search, "query"), (fetch, "id")] {
        if !takes(tool, argument) {
            found.of(
                tool,
                tool.place(&["inputSchema"]),
                format!("the one required argument has to be the string `{argument}`"),
            );
        } else if tool.hint("readOnlyHint") != Some(true) {
            found.of(tool, tool.place(&["annotations"]), "the tool has to be read-only");
        }
    }
}

fn takes(tool: &Tool<'_>, argument: &str) -> bool {
    let Some(schema) = tool.input() else { return false };
    let declared = schema.arguments().any(|(name, sub)| name == argument && sub.is("string"));
    let required = schema.subs.first().map(|root| root.required()).unwrap_or_default();
    declared && required.len() == 1 && required.contains(argument)
}
