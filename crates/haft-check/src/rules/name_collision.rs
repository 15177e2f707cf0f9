//! Names that are too much like others.

use std::collections::HashMap;

use crate::finding::Found;
use crate::host::Host;
use crate::rule::{Blast, Check, Confidence, Family, Rule, Severity, Subject};
use crate::say::quoted;
use crate::server::Server;

pub(super) static RULES: [Rule; 2] = [
    Rule {
        id: "X-DUP-001",
        title: "the name is one that many servers have",
        subject: Subject::Name,
        family: Family::Quality,
        severity: Severity::Degraded,
        blast: Blast::Session,
        source: "Microsoft Research tool-space interference; Anthropic writing-tools-for-agents (namespacing)",
        date: "2025-09-11",
        consequence: "collides across servers",
        fix: "say what the tool works on: search_orders, not search",
        note: Some(
            "Deep research in ChatGPT asks for tools that are named exactly `search` and `fetch`: a server \
                    with both is left alone.",
        ),
        check: Check::Server(generic),
        ..Rule::BASE
    },
    Rule {
        id: "X-DUP-002",
        title: "two names fall together once a host has cleaned them",
        subject: Subject::Name,
        hosts: &[Host::Vscode, Host::GeminiCli, Host::AmazonQ, Host::Codex, Host::Portable],
        severity: Severity::Degraded,
        confidence: Confidence::Derived,
        source: "follows from VSC-NAME-001, GEM-NAME-001, AQ-NAME-001 and CDX-NAME-001, which replace or remove \
                 characters",
        date: "2026-11-30",
        consequence: "only one of the two can be called there",
        fix: "rename one of them so that they differ in letters or digits",
        check: Check::Server(cleaned),
        ..Rule::BASE
    },
];

const GENERIC: [&str; 14] = [
    "search", "fetch", "query", "get", "list", "read", "write", "update", "delete", "create", "run", "execute", "find",
    "call",
];

fn generic(server: &Server<'_>, found: &mut Found<'_>) {
    let has = |name: &str| server.tools.iter().any(|tool| tool.name() == Some(name));
    let research = has("search") && has("fetch");
    for tool in &server.tools {
        let Some(name) = tool.name().filter(|name| GENERIC.contains(name)) else { continue };
        if !(research && matches!(name, "search" | "fetch")) {
            found.of(
                tool,
                tool.place(&["name"]),
                format!("{} alone says nothing of what the tool works on", quoted(name)),
            );
        }
    }
}

fn cleaned(server: &Server<'_>, found: &mut Found<'_>) {
    let mut seen: HashMap<String, &str> = HashMap::new();
    for tool in &server.tools {
        let Some(name) = tool.name() else { continue };
        let clean: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let first = *seen.entry(clean).or_insert(name);
        if first != name {
            let message = format!(
                "{} and {} are the same once other characters than letters and digits are `_`",
                quoted(first),
                quoted(name)
            );
            found.of(tool, tool.place(&["name"]), message);
        }
    }
}
