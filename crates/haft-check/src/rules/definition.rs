//! A definition is an object of the shape that the specification gives it.

use crate::finding::Found;
use crate::json::Node;
use crate::rule::{Blast, Check, Family, Rule, Severity, Subject};
use crate::say::quoted;
use crate::tool::Tool;

pub(super) static RULES: [Rule; 2] = [
    Rule {
        id: "SPEC-TOOL-001",
        title: "the definition has no name",
        subject: Subject::Name,
        family: Family::Specification,
        severity: Severity::Rejects,
        blast: Blast::Server,
        source: "MCP 2026-07-28, schema.ts, Tool.name",
        date: "2026-07-28",
        consequence: "a client that validates the list loses all of it",
        fix: "give every tool a name, a string of 1 to 128 characters",
        check: Check::Tool(name),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-TOOL-002",
        title: "a member of the definition has the wrong type",
        subject: Subject::Tool,
        family: Family::Specification,
        severity: Severity::Rejects,
        blast: Blast::Server,
        source: "MCP 2026-07-28, schema.ts, Tool and ToolAnnotations",
        date: "2026-07-28",
        consequence: "a client that validates the list loses all of it",
        fix: "send the member as the type that the schema of the protocol gives it, or leave it out",
        check: Check::Tool(members),
        ..Rule::BASE
    },
];

fn name(tool: &Tool<'_>, found: &mut Found<'_>) {
    if !tool.node.is_object() {
        found.at(tool.place(&[]), format!("the definition is {}, not an object", tool.node.kind()));
        return;
    }
    match tool.node.get("name") {
        None => found.at(tool.place(&[]), "there is no `name`"),
        Some(name) if name.as_str().is_none() => {
            found.at(tool.at(name), format!("`name` is {}, not a string", name.kind()));
        }
        Some(_) => {}
    }
}

/// A way through members, what is asked of the value at its end, and whether it is so.
type Asked = (&'static [&'static str], &'static str, fn(&Node) -> bool);

const MEMBERS: [Asked; 11] = [
    (&["title"], "a string", |it| it.as_str().is_some()),
    (&["description"], "a string", |it| it.as_str().is_some()),
    (&["icons"], "an array", Node::is_array),
    (&["_meta"], "an object", Node::is_object),
    (&["outputSchema"], "an object", Node::is_object),
    (&["annotations"], "an object", Node::is_object),
    (&["annotations", "title"], "a string", |it| it.as_str().is_some()),
    (&["annotations", "readOnlyHint"], "a boolean", |it| it.as_bool().is_some()),
    (&["annotations", "destructiveHint"], "a boolean", |it| it.as_bool().is_some()),
    (&["annotations", "idempotentHint"], "a boolean", |it| it.as_bool().is_some()),
    (&["annotations", "openWorldHint"], "a boolean", |it| it.as_bool().is_some()),
];

fn members(tool: &Tool<'_>, found: &mut Found<'_>) {
    for (path, wanted, is_so) in MEMBERS {
        if let Some(value) = tool.node.find(path).filter(|value| !is_so(value)) {
            let name = quoted(path.last().copied().unwrap_or_default());
            found.at(tool.at(value), format!("{name} is {}, not {wanted}", value.kind()));
        }
    }
}
