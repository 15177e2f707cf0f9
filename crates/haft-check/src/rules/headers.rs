//! Arguments that are mirrored into HTTP headers.

use std::collections::HashSet;

use haft_schema::portable::is_token;

use crate::finding::Found;
use crate::rule::{Check, Family, Rule, Severity, Subject};
use crate::say::quoted;
use crate::tool::Tool;
use crate::words::is_secret;

pub(super) static RULES: [Rule; 2] = [
    Rule {
        id: "SPEC-HDR-001",
        title: "`x-mcp-header` breaks its rules",
        subject: Subject::Input,
        family: Family::Specification,
        severity: Severity::Rejects,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/server/tools.mdx x-mcp-header; \
                 basic/transports/streamable-http.mdx",
        date: "2026-07-28",
        consequence: "Streamable HTTP client MUST drop the tool from tools/list",
        fix: "put a header name of its own on an argument of type integer, string or boolean, below `properties` only",
        check: Check::Tool(rules),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-HDR-002",
        title: "a secret is mirrored into a header",
        subject: Subject::Input,
        family: Family::Specification,
        severity: Severity::Advice,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/server/tools.mdx",
        date: "2026-07-28",
        consequence: "value visible to proxies",
        fix: "leave `x-mcp-header` off secrets and personal data",
        check: Check::Tool(secrets),
        ..Rule::BASE
    },
];

const HEADER: &str = "x-mcp-header";

fn rules(tool: &Tool<'_>, found: &mut Found<'_>) {
    let Some(schema) = tool.input() else { return };
    let mut seen = HashSet::new();
    for sub in &schema.subs {
        let Some(header) = sub.get(HEADER) else { continue };
        let wrong = match header.as_str() {
            None => Some(format!("the header's name is {}, not a string", header.kind())),
            Some("") => Some("the header's name is empty".to_owned()),
            Some(name) if !is_token(name) => Some(format!("{} is no name of a header", quoted(name))),
            Some(name) if !seen.insert(name.to_ascii_lowercase()) => {
                Some(format!("{} is used twice (case doesn't matter)", quoted(name)))
            }
            Some(_) => None,
        };
        if let Some(wrong) = wrong {
            found.at(tool.at(header), wrong);
        }
        if !sub.straight || sub.depth == 0 {
            found.at(tool.at(header), "the header is on a schema that `properties` alone don't lead to");
        } else if !matches!(sub.says("type"), Some("integer" | "string" | "boolean")) {
            found.at(tool.at(header), "the header is on an argument whose type is none of integer, string and boolean");
        }
    }
}

fn secrets(tool: &Tool<'_>, found: &mut Found<'_>) {
    let Some(schema) = tool.input() else { return };
    for (name, sub) in schema.properties() {
        if let Some(header) = sub.get(HEADER).filter(|_| is_secret(name)) {
            found.at(tool.at(header), format!("{} looks like a secret, and proxies can read headers", quoted(name)));
        }
    }
}
