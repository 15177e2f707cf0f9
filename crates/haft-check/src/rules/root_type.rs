//! An input schema is an object schema.

use crate::finding::Found;
use crate::host::Host;
use crate::rule::{Blast, Check, Family, Rule, Severity, Subject};
use crate::tool::Tool;

pub(super) static RULES: [Rule; 2] = [
    Rule {
        id: "SPEC-IN-001",
        title: "the input schema is not an object schema",
        subject: Subject::Input,
        family: Family::Specification,
        severity: Severity::Rejects,
        blast: Blast::Server,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/server/tools.mdx; schema/2026-07-28/schema.ts \
                 Tool.inputSchema",
        date: "2026-07-28",
        consequence: "strict clients fail the whole tools/list",
        fix: "write {\"type\": \"object\", \"properties\": {...}}; for a tool without arguments {\"type\": \
              \"object\", \"additionalProperties\": false}",
        check: Check::Tool(check),
        ..Rule::BASE
    },
    Rule {
        id: "CDX-IN-003",
        title: "the root of the input schema has the type null",
        subject: Subject::Input,
        hosts: &[Host::Codex],
        severity: Severity::Rejects,
        source: "openai/codex codex-rs/tools/src/json_schema (mod.rs + compaction.rs, newest stored version)",
        date: "2026-06-01",
        consequence: "tool not registered",
        fix: "write {\"type\": \"object\", \"properties\": {...}}",
        check: Check::Tool(null),
        ..Rule::BASE
    },
];

fn check(tool: &Tool<'_>, found: &mut Found<'_>) {
    let Some(schema) = tool.input() else {
        found.at(tool.place(&[]), "there is no `inputSchema`");
        return;
    };
    let root = schema.root;
    if !root.is_object() {
        found.at(tool.at(root), format!("`inputSchema` is {}, not an object", root.kind()));
        return;
    }
    match root.get("type") {
        None => found.at(tool.at(root), "the root of `inputSchema` has no `type`; it has to be \"object\""),
        Some(kind) if kind.as_str() != Some("object") => {
            found.at(tool.at(kind), "the `type` at the root of `inputSchema` has to be \"object\"");
        }
        Some(_) => {}
    }
}

fn null(tool: &Tool<'_>, found: &mut Found<'_>) {
    let kind = tool.input().and_then(|schema| schema.root.get("type"));
    if let Some(kind) = kind.filter(|kind| kind.as_str() == Some("null")) {
        found.at(tool.at(kind), "the root has the type \"null\"");
    }
}
