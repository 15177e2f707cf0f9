//! Requests that get no answer.

use crate::exchange::{End, Probe};
use crate::finding::Found;
use crate::observed::Observed;
use crate::rule::{Blast, Check, Confidence, Family, Rule, Severity, Subject};
use crate::server::Server;

pub(super) static RULES: [Rule; 5] = [
    Rule {
        id: "SPEC-ANS-001",
        title: "a request gets no answer",
        subject: Subject::Answers,
        family: Family::Specification,
        severity: Severity::Rejects,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/basic/index.mdx (Responses); JSON-RPC 2.0, https://www.jsonrpc.org/specification sections 4.1, 5 and 5.1",
        date: "2026-07-28",
        consequence: "the client waits until its time is up, or starts the server again",
        fix: "answer each request, whatever happens while it is handled",
        note: Some("A tool that takes longer than the deadline of the check looks the same; `--timeout` sets it."),
        check: Check::Server(requests),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-ANS-002",
        title: "what is no message gets no answer",
        subject: Subject::Answers,
        family: Family::Specification,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/basic/index.mdx (Messages, Error Responses); JSON-RPC 2.0, https://www.jsonrpc.org/specification sections 4.1, 5 and 5.1",
        date: "2026-07-28",
        consequence: "whoever sent it never learns why nothing comes",
        fix: "answer with the code -32700 or -32600, without `id` where none could be read",
        check: Check::Server(malformed),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-ANS-003",
        title: "a malformed message ends the server",
        subject: Subject::Answers,
        family: Family::Specification,
        severity: Severity::Degraded,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/basic/index.mdx (Error Responses); JSON-RPC 2.0, https://www.jsonrpc.org/specification sections 4.1, 5 and 5.1",
        date: "2026-07-28",
        consequence: "every request in flight is lost, of others, too",
        fix: "answer with an error, and go on reading",
        check: Check::Server(deadly),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-ANS-004",
        title: "a request that is hard to read gets no answer",
        subject: Subject::Answers,
        family: Family::Specification,
        severity: Severity::Degraded,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/basic/index.mdx (Error Responses); JSON-RPC 2.0, https://www.jsonrpc.org/specification sections 4.1, 5 and 5.1",
        date: "2026-07-28",
        consequence: "its id can be read, but the client waits until its time is up",
        fix: "answer with an error that has the id of the request",
        check: Check::Server(odd),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-ANS-005",
        title: "the server sends without end",
        subject: Subject::Answers,
        family: Family::Specification,
        severity: Severity::Degraded,
        blast: Blast::Server,
        confidence: Confidence::Derived,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/basic/patterns/progress.mdx (Implementation Notes)",
        date: "2026-07-28",
        consequence: "clients give up, or run out of memory",
        fix: "bound what one request can send",
        check: Check::Server(floods),
        ..Rule::BASE
    },
];

/// Whether the server has to answer it.
fn must_be_answered(server: &Server<'_>, observed: &Observed<'_>) -> bool {
    let readable = !matches!(
        observed.exchange().probe,
        Probe::BadId | Probe::NotAMessage | Probe::OddValue | Probe::Notification | Probe::Method | Probe::Close
    );
    // A server of older revisions may keep silent until it is greeted.
    readable && (!observed.is_modern() || server.speaks_modern())
}

fn requests(server: &Server<'_>, found: &mut Found<'_>) {
    for observed in server.exchanges().filter(|it| must_be_answered(server, it) && it.is_unanswered()) {
        let (ms, end) = (observed.exchange().ms, observed.exchange().end);
        let what = match (end, observed.status()) {
            (End::Flooded, _) => continue,
            (End::Died, None) => "the server ended, or the connection broke".to_owned(),
            (_, Some(status)) => format!("the status is {status}, and no answer came in {ms} ms"),
            _ => format!("no answer came in {ms} ms"),
        };
        found.seen(server, &observed, observed.at_sent(), what);
    }
}

fn malformed(server: &Server<'_>, found: &mut Found<'_>) {
    together(server, found, &[Probe::BadId, Probe::NotAMessage]);
}

/// Reports all that got no answer in one place: they have one cause.
fn together(server: &Server<'_>, found: &mut Found<'_>, probes: &[Probe]) {
    let silent = server.exchanges().filter(|it| it.exchange().end == End::Silent);
    let silent: Vec<_> = silent.filter(|it| probes.iter().any(|&probe| it.is(probe))).collect();
    let Some(first) = silent.first() else { return };
    let titles: Vec<String> = silent.iter().map(|it| it.exchange().title()).collect();
    found.seen(server, first, first.at_sent(), format!("no answer came to: {}", titles.join(", ")));
}

fn deadly(server: &Server<'_>, found: &mut Found<'_>) {
    let hard = [Probe::NotAMessage, Probe::BadId, Probe::OddValue, Probe::Notification];
    for observed in server.exchanges().filter(|it| hard.iter().any(|&probe| it.is(probe))) {
        if observed.exchange().end == End::Died {
            found.seen(server, &observed, observed.at_sent(), "after this the server answered nothing any more");
        }
    }
}

fn odd(server: &Server<'_>, found: &mut Found<'_>) {
    together(server, found, &[Probe::OddValue]);
}

fn floods(server: &Server<'_>, found: &mut Found<'_>) {
    for observed in server.exchanges().filter(|it| it.exchange().end == End::Flooded) {
        found.seen(server, &observed, observed.at_sent(), "more came than is read");
    }
}
