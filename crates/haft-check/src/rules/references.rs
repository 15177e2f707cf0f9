//! References lead to something within the schema.

use crate::finding::Found;
use crate::host::Host;
use crate::rule::{Check, Confidence, Family, Rule, Severity, Subject};
use crate::say::quoted;
use crate::schema::Part;
use crate::tool::Tool;

pub(super) static RULES: [Rule; 3] = [
    Rule {
        id: "SPEC-IN-003",
        title: "a reference leads out of the schema",
        subject: Subject::Input,
        family: Family::Specification,
        severity: Severity::Rejects,
        source: "MCP spec 2026-07-28, docs/specification/2026-07-28/basic/index.mdx $ref Resolution",
        date: "2026-07-28",
        consequence: "schema unusable in a default client",
        fix: "copy what it refers to into the schema; better, write it in place",
        check: Check::Tool(leaving),
        ..Rule::BASE
    },
    Rule {
        id: "SPEC-IN-005",
        title: "a reference leads nowhere",
        subject: Subject::Input,
        family: Family::Specification,
        severity: Severity::Rejects,
        source: "MCP 2026-07-28, basic/index ($ref Resolution)",
        date: "2026-07-28",
        consequence: "validators refuse the schema: the tool can't be called",
        fix: "write the schema in place, or add the definition that is missing",
        check: Check::Tool(dangling),
        ..Rule::BASE
    },
    Rule {
        id: "GEM-IN-006",
        title: "a reference leads nowhere",
        subject: Subject::Input,
        hosts: &[Host::GeminiCli, Host::GeminiApi],
        severity: Severity::Degraded,
        confidence: Confidence::Reported,
        source: "google-gemini/gemini-cli#13326; agent-infra/sandbox#83",
        date: "2025-11-21",
        consequence: "'reference to undefined schema at …'; tool skipped at discovery",
        fix: "write the schema in place",
        check: Check::Tool(dangling_input),
        ..Rule::BASE
    },
];

fn leaving(tool: &Tool<'_>, found: &mut Found<'_>) {
    for schema in tool.schemas().filter(|schema| !schema.has_ids()) {
        for (node, reference) in schema.keywords(is_reference).filter_map(|(_, node)| Some((node, node.as_str()?))) {
            if !reference.starts_with('#') {
                found.at(
                    tool.at(node),
                    format!("{} is outside the schema, and clients must not fetch it", quoted(reference)),
                );
            }
        }
    }
}

fn dangling(tool: &Tool<'_>, found: &mut Found<'_>) {
    for part in [Part::Input, Part::Output] {
        dangling_in(tool, part, found);
    }
}

fn dangling_input(tool: &Tool<'_>, found: &mut Found<'_>) {
    dangling_in(tool, Part::Input, found);
}

fn dangling_in(tool: &Tool<'_>, part: Part, found: &mut Found<'_>) {
    for schema in tool.schemas().filter(|schema| schema.part == part && !schema.has_ids()) {
        for (node, reference) in schema.keywords(is_reference).filter_map(|(_, node)| Some((node, node.as_str()?))) {
            if reference.starts_with('#') && schema.resolve(reference).is_none() {
                found.at(tool.at(node), format!("{} leads nowhere in this schema", quoted(reference)));
            }
        }
    }
}

fn is_reference(keyword: &str) -> bool {
    matches!(keyword, "$ref" | "$dynamicRef")
}
