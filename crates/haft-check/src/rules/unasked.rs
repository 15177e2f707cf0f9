//! Messages that nobody asked for.

use crate::exchange::{End, Probe};
use crate::finding::Found;
use crate::json::Node;
use crate::observed::{Message, Observed};
use crate::rule::{Blast, Check, Family, Rule, Severity, Subject};
use crate::say::quoted;
use crate::server::Server;

pub(super) static RULES: [Rule; 6] = [
    Rule {
        id: "SPEC-STD-001",
        title: "stdout has what is no message",
        subject: Subject::Answers,
        family: Family::Specification,
        severity: Severity::Rejects,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/basic/transports/stdio.mdx",
        date: "2026-07-28",
        consequence: "clients report a broken server, or end the connection",
        fix: "write logs to stderr; nothing but messages goes to stdout, one a line",
        check: Check::Server(junk),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-STD-002",
        title: "the server sends a request",
        subject: Subject::Answers,
        family: Family::Specification,
        severity: Severity::Degraded,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/basic/transports/stdio.mdx (Receiving Messages); basic/transports/streamable-http.mdx (Receiving Messages)",
        date: "2026-07-28",
        consequence: "clients of 2026-07-28 don't answer it",
        fix: "ask in the result: \"resultType\": \"input_required\" with `inputRequests`",
        check: Check::Server(requests),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-STD-003",
        title: "the server sends notifications that nobody asked for",
        subject: Subject::Answers,
        family: Family::Specification,
        severity: Severity::Degraded,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/basic/patterns/subscriptions.mdx (Opening a Stream); server/utilities/logging.mdx; basic/patterns/cancellation.mdx",
        date: "2026-07-28",
        consequence: "clients ignore them, or hold the server to be broken",
        fix: "send changes on `subscriptions/listen` alone, logs to whoever sent `logLevel`, progress to whoever sent a token",
        check: Check::Server(notifications),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-STD-004",
        title: "the server stays when its stdin is closed",
        subject: Subject::Answers,
        family: Family::Specification,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/basic/transports/stdio.mdx (Shutdown)",
        date: "2026-07-28",
        consequence: "it is killed, or stays behind without a client",
        fix: "exit when reading stdin gives the end of the file",
        check: Check::Server(stays),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-PROG-001",
        title: "progress goes backwards, or is somebody else's",
        subject: Subject::Answers,
        family: Family::Specification,
        severity: Severity::Degraded,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/basic/patterns/progress.mdx",
        date: "2026-07-28",
        consequence: "clients show nonsense, or drop it",
        fix: "send the token as it came, with a `progress` that rises each time",
        check: Check::Server(progress),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-NOTE-001",
        title: "a notification is answered",
        subject: Subject::Answers,
        family: Family::Specification,
        severity: Severity::Degraded,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/basic/index.mdx (Notifications)",
        date: "2026-07-28",
        consequence: "clients get an answer to something that they never asked",
        fix: "send nothing back to a message without `id`",
        check: Check::Server(answered),
        ..Rule::BASE
    },
];

fn junk(server: &Server<'_>, found: &mut Found<'_>) {
    for observed in server.exchanges().filter(|it| !it.is_http()) {
        for message in observed.messages().filter(|message| !is_message(message)).take(1) {
            let what = if message.node.is_some() { "this is JSON, but no message" } else { "this isn't JSON" };
            found.seen(server, &observed, observed.at_message(&message), what);
        }
    }
}

fn is_message(message: &Message<'_>) -> bool {
    message.get("jsonrpc").is_some() && (message.method().is_some() || message.is_answer())
}

fn requests(server: &Server<'_>, found: &mut Found<'_>) {
    for observed in server.exchanges().filter(Observed::is_modern) {
        for message in observed.messages().filter(|it| it.get("id").is_some()) {
            if let Some(method) = message.method() {
                found.seen(
                    server,
                    &observed,
                    observed.at_message(&message),
                    format!("{} is a request", quoted(method)),
                );
            }
        }
    }
}

fn notifications(server: &Server<'_>, found: &mut Found<'_>) {
    for observed in server.exchanges().filter(|it| it.is_modern() && server.speaks_modern()) {
        for message in observed.messages().filter(|it| it.get("id").is_none()) {
            let Some(method) = message.method() else { continue };
            let why = match method {
                "notifications/message" => "no request named a `logLevel`",
                "notifications/progress" if token(&observed).is_none() => "no request had a `progressToken`",
                "notifications/cancelled" => "nobody was listening",
                changed if changed.ends_with("/list_changed") => "nobody was listening",
                "notifications/resources/updated" => "nobody was listening",
                _ => continue,
            };
            found.seen(
                server,
                &observed,
                observed.at_message(&message),
                format!("{} was sent, though {why}", quoted(method)),
            );
        }
    }
}

fn token<'a>(observed: &Observed<'a>) -> Option<&'a str> {
    observed.sent()?.find(&["params", "_meta", "progressToken"])?.as_str()
}

fn progress(server: &Server<'_>, found: &mut Found<'_>) {
    for observed in server.exchanges() {
        let Some(token) = token(&observed) else { continue };
        let mut last = f64::NEG_INFINITY;
        for message in observed.messages().filter(|it| it.method() == Some("notifications/progress")) {
            let params = message.get("params");
            let sent = params.and_then(|params| params.get("progressToken")).and_then(Node::as_str);
            let value = params.and_then(|params| params.get("progress")).and_then(Node::as_f64);
            let what = match value {
                _ if sent != Some(token) => "the `progressToken` isn't the one of the request".to_owned(),
                None => "there is no `progress`".to_owned(),
                Some(value) if value <= last => format!("`progress` is {value} after {last}"),
                Some(value) => {
                    last = value;
                    continue;
                }
            };
            found.seen(server, &observed, observed.at_message(&message), what);
            break;
        }
    }
}

fn stays(server: &Server<'_>, found: &mut Found<'_>) {
    for observed in server.probed(Probe::Close).filter(|it| it.exchange().end == End::Silent) {
        found.seen(server, &observed, observed.at_sent(), format!("it still ran {} ms later", observed.exchange().ms));
    }
}

fn answered(server: &Server<'_>, found: &mut Found<'_>) {
    for observed in server.probed(Probe::Notification).filter(|it| !it.is_http()) {
        if observed.answer().is_some() {
            found.seen(server, &observed, observed.at(None), "this answers a notification");
        }
    }
}
