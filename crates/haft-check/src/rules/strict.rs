//! Schemas for OpenAI's strict mode.

use crate::finding::Found;
use crate::host::Host;
use crate::json::Value;
use crate::limits;
use crate::rule::{Check, Rule, Severity, Subject};
use crate::schema::Schema;
use crate::tool::Tool;

pub(super) static RULES: [Rule; 2] = [
    Rule {
        id: "OAI-STRICT-001",
        title: "the schema doesn't fit strict mode",
        subject: Subject::Input,
        hosts: &[Host::OpenaiApi],
        severity: Severity::Degraded,
        source: limits::OPENAI_STRICT_LEVELS.source,
        date: limits::OPENAI_STRICT_LEVELS.date,
        limit: Some(&limits::OPENAI_STRICT_LEVELS),
        consequence: "not strict: arguments no longer guaranteed",
        fix: "nothing, unless you need strict mode: then require every property and close every object",
        check: Check::Tool(strict),
        ..Rule::BASE
    },
    Rule {
        id: "OAI-SDK-001",
        title: "the Agents SDK can't make the schema strict",
        subject: Subject::Input,
        hosts: &[Host::OpenaiApi],
        severity: Severity::Degraded,
        source: "openai/openai-agents-python src/agents/strict_schema.py and mcp/util.py @7f7a44f8",
        date: "2026-08-22",
        consequence: "SDK falls back to non-strict (logged only)",
        fix: "close objects with \"additionalProperties\": false, and use anyOf in the place of oneOf",
        check: Check::Tool(convertible),
        ..Rule::BASE
    },
];

fn strict(tool: &Tool<'_>, found: &mut Found<'_>) {
    let Some(schema) = tool.input() else { return };
    if let Some((node, why)) = not_strict(schema, found.limit()) {
        found.at(tool.at(node), why);
    }
}

fn not_strict<'a>(schema: &Schema<'a>, levels: usize) -> Option<(&'a crate::json::Node, &'static str)> {
    for sub in &schema.subs {
        if sub.depth > 2 * levels {
            return Some((sub.node, "strict mode takes at most 10 levels of nesting"));
        }
        if sub.is("object") || sub.has("properties") {
            let required = sub.required();
            let properties = sub.get("properties").map(|it| it.members()).unwrap_or_default();
            if let Some(optional) = properties.iter().find(|it| !required.contains(&*it.name)) {
                return Some((&optional.node, "strict mode wants every property in `required`, and this one isn't"));
            }
            if sub.get("additionalProperties").and_then(|it| it.as_bool()) != Some(false) {
                return Some((sub.node, "strict mode wants \"additionalProperties\": false on every object"));
            }
        }
    }
    None
}

fn convertible(tool: &Tool<'_>, found: &mut Found<'_>) {
    let Some(schema) = tool.input() else { return };
    for sub in &schema.subs {
        match sub.get("additionalProperties") {
            Some(open) if !matches!(open.value, Value::Bool(false)) => {
                found.at(tool.at(open), "this object is open, which strict mode can't say");
            }
            _ => {}
        }
        if sub.has("$ref")
            && sub.node.members().iter().any(|it| !matches!(&*it.name, "$ref" | "description" | "title" | "default"))
        {
            found.at(tool.at(sub.node), "a reference with further keywords beside it");
        }
        if sub.depth > 0 && sub.has("$id") {
            found.at(tool.at(sub.node), "a subschema with a URI of its own");
        }
    }
}
