//! Answers that are no answers.

use crate::exchange::Probe;
use crate::finding::Found;
use crate::json::Node;
use crate::json::Value;
use crate::observed::Observed;
use crate::rule::{Blast, Check, Family, Rule, Severity, Subject};
use crate::server::Server;

pub(super) static RULES: [Rule; 6] = [
    Rule {
        id: "SPEC-MSG-001",
        title: "the answer is not of the form that JSON-RPC has",
        subject: Subject::Answers,
        family: Family::Specification,
        severity: Severity::Rejects,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/basic/index.mdx (Result Responses, Error Responses)",
        date: "2026-07-28",
        consequence: "the client can't tell which request it belongs to, or what it says",
        fix: "send \"jsonrpc\": \"2.0\", the id of the request with its type, and either `result` or `error`",
        check: Check::Server(form),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-MSG-002",
        title: "the error is not of the form that the protocol has",
        subject: Subject::Answers,
        family: Family::Specification,
        severity: Severity::Degraded,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/basic/index.mdx (Error Responses, Error Codes)",
        date: "2026-07-28",
        consequence: "clients mistake it for something else, or can't read it",
        fix: "send an integer `code` that means what the specification says, and a `message`",
        check: Check::Server(errors),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-MSG-003",
        title: "the error code is from the range that older implementations left behind",
        subject: Subject::Answers,
        family: Family::Specification,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/basic/index.mdx (Error Codes)",
        date: "2026-07-28",
        consequence: "nobody may assume what it means",
        fix: "use a standard code, or one outside -32768 to -32000",
        check: Check::Server(legacy_codes),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-RES-005",
        title: "the result is of a type that nobody knows",
        subject: Subject::Answers,
        family: Family::Specification,
        severity: Severity::Rejects,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/basic/index.mdx (ResultType)",
        date: "2026-07-28",
        consequence: "a client must hold the result to be invalid",
        fix: "send \"resultType\": \"complete\" or \"input_required\"",
        check: Check::Server(kind),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-META-002",
        title: "results don't say which server sent them",
        subject: Subject::Answers,
        family: Family::Specification,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/basic/index.mdx (Per-response protocol fields)",
        date: "2026-07-28",
        consequence: "logs and error reports can't name the server",
        fix: "send `io.modelcontextprotocol/serverInfo` with `name` and `version` in the `_meta` of each result",
        check: Check::Server(server_info),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-CAP-005",
        title: "the server asks what the client said it can't answer",
        subject: Subject::Answers,
        family: Family::Specification,
        severity: Severity::Degraded,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/basic/index.mdx (Per-request protocol fields)",
        date: "2026-07-28",
        consequence: "the call can't be finished",
        fix: "answer with -32021 and `data.requiredCapabilities`",
        check: Check::Server(undeclared),
        ..Rule::BASE
    },
];

const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

fn form(server: &Server<'_>, found: &mut Found<'_>) {
    // How a server of older revisions refuses what it doesn't know is its own affair.
    for observed in server.exchanges().filter(|it| !it.is_modern() || server.speaks_modern()) {
        let Some(answer) = observed.answer() else { continue };
        if answer.get("jsonrpc").and_then(Node::as_str) != Some("2.0") {
            found.seen(server, &observed, observed.at(answer.get("jsonrpc")), "`jsonrpc` isn't \"2.0\"");
        } else if answer.get("result").is_some() && answer.get("error").is_some() {
            found.seen(server, &observed, observed.at(answer.get("error")), "there is a `result` and an `error`");
        } else if answer.get("result").is_some_and(|result| !result.is_object()) {
            found.seen(server, &observed, observed.at(answer.get("result")), "`result` isn't an object");
        } else if let Some(what) = other_id(&observed, answer.get("id")) {
            found.seen(server, &observed, observed.at(answer.get("id")), what);
        }
    }
}

/// What is wrong with the id of an answer to a request whose id can be read.
fn other_id(observed: &Observed<'_>, got: Option<&Node>) -> Option<String> {
    let unreadable = [Probe::BadId, Probe::NotAMessage, Probe::OddValue, Probe::Notification, Probe::Method];
    let sent = observed.sent()?.get("id").filter(|_| !unreadable.iter().any(|&probe| observed.is(probe)))?;
    let same = match (&sent.value, got.map(|got| &got.value)) {
        (Value::String(sent), Some(Value::String(got))) => sent.kept == got.kept,
        (Value::Number(sent), Some(Value::Number(got))) => sent.parse::<f64>() == got.parse::<f64>(),
        // Over HTTP a request can be refused before its body is read.
        (_, None | Some(Value::Null)) => observed.status().is_some_and(|status| status >= 400),
        _ => false,
    };
    if same {
        return None;
    }
    Some(match got {
        None => "there is no `id`".to_owned(),
        Some(got) if got.kind() == sent.kind() => "the `id` isn't the one of the request".to_owned(),
        Some(got) => format!("the `id` is {}; that of the request was {}", got.kind(), sent.kind()),
    })
}

fn errors(server: &Server<'_>, found: &mut Found<'_>) {
    for observed in server.exchanges() {
        let Some(error) = observed.error() else { continue };
        let code = error.get("code");
        let number = code.and_then(Node::as_f64);
        let what = match number {
            None => "there is no integer `code`".to_owned(),
            Some(number) if number.fract() != 0.0 => "`code` isn't an integer".to_owned(),
            Some(_) if error.get("message").and_then(Node::as_str).is_none() => "there is no `message`".to_owned(),
            Some(number) if observed.is_modern() && server.speaks_modern() && is_reserved(number) => {
                format!("the code {number} is reserved, and not defined by 2026-07-28")
            }
            Some(_) => continue,
        };
        found.seen(server, &observed, observed.at(Some(code.unwrap_or(error))), what);
    }
}

fn is_reserved(code: f64) -> bool {
    let defined = [-32020.0, -32021.0, -32022.0].contains(&code);
    ((-32099.0..=-32020.0).contains(&code) && !defined) || code == -32002.0 || code == -32042.0
}

fn legacy_codes(server: &Server<'_>, found: &mut Found<'_>) {
    // GET and DELETE are requests of older revisions.
    let modern = |it: &Observed<'_>| it.is_modern() && server.speaks_modern() && !it.is(Probe::Method);
    for observed in server.exchanges().filter(modern) {
        let Some(code) = observed.code() else { continue };
        if (-32019.0..=-32000.0).contains(&code) && code != -32002.0 {
            let place = observed.at(observed.error().and_then(|error| error.get("code")));
            found.seen(server, &observed, place, format!("the code is {code}"));
        }
    }
}

fn kind(server: &Server<'_>, found: &mut Found<'_>) {
    for observed in server.exchanges().filter(Observed::is_modern) {
        let Some(kind) = observed.result().and_then(|result| result.get("resultType")) else { continue };
        if !matches!(kind.as_str(), Some("complete" | "input_required")) {
            found.seen(
                server,
                &observed,
                observed.at(Some(kind)),
                "the client declared no extension that knows this `resultType`",
            );
        }
    }
}

fn server_info(server: &Server<'_>, found: &mut Found<'_>) {
    let results = || server.exchanges().filter(|it| it.is_modern() && it.result().is_some() && server.speaks_modern());
    let mut silent =
        results().filter(|it| it.result().is_some_and(|result| result.find(&["_meta", SERVER_INFO]).is_none()));
    let Some(first) = silent.next() else { return };
    let (count, all) = (silent.count() + 1, results().count());
    found.seen(server, &first, first.at(first.result()), format!("{count} of {all} results have no `{SERVER_INFO}`"));
}

fn undeclared(server: &Server<'_>, found: &mut Found<'_>) {
    for observed in server.exchanges().filter(Observed::is_modern) {
        let Some(kind) = observed.result().and_then(|result| result.get("resultType")) else { continue };
        if kind.as_str() == Some("input_required") {
            found.seen(
                server,
                &observed,
                observed.at(Some(kind)),
                "the request declared no capability to answer questions",
            );
        }
    }
}
