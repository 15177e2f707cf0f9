//! The content of results.

use crate::exchange::Probe;
use crate::finding::Found;
use crate::host::Host;
use crate::json::Node;
use crate::observed::Observed;
use crate::rule::{Check, Family, Rule, Severity, Subject};
use crate::say::quoted;
use crate::server::Server;

pub(super) static RULES: [Rule; 4] = [
    Rule {
        id: "SPEC-RES-004",
        title: "the content is not of the form that results have",
        subject: Subject::Result,
        family: Family::Specification,
        severity: Severity::Rejects,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/server/tools.mdx (Tool Result); schema CallToolResult, ContentBlock",
        date: "2026-07-28",
        consequence: "clients that hold the schema against it throw the result away",
        fix: "send `content`, an array, and in each block what its type requires",
        check: Check::Server(form),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-RES-002",
        title: "the structured content is not there as text",
        subject: Subject::Result,
        family: Family::Specification,
        severity: Severity::Degraded,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/server/tools.mdx (Structured Content)",
        date: "2026-07-28",
        consequence: "hosts that show text alone see nothing",
        fix: "send the structured content as JSON, or a text that says the same, in a text block",
        check: Check::Server(mirrored),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-CAP-004",
        title: "a resource is embedded, but the capability is not declared",
        subject: Subject::Result,
        family: Family::Specification,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/server/tools.mdx (Embedded Resources)",
        date: "2026-07-28",
        consequence: "clients can't read the resource again",
        fix: "declare `capabilities.resources`, and serve `resources/read`",
        check: Check::Server(embedded),
        ..Rule::BASE
    },
    Rule {
        id: "VSC-RES-002",
        title: "no block is meant for the model",
        subject: Subject::Result,
        hosts: &[Host::Vscode],
        severity: Severity::Degraded,
        source: "microsoft/vscode src/vs/workbench/contrib/mcp/common/mcpLanguageModelToolContribution.ts @027907cb",
        date: "2026-01-01",
        consequence: "facts lost: items without the audience 'assistant' are hidden from the model",
        fix: "leave `annotations.audience` out, or put \"assistant\" into it",
        check: Check::Server(audience),
        ..Rule::BASE
    },
];

/// What a block of each type must have.
const BLOCKS: [(&str, &[&[&str]]); 5] = [
    ("text", &[&["text"]]),
    ("image", &[&["data"], &["mimeType"]]),
    ("audio", &[&["data"], &["mimeType"]]),
    ("resource_link", &[&["uri"], &["name"]]),
    ("resource", &[&["resource", "uri"]]),
];

/// The results of calls that came to their end.
fn results<'a>(server: &Server<'a>) -> impl Iterator<Item = (Observed<'a>, &'a Node)> + use<'a> {
    let calls = server.exchanges().filter(|it| it.is(Probe::GoodCall) || it.is(Probe::BadCall));
    let complete = |result: &&Node| result.get("resultType").is_none_or(|kind| kind.as_str() == Some("complete"));
    calls.filter_map(move |it| Some((it, it.result().filter(complete)?)))
}

fn form(server: &Server<'_>, found: &mut Found<'_>) {
    for (observed, result) in results(server) {
        let Some(content) = result.get("content").filter(|content| content.is_array()) else {
            let place = observed.at(Some(result.get("content").unwrap_or(result)));
            found.seen(server, &observed, place, "there is no array `content`");
            continue;
        };
        for block in content.items() {
            if let Some(what) = broken(block) {
                found.seen(server, &observed, observed.at(Some(block)), what);
            }
        }
    }
}

fn broken(block: &Node) -> Option<String> {
    let kind = block.get("type").and_then(Node::as_str);
    let Some((_, members)) = BLOCKS.iter().find(|(name, _)| Some(*name) == kind) else {
        return Some(
            kind.map_or("the block has no `type`".to_owned(), |kind| {
                format!("no block is of the type {}", quoted(kind))
            }),
        );
    };
    let missing = members.iter().find(|path| block.find(path).and_then(Node::as_str).is_none());
    missing.map(|path| format!("the block has no string `{}`", path.join(".")))
}

fn mirrored(server: &Server<'_>, found: &mut Found<'_>) {
    for (observed, result) in results(server) {
        let Some(content) = result.get("structuredContent") else { continue };
        let texts = result.get("content").map(Node::items).unwrap_or_default();
        let said = |block: &Node| block.get("text").and_then(Node::as_str).is_some_and(|text| !text.trim().is_empty());
        if !texts.iter().any(said) {
            found.seen(server, &observed, observed.at(Some(content)), "there is structured content, and no text");
        }
    }
}

fn embedded(server: &Server<'_>, found: &mut Found<'_>) {
    let greetings = server.exchanges().filter(|it| it.is(Probe::Discover) || it.is(Probe::Initialize));
    let mut capabilities = greetings.filter_map(|it| it.result()?.get("capabilities")).peekable();
    if capabilities.peek().is_none() || capabilities.any(|it| it.get("resources").is_some()) {
        return;
    }
    for (observed, result) in results(server) {
        let blocks = result.get("content").map(Node::items).unwrap_or_default();
        let resource = blocks.iter().find(|block| block.get("type").and_then(Node::as_str) == Some("resource"));
        if let Some(block) = resource {
            found.seen(server, &observed, observed.at(Some(block)), "the server declares no `resources`");
        }
    }
}

fn audience(server: &Server<'_>, found: &mut Found<'_>) {
    for (observed, result) in results(server) {
        let blocks = result.get("content").map(Node::items).unwrap_or_default();
        let hidden = |block: &Node| {
            let audience = block.find(&["annotations", "audience"]).map(Node::items);
            audience.is_some_and(|audience| audience.iter().all(|role| role.as_str() != Some("assistant")))
        };
        // What is structured is sent in place of all blocks.
        let all = !blocks.is_empty() && blocks.iter().all(hidden) && result.get("structuredContent").is_none();
        if let Some(first) = blocks.first().filter(|_| all) {
            found.seen(
                server,
                &observed,
                observed.at(first.find(&["annotations", "audience"])),
                "all blocks are for the user alone",
            );
        }
    }
}
