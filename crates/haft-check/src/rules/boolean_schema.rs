//! Booleans in the place of schemas.

use crate::finding::Found;
use crate::host::Host;
use crate::json::Value;
use crate::rule::{Blast, Check, Confidence, Rule, Severity, Subject};
use crate::schema::{Part, Position};
use crate::tool::Tool;

pub(super) static RULES: [Rule; 4] = [
    Rule {
        id: "CC-IN-001",
        title: "a boolean stands in the place of a schema",
        subject: Subject::Input,
        hosts: &[Host::ClaudeCode, Host::Portable],
        severity: Severity::Degraded,
        blast: Blast::Server,
        confidence: Confidence::Reported,
        source: "GaloyMoney/drua PR 230",
        date: "2026-04-29",
        consequence: "client Zod schema rejects the ENTIRE tools/list",
        fix: "write {} in the place of true, and leave a property out in the place of false",
        note: Some("schemars 0.8 emits true for serde_json::Value; use schema_with returning {}."),
        check: Check::Tool(|tool, found| booleans(tool, &[Part::Input, Part::Output], found)),
        ..Rule::BASE
    },
    Rule {
        id: "GEM-IN-007",
        title: "a boolean stands in the place of a schema",
        subject: Subject::Input,
        hosts: &[Host::GeminiApi, Host::GeminiCli],
        severity: Severity::Degraded,
        blast: Blast::Session,
        confidence: Confidence::Reported,
        source: "github/copilot-cli#4623; googleapis/python-genai PR 2563",
        date: "2026-09-08",
        consequence: "all Gemini requests fail while the server is enabled",
        fix: "write {} in the place of true, and leave a property out in the place of false",
        check: Check::Tool(|tool, found| booleans(tool, &[Part::Input], found)),
        ..Rule::BASE
    },
    Rule {
        id: "OPC-IN-001",
        title: "a boolean stands in the place of a schema",
        subject: Subject::Input,
        hosts: &[Host::Opencode],
        severity: Severity::Degraded,
        blast: Blast::Server,
        confidence: Confidence::Reported,
        source: "anomalyco/opencode#49464",
        date: "2026-09-17",
        consequence: "whole server 'Failed to get tools'",
        fix: "write {} in the place of true, and leave a property out in the place of false",
        check: Check::Tool(|tool, found| booleans(tool, &[Part::Input], found)),
        ..Rule::BASE
    },
    Rule {
        id: "HER-IN-001",
        title: "a boolean stands in the place of a schema",
        subject: Subject::Input,
        hosts: &[Host::PythonSdk],
        severity: Severity::Degraded,
        blast: Blast::Server,
        confidence: Confidence::Reported,
        source: "NousResearch/hermes-agent#101669",
        date: "2026-09-02",
        consequence: "ListToolsResult validation error parks the server (1 bad tool of 312)",
        fix: "write {} in the place of true, and leave a property out in the place of false",
        check: Check::Tool(|tool, found| booleans(tool, &[Part::Input], found)),
        ..Rule::BASE
    },
];

fn booleans(tool: &Tool<'_>, parts: &[Part], found: &mut Found<'_>) {
    for schema in tool.schemas().filter(|schema| parts.contains(&schema.part)) {
        for sub in &schema.subs {
            // `additionalProperties` may be one everywhere.
            if let (Value::Bool(value), Position::Property(_) | Position::Items | Position::Branch) =
                (&sub.node.value, sub.position)
            {
                found.at(tool.at(sub.node), format!("`{value}` stands in the place of a schema"));
            }
        }
    }
}
