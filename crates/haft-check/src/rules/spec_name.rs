//! Names as the specification wants them.

use std::collections::HashSet;

use crate::finding::Found;
use crate::rule::{Blast, Check, Confidence, Family, Rule, Severity, Subject};
use crate::say::quoted;
use crate::server::Server;
use crate::tool::Tool;

pub(super) static RULES: [Rule; 2] = [
    Rule {
        id: "SPEC-NAME-001",
        title: "the name breaks the rules of the specification",
        subject: Subject::Name,
        family: Family::Specification,
        severity: Severity::Advice,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/server/tools.mdx (Tool Names)",
        date: "2026-07-28",
        consequence: "stricter hosts drop or rename the tool",
        fix: "use 1 to 128 characters A-Z, a-z, 0-9, _, - and .; better 3 to 40 of a-z, 0-9 and _",
        note: Some(
            "The official conformance suite (src/scenarios/server/tools.ts) instead tests 1..64 and allows \
                    '/', following SEP-986: conflict with the spec text.",
        ),
        check: Check::Tool(shape),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-NAME-002",
        title: "two tools have the same name",
        subject: Subject::Name,
        family: Family::Specification,
        severity: Severity::Rejects,
        blast: Blast::Session,
        confidence: Confidence::Derived,
        source: "MCP 2026-07-28, server/tools (Tool Names): names SHOULD be unique within a server",
        date: "2026-07-28",
        consequence: "only one of the two can be called; APIs of models refuse a request with two tools of one name",
        fix: "rename one of them",
        check: Check::Server(unique),
        ..Rule::BASE
    },
];

fn shape(tool: &Tool<'_>, found: &mut Found<'_>) {
    let Some(name) = tool.name() else { return };
    let place = || tool.place(&["name"]);
    let count = name.chars().count();
    if count == 0 {
        found.at(place(), "the name is empty");
    } else if count > 128 {
        found.at(place(), format!("the name has {count} characters; the specification allows 128"));
    }
    if let Some(c) = name.chars().find(|&c| !(c.is_ascii_alphanumeric() || "_-.".contains(c))) {
        found.at(
            place(),
            format!("the name has {}, which is none of A-Z, a-z, 0-9, _, - and .", quoted(&c.to_string())),
        );
    }
}

fn unique(server: &Server<'_>, found: &mut Found<'_>) {
    let mut seen = HashSet::new();
    for tool in &server.tools {
        let Some(name) = tool.name() else { continue };
        if !seen.insert(name) {
            found.of(
                tool,
                tool.place(&["name"]),
                format!("{} is also the name of a tool before this one", quoted(name)),
            );
        }
    }
}
