//! Schemas are valid in the dialects that hosts validate them in.

use haft_schema::keyword_problems;

use crate::finding::Found;
use crate::host::Host;
use crate::json::Node;
use crate::rule::{Blast, Check, Confidence, Family, Rule, Severity, Subject};
use crate::schema::{Part, Schema};
use crate::tool::Tool;

pub(super) static RULES: [Rule; 4] = [
    Rule {
        id: "SPEC-IN-002",
        title: "the input schema is not valid in its dialect",
        subject: Subject::Input,
        family: Family::Specification,
        severity: Severity::Rejects,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/basic/index.mdx JSON Schema Usage",
        date: "2026-07-28",
        consequence: "client must return an error for an unsupported dialect",
        fix: "follow the dialect that `$schema` names; without `$schema` that is JSON Schema 2020-12",
        check: Check::Tool(|tool, found| own(tool, Part::Input, found)),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-OUT-002",
        title: "the output schema is not valid in its dialect",
        subject: Subject::Output,
        family: Family::Specification,
        severity: Severity::Rejects,
        source: "MCP 2026-07-28, basic/index (Schema Validation): schemas MUST be valid according to their dialect",
        date: "2026-07-28",
        consequence: "a client can't check results, or refuses the tool",
        fix: "follow the dialect that `$schema` names; without `$schema` that is JSON Schema 2020-12",
        check: Check::Tool(|tool, found| own(tool, Part::Output, found)),
        ..Rule::BASE
    },
    Rule {
        id: "CLA-IN-003",
        title: "the input schema is not valid JSON Schema 2020-12",
        subject: Subject::Input,
        hosts: &[Host::ClaudeApi, Host::ClaudeApp, Host::Portable],
        severity: Severity::Degraded,
        blast: Blast::Session,
        confidence: Confidence::Reported,
        source: "anthropics/claude-code#586; kintone/mcp-server#547; Dokploy/mcp#10; boshyxd/robloxstudio-mcp#69",
        date: "2026-08-13",
        consequence: "HTTP 400 'It must match JSON Schema draft 2020-12'; whole session fails",
        fix: "write it so that it is valid JSON Schema 2020-12, and leave `$schema` out",
        check: Check::Tool(|tool, found| read_as(tool, "https://json-schema.org/draft/2020-12/schema", found)),
        ..Rule::BASE
    },
    Rule {
        id: "VSC-IN-001",
        title: "the input schema is not valid under draft-07",
        subject: Subject::Input,
        hosts: &[Host::Vscode, Host::Portable],
        severity: Severity::Rejects,
        source: "microsoft/vscode src/vs/workbench/contrib/mcp/common/mcpServer.ts @0052d689 _normalizeTool",
        date: "2026-01-01",
        consequence: "tool omitted; notification 'has tools with invalid parameters which will be omitted'",
        fix: "use only keywords that mean the same in draft-07 and 2020-12",
        note: Some("Conflict with spec default 2020-12: keep schemas valid under both."),
        check: Check::Tool(|tool, found| read_as(tool, "http://json-schema.org/draft-07/schema#", found)),
        ..Rule::BASE
    },
];

/// What it is where no `$schema` says otherwise.
fn own(tool: &Tool<'_>, part: Part, found: &mut Found<'_>) {
    let schema = if part == Part::Input { tool.input() } else { tool.output() };
    if let Some(schema) = schema {
        judge(tool, schema, None, found);
    }
}

/// As a host reads it that doesn't look at `$schema`.
fn read_as(tool: &Tool<'_>, dialect: &str, found: &mut Found<'_>) {
    if let Some(schema) = tool.input() {
        judge(tool, schema, Some(dialect), found);
    }
}

fn judge(tool: &Tool<'_>, schema: &Schema<'_>, dialect: Option<&str>, found: &mut Found<'_>) {
    // What isn't an object, or is too deep, is another rule's.
    if !schema.root.is_object() {
        return;
    }
    let Some(value) = schema.to_value() else { return };
    for problem in keyword_problems(&value, dialect) {
        let node = at_pointer(schema.root, &problem.place).unwrap_or(schema.root);
        found.at(tool.at(node), problem.message);
    }
}

fn at_pointer<'a>(root: &'a Node, pointer: &str) -> Option<&'a Node> {
    pointer.split('/').skip(1).try_fold(root, |node, step| {
        let step = step.replace("~1", "/").replace("~0", "~");
        if node.is_array() { node.items().get(step.parse::<usize>().ok()?) } else { node.get(&step) }
    })
}
