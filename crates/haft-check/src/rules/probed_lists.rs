//! Lists, asked for again and again.

use crate::exchange::Probe;
use crate::finding::Found;
use crate::json::Node;
use crate::observed::Observed;
use crate::rule::{Blast, Check, Family, Rule, Severity, Subject};
use crate::server::Server;

pub(super) static RULES: [Rule; 8] = [
    Rule {
        id: "SPEC-LIST-002",
        title: "the list differs each time",
        subject: Subject::Answers,
        family: Family::Specification,
        severity: Severity::Degraded,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/server/tools.mdx (Capabilities); changelog minor 3",
        date: "2026-07-28",
        consequence: "prompt-cache misses: the user pays for the whole list each time",
        fix: "send the tools in the same order, with the same bytes, as long as they are the same",
        check: Check::Server(order),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-LIST-003",
        title: "the tools depend on what was asked before",
        subject: Subject::Answers,
        family: Family::Specification,
        severity: Severity::Degraded,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/server/tools.mdx (Capabilities); basic/index.mdx (Statelessness)",
        date: "2026-07-28",
        consequence: "clients that keep the list call tools that are gone, or never see new ones",
        fix: "send the same tools on each connection, whatever was called; let only the authorization decide",
        check: Check::Server(set),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-LIST-004",
        title: "a list has no caching hints",
        subject: Subject::Answers,
        family: Family::Specification,
        severity: Severity::Rejects,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/server/utilities/caching.mdx (Cacheable Results)",
        date: "2026-07-28",
        consequence: "clients that hold the schema against it refuse the list",
        fix: "send `ttlMs`, a number of 0 or more, and `cacheScope`, \"public\" or \"private\", with every list",
        check: Check::Server(hints),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-STATE-001",
        title: "requests are served only after others",
        subject: Subject::Answers,
        family: Family::Specification,
        severity: Severity::Rejects,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/basic/index.mdx (Statelessness); basic/versioning.mdx (Protocol Version Negotiation)",
        date: "2026-07-28",
        consequence: "clients that ask for the list right away get none",
        fix: "take from each request's own `_meta` what there is to know",
        check: Check::Server(state),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-PAGE-001",
        title: "a cursor that was never given is taken",
        subject: Subject::Answers,
        family: Family::Specification,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/server/utilities/pagination.mdx (Error Handling)",
        date: "2026-07-28",
        consequence: "a client whose cursor has expired reads the first page again, and doesn't know",
        fix: "answer with -32602",
        check: Check::Server(cursor),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-PAGE-002",
        title: "the pages don't make a list",
        subject: Subject::Answers,
        family: Family::Specification,
        severity: Severity::Degraded,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/server/utilities/pagination.mdx (Response Format); server/utilities/caching.mdx (Interaction with Pagination); schema PaginatedResult",
        date: "2026-07-28",
        consequence: "clients read on without end, lose what follows, or keep it for others",
        fix: "send `nextCursor`, a string that is new each time, only where something follows, and one `cacheScope` for all pages",
        check: Check::Server(pages),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-CAP-002",
        title: "tools are listed, but the capability is not declared",
        subject: Subject::Answers,
        family: Family::Specification,
        severity: Severity::Degraded,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/server/tools.mdx (Capabilities)",
        date: "2026-07-28",
        consequence: "clients that go by the capabilities never ask for the list",
        fix: "declare `capabilities.tools`",
        check: Check::Server(declared),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-CAP-003",
        title: "a capability is declared, but not served",
        subject: Subject::Answers,
        family: Family::Specification,
        severity: Severity::Degraded,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/server/prompts.mdx (Capabilities); server/resources.mdx (Capabilities)",
        date: "2026-07-28",
        consequence: "clients show an error for a list that should be there",
        fix: "serve the list, or don't declare the capability",
        check: Check::Server(unserved),
        ..Rule::BASE
    },
];

/// The tools of a list, and their names.
fn tools<'a>(observed: &Observed<'a>) -> Option<&'a Node> {
    observed.result()?.get("tools")
}

fn names(tools: &Node) -> Vec<&str> {
    let mut names: Vec<&str> = tools.items().iter().filter_map(|tool| tool.get("name")?.as_str()).collect();
    names.sort_unstable();
    names
}

fn text<'a>(observed: &Observed<'a>, node: &Node) -> &'a str {
    observed.answer().and_then(|answer| answer.text.get(node.span.clone())).unwrap_or_default()
}

/// The first page of the list as it was read first, in the same era.
fn first<'a>(server: &Server<'a>, of: &Observed<'a>) -> Option<Observed<'a>> {
    server.probed(Probe::List).find(|it| it.is_modern() == of.is_modern() && it.result().is_some())
}

fn order(server: &Server<'_>, found: &mut Found<'_>) {
    for again in server.probed(Probe::ListAgain) {
        let Some((before, now)) = first(server, &again).and_then(|first| Some((first, tools(&again)?))) else {
            continue;
        };
        let Some(then) = tools(&before) else { continue };
        let what = if text(&before, then) == text(&again, now) {
            continue;
        } else if names(then) != names(now) {
            "the second list has other tools than the first"
        } else if then
            .items()
            .iter()
            .map(|it| it.get("name").and_then(Node::as_str))
            .ne(now.items().iter().map(|it| it.get("name").and_then(Node::as_str)))
        {
            "the second list has the same tools in another order"
        } else {
            "the second list has the same tools, written in another way"
        };
        found.seen(server, &again, again.at(Some(now)), what);
    }
}

fn set(server: &Server<'_>, found: &mut Found<'_>) {
    for (probe, when) in [(Probe::ListAfterCalls, "after the calls"), (Probe::ListFirst, "on a new connection")] {
        for again in server.probed(probe) {
            let Some((then, now)) = first(server, &again).as_ref().and_then(tools).zip(tools(&again)) else { continue };
            let (before, after) = (names(then), names(now));
            let gone = before.iter().filter(|name| !after.contains(name));
            let new = after.iter().filter(|name| !before.contains(name));
            let changed: Vec<&str> = gone.chain(new).copied().collect();
            if !changed.is_empty() {
                let what = format!("{when} the list differs in {}", crate::say::list(changed));
                found.seen(server, &again, again.at(Some(now)), what);
            }
        }
    }
}

fn hints(server: &Server<'_>, found: &mut Found<'_>) {
    for observed in server.probed(Probe::OtherList) {
        let Some(result) = observed.result() else { continue };
        if result.get("ttlMs").and_then(Node::as_f64).is_none_or(|ttl| ttl < 0.0) {
            found.seen(
                server,
                &observed,
                observed.at(Some(result.get("ttlMs").unwrap_or(result))),
                "there is no `ttlMs` of 0 or more",
            );
        } else if !matches!(result.get("cacheScope").and_then(Node::as_str), Some("public" | "private")) {
            let place = observed.at(Some(result.get("cacheScope").unwrap_or(result)));
            found.seen(server, &observed, place, "there is no `cacheScope` \"public\" or \"private\"");
        }
    }
}

fn state(server: &Server<'_>, found: &mut Found<'_>) {
    for observed in server.probed(Probe::ListFirst).filter(|it| it.error().is_some()) {
        if first(server, &observed).is_some() {
            found.seen(
                server,
                &observed,
                observed.at(observed.error()),
                "as the first message this is refused; later it is served",
            );
        }
    }
}

fn cursor(server: &Server<'_>, found: &mut Found<'_>) {
    for observed in server.probed(Probe::BadCursor) {
        let what = match (observed.result(), observed.code()) {
            (Some(_), _) => "the cursor `haft-no-such-cursor` gives a list".to_owned(),
            (None, Some(code)) if code != -32602.0 => format!("the code is {code}, not -32602"),
            _ => continue,
        };
        found.seen(server, &observed, observed.at(observed.result().or(observed.error())), what);
    }
}

fn pages(server: &Server<'_>, found: &mut Found<'_>) {
    let (mut seen, mut scope) = (Vec::new(), None);
    for observed in server.exchanges().filter(|it| it.is(Probe::List) || it.is(Probe::Page)) {
        let Some(result) = observed.result() else { continue };
        if observed.is(Probe::List) {
            seen.clear();
            scope = None;
        }
        let (next, here) = (result.get("nextCursor"), result.get("cacheScope").and_then(Node::as_str));
        let cursor = next.and_then(Node::as_str);
        if next.is_some() && cursor.is_none() {
            found.seen(server, &observed, observed.at(next), "`nextCursor` isn't a string");
        } else if cursor.is_some_and(|cursor| seen.contains(&cursor)) {
            found.seen(server, &observed, observed.at(next), "`nextCursor` is one that was given before");
        } else if scope.is_some_and(|scope| here != scope) {
            found.seen(
                server,
                &observed,
                observed.at(result.get("cacheScope")),
                "`cacheScope` isn't that of the first page",
            );
        }
        seen.extend(cursor);
        scope.get_or_insert(here);
    }
}

fn tools_declared(server: &Server<'_>) -> bool {
    server
        .probed(Probe::Discover)
        .any(|it| it.result().is_some_and(|result| result.find(&["capabilities", "tools"]).is_some()))
}

fn declared(server: &Server<'_>, found: &mut Found<'_>) {
    let Some(discover) = server.probed(Probe::Discover).find(|it| it.result().is_some()) else { return };
    let listed = server
        .probed(Probe::List)
        .any(|it| it.is_modern() && tools(&it).is_some_and(|tools| !tools.items().is_empty()));
    if listed && !tools_declared(server) {
        let capabilities = discover.result().and_then(|result| result.get("capabilities"));
        found.seen(server, &discover, discover.at(capabilities), "there is no `tools`");
    }
}

fn unserved(server: &Server<'_>, found: &mut Found<'_>) {
    for observed in server.probed(Probe::OtherList).filter(|it| it.code() == Some(-32601.0)) {
        if matches!(observed.detail(), "prompts/list" | "resources/list") {
            found.seen(
                server,
                &observed,
                observed.at(observed.error()),
                format!("`{}` is no method of the server", observed.detail()),
            );
        }
    }
}
