//! Output schemas that clients can't use.

use crate::finding::Found;
use crate::host::Host;
use crate::rule::{Blast, Check, Confidence, Family, Rule, Severity, Subject};
use crate::say::quoted;
use crate::tool::Tool;

pub(super) static RULES: [Rule; 5] = [
    Rule {
        id: "SPEC-OUT-001",
        title: "the output schema is not an object schema",
        subject: Subject::Output,
        family: Family::Specification,
        severity: Severity::Advice,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/server/tools.mdx; changelog item 10",
        date: "2026-07-28",
        consequence: "allowed, but clients on older SDKs want an object",
        fix: "put the value into an object: {\"type\": \"object\", \"properties\": {\"items\": ...}}",
        check: Check::Tool(object),
        ..Rule::BASE
    },
    Rule {
        id: "SDK-OUT-001",
        title: "the output schema is not an object schema",
        subject: Subject::Output,
        hosts: &[Host::TypescriptSdk, Host::Portable],
        severity: Severity::Degraded,
        blast: Blast::Server,
        confidence: Confidence::Reported,
        source: "opentokenz/mcpx#28",
        date: "2026-09-21",
        consequence: "Zod error on the whole tools/list: all tools lost",
        fix: "put the value into an object: {\"type\": \"object\", \"properties\": {\"items\": ...}}",
        note: Some(
            "Since 2026-07-28 the root may be of any type; clients on version 1 of the TypeScript SDK lose \
                    the whole list over it. Safe: an object.",
        ),
        check: Check::Tool(object),
        ..Rule::BASE
    },
    Rule {
        id: "CLA-OUT-001",
        title: "the output schema names another dialect than 2020-12",
        subject: Subject::Output,
        hosts: &[Host::ClaudeApp, Host::ClaudeCode, Host::Portable],
        severity: Severity::Degraded,
        confidence: Confidence::Reported,
        source: "anthropics/claude-ai-mcp#1016; modelcontextprotocol/typescript-sdk#2532, #2721, PR 2534; \
                 perplexityai/modelcontextprotocol#132",
        date: "2026-09-12",
        consequence: "every call refused before sending: 'unsupported dialect'",
        fix: "leave `$schema` out",
        note: Some(
            "The specification allows declared dialects; the validator in Claude's apps refuses all but \
                    2020-12. Safe: no `$schema`.",
        ),
        check: Check::Tool(dialect),
        ..Rule::BASE
    },
    Rule {
        id: "SDK-IN-001",
        title: "`additionalProperties` is a schema",
        subject: Subject::Output,
        hosts: &[Host::TypescriptSdk],
        severity: Severity::Degraded,
        blast: Blast::Server,
        confidence: Confidence::Reported,
        source: "PrefectHQ/fastmcp#2459; openai/codex PR 4454 (fixed 2025-09-29); \
                 googleanalytics/google-analytics-mcp PR 129",
        date: "2026-03-30",
        consequence: "'Expected boolean, received object'",
        fix: "write true or false, or list the properties",
        check: Check::Tool(additional),
        ..Rule::BASE
    },
    Rule {
        id: "LIB-OUT-001",
        title: "the description doesn't say what comes back",
        subject: Subject::Output,
        hosts: &[Host::Librechat],
        severity: Severity::Degraded,
        confidence: Confidence::Reported,
        source: "danny-avila/LibreChat#10879",
        date: "2025-12-10",
        consequence: "outputSchema never shown to the model",
        fix: "say in the description what the tool returns",
        check: Check::Tool(unsaid),
        ..Rule::BASE
    },
];

fn object(tool: &Tool<'_>, found: &mut Found<'_>) {
    let Some(schema) = tool.output().filter(|schema| schema.root.is_object()) else { return };
    let kind = schema.root.get("type");
    if kind.and_then(|kind| kind.as_str()) != Some("object") {
        found.at(tool.at(kind.unwrap_or(schema.root)), "the root of `outputSchema` isn't \"type\": \"object\"");
    }
}

fn dialect(tool: &Tool<'_>, found: &mut Found<'_>) {
    let Some(named) = tool.output().and_then(|schema| schema.root.get("$schema")) else { return };
    let uri = named.as_str().unwrap_or_default();
    if uri.trim_end_matches('#') != "https://json-schema.org/draft/2020-12/schema" {
        found.at(tool.at(named), format!("`$schema` is {}", quoted(uri)));
    }
}

fn additional(tool: &Tool<'_>, found: &mut Found<'_>) {
    let Some(schema) = tool.output() else { return };
    for node in schema.uses("additionalProperties").filter(|node| node.is_object()) {
        found.at(tool.at(node), "`additionalProperties` is a schema, not a boolean");
    }
}

fn unsaid(tool: &Tool<'_>, found: &mut Found<'_>) {
    const SAYS: [&str; 9] = ["return", "result", "output", "respon", "answer", "yield", "give", "list", "show"];
    let description = tool.description().to_lowercase();
    if tool.output().is_some() && !SAYS.iter().any(|word| description.contains(word)) {
        found.at(
            tool.place(&["description"]),
            "there is an output schema, which LibreChat's model never sees, and the description says nothing of it",
        );
    }
}
