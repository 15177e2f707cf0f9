//! Discovery, versions and handshakes.

use crate::exchange::Probe;
use crate::finding::Found;
use crate::json::Node;
use crate::observed::Observed;
use crate::rule::{Blast, Check, Family, Rule, Severity, Subject};
use crate::say::quoted;
use crate::server::Server;

pub(super) static RULES: [Rule; 9] = [
    Rule {
        id: "SPEC-VER-001",
        title: "`server/discover` is not served",
        subject: Subject::Answers,
        family: Family::Specification,
        severity: Severity::Rejects,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/basic/versioning.mdx (Protocol Version Negotiation); server/discover.mdx",
        date: "2026-07-28",
        consequence: "clients hold the server to be an old one, and greet it with `initialize`",
        fix: "answer `server/discover` with `supportedVersions` and `capabilities`",
        check: Check::Server(discover),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-VER-002",
        title: "the server doesn't speak 2026-07-28",
        subject: Subject::Answers,
        family: Family::Specification,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/basic/versioning.mdx (Compatibility Matrix)",
        date: "2026-07-28",
        consequence: "clients of that revision alone can't use it",
        fix: "update to an SDK that serves both",
        check: Check::Server(old),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-VER-003",
        title: "an unknown version is not refused as it should be",
        subject: Subject::Answers,
        family: Family::Specification,
        severity: Severity::Degraded,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/basic/versioning.mdx (Protocol Version Negotiation); schema UnsupportedProtocolVersionError",
        date: "2026-07-28",
        consequence: "clients of other versions can't find out which one both speak",
        fix: "answer with -32022, `data.supported` and `data.requested`; over HTTP with the status 400",
        check: Check::Server(unknown),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-VER-004",
        title: "`initialize` is refused without a word on versions",
        subject: Subject::Answers,
        family: Family::Specification,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/basic/versioning.mdx (Backward Compatibility with Initialization-Based Versions)",
        date: "2026-07-28",
        consequence: "users of older clients never learn what is the matter",
        fix: "name the versions that the server supports in the error",
        check: Check::Server(unnamed),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-VER-005",
        title: "neither `server/discover` nor `initialize` succeeds",
        subject: Subject::Answers,
        family: Family::Specification,
        severity: Severity::Rejects,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/basic/versioning.mdx (Compatibility Matrix)",
        date: "2026-07-28",
        consequence: "no client can use the server",
        fix: "see that the command starts a server, or that the URL is its endpoint",
        check: Check::Server(neither),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-DISC-001",
        title: "the discover result is incomplete",
        subject: Subject::Answers,
        family: Family::Specification,
        severity: Severity::Rejects,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/server/discover.mdx (DiscoverResult); schema DiscoverResult",
        date: "2026-07-28",
        consequence: "clients can't read it",
        fix: "send `supportedVersions`, a list that has 2026-07-28, and `capabilities`, an object",
        check: Check::Server(incomplete),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-LEG-001",
        title: "the answer to `initialize` is incomplete",
        subject: Subject::Answers,
        family: Family::Specification,
        severity: Severity::Degraded,
        blast: Blast::Server,
        source: "MCP spec 2025-11-25, docs/specification/2025-11-25/basic/lifecycle.mdx (Initialization)",
        date: "2025-11-25",
        consequence: "clients of older revisions end the connection",
        fix: "send `protocolVersion`, `capabilities`, and `serverInfo` with `name` and `version`",
        check: Check::Server(greeting),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-LEG-002",
        title: "`initialize` with an unknown version is not answered with a known one",
        subject: Subject::Answers,
        family: Family::Specification,
        severity: Severity::Degraded,
        blast: Blast::Server,
        source: "MCP spec 2025-11-25, docs/specification/2025-11-25/basic/lifecycle.mdx (Version Negotiation)",
        date: "2025-11-25",
        consequence: "clients of other versions can't connect",
        fix: "answer with another version, the latest that the server supports",
        check: Check::Server(greeting_unknown),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-LEG-003",
        title: "there is no list after `initialize`",
        subject: Subject::Answers,
        family: Family::Specification,
        severity: Severity::Degraded,
        blast: Blast::Server,
        source: "MCP spec 2025-11-25, docs/specification/2025-11-25/server/tools.mdx (Listing Tools)",
        date: "2025-11-25",
        consequence: "clients of older revisions see no tools",
        fix: "serve `tools/list` after the handshake, or refuse `initialize`",
        check: Check::Server(list_after),
        ..Rule::BASE
    },
];

const MODERN: &str = "2026-07-28";

fn discover(server: &Server<'_>, found: &mut Found<'_>) {
    for observed in server.probed(Probe::Discover).filter(|it| it.result().is_none() && server.speaks_modern()) {
        found.seen(
            server,
            &observed,
            observed.at(observed.error()),
            "requests of 2026-07-28 are served, but not this one",
        );
    }
}

fn old(server: &Server<'_>, found: &mut Found<'_>) {
    if server.speaks_modern() || !server.speaks_legacy() {
        return;
    }
    for observed in server.probed(Probe::Initialize).filter(|it| it.result().is_some()) {
        let version = observed.result().and_then(|result| result.get("protocolVersion"));
        let says =
            version.and_then(Node::as_str).map(|it| format!("; its version is {}", quoted(it))).unwrap_or_default();
        found.seen(server, &observed, observed.at(version), format!("only `initialize` is answered{says}"));
    }
}

fn unknown(server: &Server<'_>, found: &mut Found<'_>) {
    for observed in server.probed(Probe::UnsupportedVersion) {
        let error = observed.error();
        let data = |name: &str| error.and_then(|error| error.find(&["data", name]));
        let what = match (observed.answer(), observed.code(), observed.status()) {
            (None, ..) => continue,
            (Some(_), None, _) => "a request of the version 1900-01-01 is served".to_owned(),
            (_, Some(code), _) if code != -32022.0 => format!("the code is {code}, not -32022"),
            (_, _, Some(status)) if status != 400 => format!("the status is {status}, not 400"),
            _ if !data("supported").is_some_and(Node::is_array) => "there is no `data.supported`".to_owned(),
            _ if data("requested").and_then(Node::as_str).is_none() => "there is no `data.requested`".to_owned(),
            _ => continue,
        };
        found.seen(server, &observed, observed.at(error.or(observed.result())), what);
    }
}

fn unnamed(server: &Server<'_>, found: &mut Found<'_>) {
    for observed in server.probed(Probe::Initialize).filter(|_| server.speaks_modern()) {
        let (Some(error), Some(answer)) = (observed.error(), observed.answer()) else { continue };
        if !answer.text.get(error.span.clone()).unwrap_or(answer.text).contains(MODERN) {
            found.seen(server, &observed, observed.at(Some(error)), format!("the error doesn't name {MODERN}"));
        }
    }
}

fn neither(server: &Server<'_>, found: &mut Found<'_>) {
    if server.speaks_modern() || server.speaks_legacy() {
        return;
    }
    let answer = |observed: &Observed<'_>| match (observed.code(), observed.status()) {
        (Some(code), _) => format!("the answer is the error {code}"),
        (None, Some(status)) => format!("the status is {status}"),
        (None, None) => "nothing came".to_owned(),
    };
    for observed in server.probed(Probe::Initialize) {
        found.seen(server, &observed, observed.at(observed.error()), answer(&observed));
    }
}

fn incomplete(server: &Server<'_>, found: &mut Found<'_>) {
    for observed in server.probed(Probe::Discover) {
        let Some(result) = observed.result() else { continue };
        let versions = result.get("supportedVersions");
        let has = |versions: &Node| versions.items().iter().any(|version| version.as_str() == Some(MODERN));
        if !versions.is_some_and(has) {
            found.seen(
                server,
                &observed,
                observed.at(Some(versions.unwrap_or(result))),
                format!("`supportedVersions` has no {MODERN}"),
            );
        }
        if !result.get("capabilities").is_some_and(Node::is_object) {
            let place = observed.at(Some(result.get("capabilities").unwrap_or(result)));
            found.seen(server, &observed, place, "there is no object `capabilities`");
        }
    }
}

fn greeting(server: &Server<'_>, found: &mut Found<'_>) {
    for observed in server.probed(Probe::Initialize) {
        let Some(result) = observed.result() else { continue };
        let text = |path: &[&str]| result.find(path).and_then(Node::as_str).is_some();
        for (there, what) in [
            (text(&["protocolVersion"]), "`protocolVersion`"),
            (result.get("capabilities").is_some_and(Node::is_object), "`capabilities`"),
            (text(&["serverInfo", "name"]), "`serverInfo.name`"),
            (text(&["serverInfo", "version"]), "`serverInfo.version`"),
        ] {
            if !there {
                found.seen(server, &observed, observed.at(Some(result)), format!("there is no {what}"));
            }
        }
    }
}

fn greeting_unknown(server: &Server<'_>, found: &mut Found<'_>) {
    for observed in server.probed(Probe::InitializeUnknown).filter(|it| it.answer().is_some()) {
        let version = observed.result().and_then(|result| result.get("protocolVersion"));
        let what = match (observed.error(), version.and_then(Node::as_str)) {
            (Some(_), _) => "the answer is an error",
            (None, Some("1900-01-01")) => "the version 1900-01-01 is taken",
            (None, Some(_)) => continue,
            (None, None) => "there is no `protocolVersion`",
        };
        found.seen(server, &observed, observed.at(observed.error().or(version)), what);
    }
}

fn list_after(server: &Server<'_>, found: &mut Found<'_>) {
    if !server.speaks_legacy() {
        return;
    }
    for observed in server.probed(Probe::List).filter(|it| !it.is_modern() && it.error().is_some()) {
        found.seen(server, &observed, observed.at(observed.error()), "the list is refused");
    }
}
