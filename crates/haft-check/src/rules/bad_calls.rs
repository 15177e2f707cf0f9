//! Calls with arguments that the schema refuses.

use crate::exchange::Probe;
use crate::finding::Found;
use crate::host::Host;
use crate::json::Node;
use crate::observed::Observed;
use crate::rule::{Check, Family, Rule, Severity, Subject};
use crate::server::Server;

pub(super) static RULES: [Rule; 4] = [
    Rule {
        id: "SPEC-IN-007",
        title: "arguments that the schema refuses are taken",
        subject: Subject::Input,
        family: Family::Specification,
        severity: Severity::Degraded,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/server/tools.mdx (Security Considerations)",
        date: "2026-07-28",
        consequence: "the tool runs with what its author never thought of; a misspelt argument is dropped without a word",
        fix: "hold the arguments against the schema that is published, without turning one type into another",
        check: Check::Server(taken),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-ERR-004",
        title: "wrong arguments are a protocol error",
        subject: Subject::Result,
        family: Family::Specification,
        severity: Severity::Degraded,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/server/tools.mdx (Error Handling)",
        date: "2026-07-28",
        consequence: "hosts may keep it from the model, which then can't mend its call",
        fix: "answer with a result that has \"isError\": true, and say what to change",
        note: Some(
            "The schema's text on InvalidParamsError lists invalid tool arguments, too; the page on tools says that they are tool execution errors, so that the model sees them.",
        ),
        check: Check::Server(channel),
        ..Rule::BASE
    },
    Rule {
        id: "QUA-ERR-001",
        title: "the error doesn't name the argument",
        subject: Subject::Result,
        family: Family::Quality,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/server/tools.mdx (Error Handling)",
        date: "2026-07-28",
        consequence: "the model has to guess what to change",
        fix: "name the argument, and say what is expected",
        check: Check::Server(unnamed),
        ..Rule::BASE
    },
    Rule {
        id: "CLD-RES-002",
        title: "wrong arguments get no message that helps",
        subject: Subject::Result,
        hosts: &[Host::ClaudeDirectory],
        severity: Severity::Rejects,
        source: "Connector pre-submission checklist, https://claude.com/docs/connectors/building/review-criteria",
        date: "2026-10-07",
        consequence: "fails review",
        fix: "refuse them, name the argument, and say what is expected",
        check: Check::Server(silent),
        ..Rule::BASE
    },
];

/// The calls that the server judged by their arguments: what the client can't do, and headers, come first.
fn calls<'a>(server: &Server<'a>) -> impl Iterator<Item = Observed<'a>> + use<'a> {
    server.probed(Probe::BadCall).filter(|it| !matches!(it.code(), Some(-32020.0 | -32021.0)))
}

fn is_taken(observed: &Observed<'_>) -> bool {
    let complete = |result: &Node| result.get("resultType").is_none_or(|kind| kind.as_str() == Some("complete"));
    let fine = |result: &Node| result.get("isError").and_then(Node::as_bool) != Some(true) && complete(result);
    observed.result().is_some_and(fine)
}

fn taken(server: &Server<'_>, found: &mut Found<'_>) {
    for observed in calls(server).filter(is_taken) {
        found.seen(server, &observed, observed.at(observed.result()), format!("taken: {}", observed.detail()));
    }
}

fn channel(server: &Server<'_>, found: &mut Found<'_>) {
    for observed in calls(server).filter(|it| it.error().is_some()) {
        found.seen(
            server,
            &observed,
            observed.at(observed.error()),
            format!("{}: this is an error of the protocol", observed.detail()),
        );
    }
}

/// The argument that is wrong, as the probe calls it.
fn argument<'a>(observed: &Observed<'a>) -> &'a str {
    observed.detail().split('`').nth(1).unwrap_or("haft_no_such_argument")
}

/// Whether what comes back names the argument.
fn names(observed: &Observed<'_>) -> bool {
    observed.answer().is_some_and(|answer| answer.text.contains(argument(observed)))
}

fn unnamed(server: &Server<'_>, found: &mut Found<'_>) {
    for observed in calls(server).filter(|it| it.answer().is_some() && !is_taken(it) && !names(it)) {
        let place = observed.at(observed.result().or(observed.error()));
        found.seen(
            server,
            &observed,
            place,
            format!("{}: the error doesn't name `{}`", observed.detail(), argument(&observed)),
        );
    }
}

fn silent(server: &Server<'_>, found: &mut Found<'_>) {
    for observed in calls(server).filter(|it| it.answer().is_some() && (is_taken(it) || !names(it))) {
        let what = if is_taken(&observed) { "taken without a word" } else { "the error doesn't name the argument" };
        found.seen(
            server,
            &observed,
            observed.at(observed.result().or(observed.error())),
            format!("{}: {what}", observed.detail()),
        );
    }
}
