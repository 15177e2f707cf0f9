//! Whole results of `tools/list` and `server/discover`.

use crate::exchange::Probe;
use crate::finding::Found;
use crate::host::Host;
use crate::rule::{Blast, Check, Confidence, Family, Rule, Severity, Subject};
use crate::server::Document;
use crate::server::Server;

pub(super) static RULES: [Rule; 4] = [
    Rule {
        id: "SPEC-LIST-001",
        title: "the list has no caching hints",
        subject: Subject::Server,
        family: Family::Specification,
        severity: Severity::Rejects,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/changelog.mdx minor 5; schema.ts CacheableResult",
        date: "2026-07-28",
        consequence: "Claude Code drops every tool of the server without a word",
        fix: "send `ttlMs`, a number of 0 or more, and `cacheScope`, \"public\" or \"private\", with every list",
        check: Check::Server(hints),
        ..Rule::BASE
    },
    Rule {
        id: "CC-LIST-001",
        title: "the list has no caching hints",
        subject: Subject::Server,
        hosts: &[Host::ClaudeCode, Host::Portable],
        severity: Severity::Degraded,
        blast: Blast::Server,
        confidence: Confidence::Reported,
        source: "anthropics/claude-code#88128; shaharia-lab/agento#555 and PR 558",
        date: "2026-09-07",
        consequence: "4 retries, then every tool of the server vanishes for the session with no message to user or \
                      model",
        fix: "send `ttlMs`, a number of 0 or more, and `cacheScope`, \"public\" or \"private\", with every list",
        note: Some(
            "Issue title calls the fields optional; schema.ts makes both required, so the client is right. \
                    rmcp 3.1.4 keeps them Option and ListToolsResult::with_all_items leaves both None (verified in \
                    rust-sdk 3.1.4 crates/rmcp/src/model.rs:1613-1643); only rmcp-macros sets them (rust-sdk#1120).",
        ),
        check: Check::Server(hints),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-RES-003",
        title: "the list has no `resultType`",
        subject: Subject::Server,
        family: Family::Specification,
        severity: Severity::Rejects,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/changelog.mdx item 8",
        date: "2026-07-28",
        consequence: "non-conformant on 2026-07-28",
        fix: "send \"resultType\": \"complete\" with every result",
        check: Check::Server(kind),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-CAP-001",
        title: "the server declares a deprecated capability",
        subject: Subject::Server,
        family: Family::Specification,
        severity: Severity::Advice,
        blast: Blast::Server,
        source: "MCP 2026-07-28, changelog: logging, sampling, roots and dynamic registration are deprecated",
        date: "2026-07-28",
        consequence: "hosts will stop supporting it",
        fix: "log to stderr or through OpenTelemetry; ask the user by elicitation",
        check: Check::Server(deprecated),
        ..Rule::BASE
    },
];

fn hints(server: &Server<'_>, found: &mut Found<'_>) {
    for page in server.pages().chain(modern_discover(server)) {
        match page.node.get("ttlMs") {
            None => found.at(page.place("ttlMs"), "there is no `ttlMs`"),
            Some(ttl) if ttl.as_f64().is_none_or(|ttl| ttl < 0.0) => {
                found.at(page.place("ttlMs"), "`ttlMs` has to be a number of 0 or more");
            }
            Some(_) => {}
        }
        match page.node.get("cacheScope") {
            None => found.at(page.place("cacheScope"), "there is no `cacheScope`"),
            Some(scope) if !matches!(scope.as_str(), Some("public" | "private")) => {
                found.at(page.place("cacheScope"), "`cacheScope` has to be \"public\" or \"private\"");
            }
            Some(_) => {}
        }
    }
}

fn kind(server: &Server<'_>, found: &mut Found<'_>) {
    for page in server.pages().chain(modern_discover(server)) {
        if page.node.get("resultType").is_none() {
            found.at(page.place("resultType"), "there is no `resultType`");
        }
    }
    let read = [Probe::Discover, Probe::List, Probe::Page];
    for observed in server.exchanges().filter(|it| it.is_modern() && server.speaks_modern()) {
        let known = !server.facts.pages.is_empty() && read.iter().any(|&probe| observed.is(probe));
        let Some(result) = observed.result().filter(|result| !known && result.get("resultType").is_none()) else {
            continue;
        };
        found.seen(server, &observed, observed.at(Some(result)), "there is no `resultType`");
    }
}

fn deprecated(server: &Server<'_>, found: &mut Found<'_>) {
    let Some(discover) = modern_discover(server) else { return };
    if discover.node.find(&["capabilities", "logging"]).is_some() {
        found.at(discover.place("capabilities"), "`logging` is deprecated since 2026-07-28");
    }
}

/// The discover result, unless it is what `initialize` answered in the revisions before.
fn modern_discover<'a>(server: &Server<'a>) -> Option<Document<'a>> {
    server.discover().filter(|discover| discover.node.get("supportedVersions").is_some())
}
