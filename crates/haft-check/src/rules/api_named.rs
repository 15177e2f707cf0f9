//! Tools that pass anything on to an interface.

use crate::finding::Found;
use crate::host::Host;
use crate::rule::{Check, Rule, Severity, Subject};
use crate::tool::Tool;

pub(super) static RULES: [Rule; 1] = [Rule {
    id: "CLD-DESC-001",
    title: "a tool that takes any endpoint doesn't name its API",
    subject: Subject::Description,
    hosts: &[Host::ClaudeDirectory],
    severity: Severity::Advice,
    source: "Connector pre-submission checklist, https://claude.com/docs/connectors/building/review-criteria",
    date: "2026-10-07",
    consequence: "submission rejected",
    fix: "name or link the API that the path, query or body is for",
    check: Check::Tool(check),
    ..Rule::BASE
}];

const FREE: [&str; 7] = ["endpoint", "path", "url_path", "query_string", "body", "request_body", "raw_body"];

fn check(tool: &Tool<'_>, found: &mut Found<'_>) {
    let Some(schema) = tool.input() else { return };
    let free = |wanted: &[&str]| schema.arguments().find(|(name, sub)| wanted.contains(name) && !sub.has("enum"));
    // One of them alone, such as the path of a file, says nothing.
    let endpoint = free(&FREE[..3]);
    let rest =
        free(&FREE[3..]).or_else(|| schema.arguments().find(|(name, _)| matches!(*name, "method" | "http_method")));
    let description = tool.description();
    if let (Some((_, sub)), Some(_)) = (endpoint, rest)
        && !description.contains("://")
        && !description.contains("API")
    {
        found.at(tool.at(sub.node), "this takes any endpoint, and the description names no API");
    }
}
