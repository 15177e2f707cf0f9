//! Answers over HTTP.

use crate::exchange::Probe;
use crate::finding::Found;
use crate::host::Host;
use crate::observed::Observed;
use crate::rule::{Blast, Check, Family, Rule, Severity, Subject};
use crate::say::quoted;
use crate::server::Server;

pub(super) static RULES: [Rule; 9] = [
    Rule {
        id: "SPEC-HTTP-001",
        title: "a foreign `Origin` is served",
        subject: Subject::Answers,
        family: Family::Specification,
        severity: Severity::Degraded,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/basic/transports/streamable-http.mdx (Security & Endpoint)",
        date: "2026-07-28",
        consequence: "any web page that a user of a local server opens can call its tools (DNS rebinding)",
        fix: "hold `Origin` against a list, and answer with 403",
        check: Check::Server(origin),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-HTTP-002",
        title: "headers that don't fit the body are not refused as they should be",
        subject: Subject::Answers,
        family: Family::Specification,
        severity: Severity::Degraded,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/basic/transports/streamable-http.mdx (Server Validation)",
        date: "2026-07-28",
        consequence: "gateways decide by one thing, the server does another",
        fix: "answer with the status 400 and the error -32020",
        check: Check::Server(headers),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-HTTP-003",
        title: "a name in Base64 is not understood",
        subject: Subject::Answers,
        family: Family::Specification,
        severity: Severity::Degraded,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/basic/transports/streamable-http.mdx (Value Encoding)",
        date: "2026-07-28",
        consequence: "tools whose names aren't plain ASCII can't be called",
        fix: "decode `=?base64?…?=` before holding it against the body",
        check: Check::Server(encoded),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-HTTP-004",
        title: "the answer is of a type that no client reads",
        subject: Subject::Answers,
        family: Family::Specification,
        severity: Severity::Rejects,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/basic/transports/streamable-http.mdx (Sending Messages)",
        date: "2026-07-28",
        consequence: "clients refuse the answer",
        fix: "send `application/json` or `text/event-stream`",
        check: Check::Server(kind),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-HTTP-005",
        title: "the stream of events may be held back on its way",
        subject: Subject::Answers,
        family: Family::Specification,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/basic/transports/streamable-http.mdx (Receiving Messages)",
        date: "2026-07-28",
        consequence: "proxies collect the events, and the user sees nothing until the end",
        fix: "send the header `X-Accel-Buffering: no` with `text/event-stream`",
        check: Check::Server(buffered),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-HTTP-006",
        title: "a notification is not taken as it should be",
        subject: Subject::Answers,
        family: Family::Specification,
        severity: Severity::Degraded,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/basic/transports/streamable-http.mdx (Sending Messages)",
        date: "2026-07-28",
        consequence: "clients hold the server to be broken",
        fix: "answer with 202 and no body, or with the status of an error",
        check: Check::Server(notification),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-HTTP-007",
        title: "a session is opened for a request of 2026-07-28",
        subject: Subject::Answers,
        family: Family::Specification,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/basic/transports/streamable-http.mdx (Earlier Streamable HTTP Revisions)",
        date: "2026-07-28",
        consequence: "the server keeps what no client will ask for again",
        fix: "send no `Mcp-Session-Id` to requests that carry their version",
        check: Check::Server(session),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-HTTP-008",
        title: "GET or DELETE is not refused as it should be",
        subject: Subject::Answers,
        family: Family::Specification,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/basic/transports/streamable-http.mdx (Earlier Streamable HTTP Revisions)",
        date: "2026-07-28",
        consequence: "older clients wait for a stream that never comes",
        fix: "answer with the status 405",
        check: Check::Server(method),
        ..Rule::BASE
    },
    Rule {
        id: "CLD-SRV-001",
        title: "the URL is not one that can be listed",
        subject: Subject::Server,
        hosts: &[Host::ClaudeDirectory],
        severity: Severity::Rejects,
        blast: Blast::Server,
        source: "Anthropic Software Directory Policy, https://support.claude.com/en/articles/13145358-anthropic-software-directory-policy 5.D; directory-checklist.md",
        date: "2026-10-07",
        consequence: "not listable",
        fix: "serve `https:`, and take tokens in the header `Authorization` alone",
        check: Check::Server(url),
        ..Rule::BASE
    },
];

fn origin(server: &Server<'_>, found: &mut Found<'_>) {
    for observed in server.probed(Probe::Origin) {
        // Whoever has no token is refused before.
        if let Some(status) = observed.status().filter(|status| ![401, 403].contains(status)) {
            found.seen(
                server,
                &observed,
                observed.at_sent(),
                format!("`Origin: https://haft-probe.invalid` is answered with {status}"),
            );
        }
    }
}

fn headers(server: &Server<'_>, found: &mut Found<'_>) {
    let both = server.speaks_legacy();
    // A request without a version may be one of an older revision.
    for observed in server.probed(Probe::Headers).filter(|it| !both || it.detail() != "no MCP-Protocol-Version") {
        let what = match (observed.result(), observed.code(), observed.status()) {
            (Some(_), ..) => "there is a result".to_owned(),
            (None, Some(-32020.0), Some(400)) => continue,
            (None, Some(-32020.0), Some(status)) => format!("the status is {status}, not 400"),
            (None, Some(code), _) => format!("the code is {code}, not -32020"),
            (None, None, Some(status)) => format!("the status is {status}, and there is no error -32020"),
            (None, None, None) => continue,
        };
        found.seen(
            server,
            &observed,
            observed.at(observed.result().or(observed.error())),
            format!("{}: {what}", observed.detail()),
        );
    }
}

fn encoded(server: &Server<'_>, found: &mut Found<'_>) {
    for observed in server.probed(Probe::EncodedName).filter(|it| it.code() == Some(-32020.0)) {
        found.seen(server, &observed, observed.at(observed.error()), "the header has the name of the body, in Base64");
    }
}

fn kind(server: &Server<'_>, found: &mut Found<'_>) {
    for observed in server.exchanges().filter(|it| !it.is(Probe::Notification) && !it.is(Probe::Method)) {
        let Some(status) = observed.status().filter(|status| (200..300).contains(status)) else { continue };
        let kind = observed.header("content-type").unwrap_or_default().to_ascii_lowercase();
        if !kind.starts_with("application/json")
            && !kind.starts_with("text/event-stream")
            && observed.messages().next().is_some()
            && !observed.is(Probe::NotAMessage)
            && !observed.is(Probe::BadId)
        {
            found.seen(
                server,
                &observed,
                observed.at(None),
                format!("the status is {status}, the `Content-Type` {}", quoted(&kind)),
            );
        }
    }
}

fn buffered(server: &Server<'_>, found: &mut Found<'_>) {
    let stream =
        |it: &Observed<'_>| it.header("content-type").is_some_and(|kind| kind.starts_with("text/event-stream"));
    let mut open = server.exchanges().filter(|it| stream(it) && it.header("x-accel-buffering").is_none());
    if let Some(first) = open.next() {
        found.seen(
            server,
            &first,
            first.at(None),
            format!("{} streams have no `X-Accel-Buffering: no`", open.count() + 1),
        );
    }
}

fn notification(server: &Server<'_>, found: &mut Found<'_>) {
    for observed in server.probed(Probe::Notification) {
        let what = match observed.status() {
            Some(202) if observed.messages().next().is_some() => "the status is 202, and there is a body".to_owned(),
            Some(status) if (200..300).contains(&status) && status != 202 => format!("the status is {status}, not 202"),
            _ => continue,
        };
        found.seen(server, &observed, observed.at(None), what);
    }
}

fn session(server: &Server<'_>, found: &mut Found<'_>) {
    let mut opened = server
        .exchanges()
        .filter(|it| it.is_modern() && it.result().is_some() && it.header("mcp-session-id").is_some());
    if let Some(first) = opened.next() {
        found.seen(server, &first, first.at(None), format!("{} answers have an `Mcp-Session-Id`", opened.count() + 1));
    }
}

fn method(server: &Server<'_>, found: &mut Found<'_>) {
    if server.speaks_legacy() {
        return;
    }
    for observed in server.probed(Probe::Method) {
        let status = observed.status();
        if status != Some(405) && status != Some(401) {
            let what = status.map_or("no answer came".to_owned(), |status| format!("the status is {status}"));
            found.seen(server, &observed, observed.at_sent(), format!("{}: {what}", observed.detail()));
        }
    }
}

fn url(server: &Server<'_>, found: &mut Found<'_>) {
    let Some(observed) = server.exchanges().find(Observed::is_http) else { return };
    let Some(request) = &observed.exchange().request else { return };
    let local =
        ["http://127.0.0.1", "http://localhost", "http://[::1]"].iter().any(|start| request.url.starts_with(start));
    if request.url.starts_with("http://") && !local {
        found.seen(server, &observed, observed.at_sent(), "the URL is not `https:`");
    }
    let query = request.url.split_once('?').map(|(_, query)| query.to_ascii_lowercase()).unwrap_or_default();
    let names = query.split('&').filter_map(|pair| pair.split('=').next());
    if let Some(name) = names.into_iter().find(|name| ["token", "key", "secret"].iter().any(|word| name.contains(word)))
    {
        found.seen(server, &observed, observed.at_sent(), format!("the URL has a secret in {}", quoted(name)));
    }
}
