//! The name under which a user adds the server.

use crate::finding::Found;
use crate::host::Host;
use crate::rule::{Blast, Check, Rule, Severity, Subject};
use crate::say::quoted;
use crate::server::Server;

pub(super) static RULES: [Rule; 1] = [Rule {
    id: "GEM-NAME-002",
    title: "the server's name has an underscore",
    subject: Subject::Server,
    hosts: &[Host::GeminiCli],
    severity: Severity::Degraded,
    blast: Blast::Server,
    source: "google-gemini/gemini-cli docs/tools/mcp-server.md @5411f113",
    date: "2026-08-21",
    consequence: "the policy parser splits at the first `_`, and rules for the server fail silently",
    fix: "suggest a name without underscores in the instructions for installing it",
    check: Check::Server(check),
    ..Rule::BASE
}];

fn check(server: &Server<'_>, found: &mut Found<'_>) {
    if let Some(key) = found.options.server_key.as_ref().filter(|key| key.contains('_')) {
        let message = format!("the server's name {} has an underscore", quoted(key));
        found.at(server.list(), message);
    }
}
