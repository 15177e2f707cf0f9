//! The map of properties at the root.

use std::collections::HashSet;

use crate::finding::Found;
use crate::host::Host;
use crate::json::Node;
use crate::rule::{Blast, Check, Rule, Severity, Subject};
use crate::say::quoted;
use crate::tool::Tool;

pub(super) static RULES: [Rule; 2] = [
    Rule {
        id: "OAI-API-PROP",
        title: "the root has no `properties`",
        subject: Subject::Input,
        hosts: &[Host::OpenaiApi, Host::Portable],
        severity: Severity::Degraded,
        blast: Blast::Session,
        source: "openai/openai-agents-python src/agents/strict_schema.py and mcp/util.py @7f7a44f8 ; openai/codex \
                 codex-rs/tools/src/mcp_tool.rs",
        date: "2026-08-22",
        consequence: "HTTP 400 unless the host adds it (Codex, Agents SDK, Zed and VS Code add it)",
        fix: "write \"properties\": {} for a tool without arguments",
        note: Some(
            "Documented by the source code of the Agents SDK, which adds the map; so do Codex, Zed and VS \
                    Code. Only a host that adds nothing gets a refusal.",
        ),
        check: Check::Tool(missing),
        ..Rule::BASE
    },
    Rule {
        id: "VSC-IN-004",
        title: "`required` names a property that isn't there",
        subject: Subject::Input,
        hosts: &[Host::Vscode, Host::Portable],
        severity: Severity::Degraded,
        source: "microsoft/vscode-copilot-chat src/extension/tools/common/toolSchemaNormalizer.ts @31acd00a",
        date: "2026-03-28",
        consequence: "entry dropped",
        fix: "declare the property, or take its name out of `required`",
        check: Check::Tool(required),
        ..Rule::BASE
    },
];

fn missing(tool: &Tool<'_>, found: &mut Found<'_>) {
    let Some(schema) = tool.input() else { return };
    if schema.root.is_object() && !schema.root.get("properties").is_some_and(|it| it.is_object()) {
        found.at(tool.at(schema.root), "the root has no map of `properties`");
    }
}

fn required(tool: &Tool<'_>, found: &mut Found<'_>) {
    let Some(schema) = tool.input() else { return };
    for sub in schema.subs.iter().filter(|sub| sub.has("required") && sub.is("object")) {
        let declared: HashSet<&str> =
            sub.get("properties").map(Node::members).unwrap_or_default().iter().map(|it| &*it.name).collect();
        for entry in sub.get("required").map(Node::items).unwrap_or_default() {
            if let Some(name) = entry.as_str().filter(|name| !declared.contains(name)) {
                found.at(tool.at(entry), format!("{} is required, and not among the properties", quoted(name)));
            }
        }
    }
}
