//! Requests that should be refused, and how.

use crate::exchange::Probe;
use crate::finding::Found;
use crate::rule::{Blast, Check, Family, Rule, Severity, Subject};
use crate::server::Server;

pub(super) static RULES: [Rule; 4] = [
    Rule {
        id: "SPEC-ERR-001",
        title: "an unknown tool is not refused as it should be",
        subject: Subject::Answers,
        family: Family::Specification,
        severity: Severity::Degraded,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/server/tools.mdx (Error Handling)",
        date: "2026-07-28",
        consequence: "clients take it for a failure of the tool, and models try again",
        fix: "answer with the error -32602",
        check: Check::Server(tool),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-ERR-002",
        title: "an unknown method is not refused as it should be",
        subject: Subject::Answers,
        family: Family::Specification,
        severity: Severity::Degraded,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/basic/transports/streamable-http.mdx (Protocol Version Header); JSON-RPC 2.0, https://www.jsonrpc.org/specification sections 4.1, 5 and 5.1",
        date: "2026-07-28",
        consequence: "clients can't tell what the server doesn't know from what went wrong",
        fix: "answer with the error -32601; over HTTP with the status 404",
        check: Check::Server(method),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-ERR-003",
        title: "a malformed call is not refused as it should be",
        subject: Subject::Answers,
        family: Family::Specification,
        severity: Severity::Degraded,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/server/tools.mdx (Error Handling)",
        date: "2026-07-28",
        consequence: "clients hold the server to have no tools at all, or a tool runs with arguments that nobody gave",
        fix: "answer with the error -32602",
        check: Check::Server(call),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-META-003",
        title: "a request with an incomplete `_meta` is not refused as it should be",
        subject: Subject::Answers,
        family: Family::Specification,
        severity: Severity::Degraded,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/basic/index.mdx (Per-request protocol fields)",
        date: "2026-07-28",
        consequence: "clients never learn what they left out",
        fix: "answer with the error -32602; over HTTP with the status 400",
        check: Check::Server(meta),
        ..Rule::BASE
    },
];

fn tool(server: &Server<'_>, found: &mut Found<'_>) {
    for observed in server.probed(Probe::UnknownTool) {
        let what = match (observed.result(), observed.code()) {
            (Some(_), _) => "a tool that isn't there gives a result".to_owned(),
            (None, Some(code)) if code != -32602.0 => format!("the code is {code}, not -32602"),
            _ => continue,
        };
        found.seen(server, &observed, observed.at(observed.result().or(observed.error())), what);
    }
}

fn method(server: &Server<'_>, found: &mut Found<'_>) {
    for observed in server.probed(Probe::UnknownMethod) {
        let what = match (observed.result(), observed.code(), observed.status()) {
            (Some(_), ..) => "a method that isn't there gives a result".to_owned(),
            (None, Some(code), _) if code != -32601.0 => format!("the code is {code}, not -32601"),
            (None, Some(_), Some(status)) if observed.is_modern() && status != 404 => {
                format!("the status is {status}, not 404")
            }
            _ => continue,
        };
        found.seen(server, &observed, observed.at(observed.result().or(observed.error())), what);
    }
}

fn call(server: &Server<'_>, found: &mut Found<'_>) {
    for observed in server.probed(Probe::MalformedCall) {
        let what = match (observed.result(), observed.code()) {
            (Some(_), _) => format!("{}, and there is a result", observed.detail()),
            (None, Some(-32602.0 | -32600.0)) => continue,
            // A name in the header and none in the body don't fit each other.
            (None, Some(-32020.0)) if observed.is_http() => continue,
            (None, Some(code)) => format!("{}, and the code is {code}", observed.detail()),
            (None, None) => continue,
        };
        found.seen(server, &observed, observed.at(observed.result().or(observed.error())), what);
    }
}

fn meta(server: &Server<'_>, found: &mut Found<'_>) {
    // Without a version it may be a request of an older revision, for a server that speaks both.
    let both = server.speaks_legacy();
    for observed in server.probed(Probe::IncompleteMeta).filter(|it| !both || it.detail() == "no capabilities") {
        let what = match (observed.result(), observed.code(), observed.status()) {
            (Some(_), ..) => format!("{}, and there is a result", observed.detail()),
            // The header has a version, the body has none.
            (None, Some(-32020.0), Some(400)) => continue,
            (None, Some(code), _) if code != -32602.0 => format!("{}, and the code is {code}", observed.detail()),
            (None, Some(_), Some(status)) if status != 400 => {
                format!("{}, and the status is {status}", observed.detail())
            }
            _ => continue,
        };
        found.seen(server, &observed, observed.at(observed.result().or(observed.error())), what);
    }
}
