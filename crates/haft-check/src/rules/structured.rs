//! Structured content, against the output schema.

use crate::exchange::Probe;
use crate::finding::Found;
use crate::host::Host;
use crate::json::Node;
use crate::observed::Observed;
use crate::rule::{Check, Confidence, Family, Rule, Severity, Subject};
use crate::server::Server;
use haft_schema::Checker;

pub(super) static RULES: [Rule; 3] = [
    Rule {
        id: "SPEC-RES-001",
        title: "the structured content is not what the output schema says",
        subject: Subject::Result,
        family: Family::Specification,
        severity: Severity::Rejects,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/server/tools.mdx (Output Schema)",
        date: "2026-07-28",
        consequence: "clients that check it throw the result away",
        fix: "send `structuredContent` that the output schema takes with every result that is no error",
        check: Check::Server(schema),
        ..Rule::BASE
    },
    Rule {
        id: "SDK-OUT-002",
        title: "the structured content is not what the output schema says",
        subject: Subject::Result,
        hosts: &[Host::TypescriptSdk, Host::PythonSdk],
        severity: Severity::Degraded,
        confidence: Confidence::Reported,
        source: "robert7/remnote-mcp-server PR 7; koala73/worldmonitor PR 8330 (Grok Bot); Cocoanetics/SwiftMCP#176; anthropics/claude-code#14465",
        date: "2026-09-18",
        consequence: "-32600 'has an output schema but did not return structured content' / -32602",
        fix: "send `structuredContent` that the output schema takes with every result that is no error",
        check: Check::Server(schema),
        ..Rule::BASE
    },
    Rule {
        id: "SDK-OUT-003",
        title: "an error has structured content that the output schema refuses",
        subject: Subject::Result,
        hosts: &[Host::TypescriptSdk, Host::PythonSdk],
        severity: Severity::Degraded,
        confidence: Confidence::Reported,
        source: "ArcadeAI/arcade-mcp PR 817",
        date: "2026-04-10",
        consequence: "error text lost behind a validation error",
        fix: "leave `structuredContent` out of results with \"isError\": true",
        check: Check::Server(of_errors),
        ..Rule::BASE
    },
];

/// The result of a call that came to its end, and the tool's output schema.
fn judged<'a>(server: &Server<'a>, observed: &Observed<'a>) -> Option<(&'a Node, Checker)> {
    let output = observed.tool(server)?.output()?.root.to_value();
    let result = observed.result()?;
    let whole = result.get("resultType").is_none_or(|kind| kind.as_str() == Some("complete"));
    Some((result, Checker::compile(&output).ok()?)).filter(|_| whole)
}

fn is_error(result: &Node) -> bool {
    result.get("isError").and_then(Node::as_bool) == Some(true)
}

fn refused(checker: &Checker, content: &Node) -> Option<String> {
    checker.check(&content.to_value()).first().map(ToString::to_string)
}

fn schema(server: &Server<'_>, found: &mut Found<'_>) {
    for observed in server.probed(Probe::GoodCall) {
        let Some((result, checker)) = judged(server, &observed).filter(|(result, _)| !is_error(result)) else {
            continue;
        };
        match result.get("structuredContent") {
            None => found.seen(
                server,
                &observed,
                observed.at(Some(result)),
                "there is an output schema, and no `structuredContent`",
            ),
            Some(content) => {
                if let Some(violation) = refused(&checker, content) {
                    found.seen(server, &observed, observed.at(Some(content)), violation);
                }
            }
        }
    }
}

fn of_errors(server: &Server<'_>, found: &mut Found<'_>) {
    for observed in server.exchanges().filter(|it| it.is(Probe::GoodCall) || it.is(Probe::BadCall)) {
        let Some((result, checker)) = judged(server, &observed).filter(|(result, _)| is_error(result)) else {
            continue;
        };
        let Some(content) = result.get("structuredContent") else { continue };
        if let Some(violation) = refused(&checker, content) {
            found.seen(server, &observed, observed.at(Some(content)), violation);
        }
    }
}
