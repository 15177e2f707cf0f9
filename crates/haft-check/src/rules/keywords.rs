//! Keywords that hosts drop or refuse.

use crate::finding::Found;
use crate::host::Host;
use crate::rule::{Blast, Check, Confidence, Rule, Severity, Subject};
use crate::say::list;
use crate::tool::Tool;

pub(super) static RULES: [Rule; 8] = [
    Rule {
        id: "GEM-IN-001",
        title: "the Gemini API has no such keyword",
        subject: Subject::Input,
        hosts: &[Host::GeminiApi],
        severity: Severity::Degraded,
        source: "schemaport/provider-gemini (Gemini v1beta discovery rev 20260816 and @google/genai 2.17.1)",
        date: "2026-08-20",
        consequence: "HTTP 400 unknown field or the client drops it: $ref, $defs, oneOf, allOf, not, const, \
                      multipleOf, exclusiveMinimum/Maximum, uniqueItems, prefixItems, additionalProperties",
        fix: "say it in the description as well, and check it in the tool",
        note: Some(
            "Gemini CLI now sends parametersJsonSchema unchanged except nullable rewriting, so more passes \
                    there; other clients still use the subset.",
        ),
        check: Check::Tool(|tool, found| others(tool, &GEMINI, found)),
        ..Rule::BASE
    },
    Rule {
        id: "CDX-IN-002",
        title: "Codex drops keywords",
        subject: Subject::Input,
        hosts: &[Host::Codex],
        severity: Severity::Degraded,
        source: "openai/codex codex-rs/tools/src/json_schema (mod.rs + compaction.rs, newest stored version)",
        date: "2026-06-01",
        consequence: "other keywords dropped; const becomes enum; boolean schema becomes {type:string}; missing \
                      items becomes string; unknown type removed; empty hintless object becomes {}",
        fix: "say it in the description as well, and check it in the tool",
        check: Check::Tool(|tool, found| others(tool, &CODEX, found)),
        ..Rule::BASE
    },
    Rule {
        id: "VSC-IN-006",
        title: "Copilot takes keywords away before gpt-4 sees them",
        subject: Subject::Input,
        hosts: &[Host::Vscode],
        severity: Severity::Degraded,
        source: "microsoft/vscode-copilot-chat src/extension/tools/common/toolSchemaNormalizer.ts @31acd00a",
        date: "2026-03-28",
        consequence: "keywords removed before the model sees them",
        fix: "say the limits in the description as well",
        note: Some("So repeat the constraint in the property description."),
        check: Check::Tool(|tool, found| these(tool, &COPILOT, found)),
        ..Rule::BASE
    },
    Rule {
        id: "KIR-IN-002",
        title: "the schema is not a simple one",
        subject: Subject::Input,
        hosts: &[Host::Kiro],
        severity: Severity::Degraded,
        blast: Blast::Session,
        confidence: Confidence::Reported,
        source: "kirodotdev/Kiro#3431 (open; staff 2026-03-06 ask for schema, tool count, description length); \
                 keyword list measured by a third-party proxy (opencodex-derived kiro router)",
        date: "2026-03-06",
        consequence: "'Improperly formed request' / 'Invalid tool use format'",
        fix: "say the limits in the description, and check them in the tool",
        note: Some("Keyword list is a proxy's finding, not vendor text."),
        check: Check::Tool(|tool, found| these(tool, &KIRO, found)),
        ..Rule::BASE
    },
    Rule {
        id: "ZED-IN-001",
        title: "Zed can't give this schema to Gemini",
        subject: Subject::Input,
        hosts: &[Host::Zed],
        severity: Severity::Rejects,
        source: "zed-industries/zed language_model tool_schema.rs, old and new stored versions",
        date: "2026-01-01",
        consequence: "'Schema cannot be made compatible because it contains …'",
        fix: "leave if, then and else out",
        note: Some(
            "Also strips format, additionalProperties, exclusiveMin/Max, propertyNames; adds \
                    additionalProperties:false and properties:{} for other models.",
        ),
        check: Check::Tool(|tool, found| these(tool, &["if", "then", "else"], found)),
        ..Rule::BASE
    },
    Rule {
        id: "MCS-IN-003",
        title: "`exclusiveMinimum` is a number",
        subject: Subject::Input,
        hosts: &[Host::CopilotStudio, Host::Portable],
        severity: Severity::Rejects,
        source: "Copilot Studio MCP troubleshooting \
                 (learn.microsoft.com/microsoft-copilot-studio/mcp-troubleshooting; Portuguese copy)",
        date: "2026-01-01",
        consequence: "System.FormatException",
        fix: "write `minimum`",
        note: Some("In 2020-12 it has to be a number, and Copilot Studio throws on one: use `minimum`."),
        check: Check::Tool(exclusive),
        ..Rule::BASE
    },
    Rule {
        id: "GEM-IN-008",
        title: "keywords of 2020-12 without `$schema`",
        subject: Subject::Input,
        hosts: &[Host::GeminiCli],
        severity: Severity::Degraded,
        source: "google-gemini/gemini-cli packages/core/src/utils/schemaValidator.ts @5411f113",
        date: "2026-08-21",
        consequence: "without $schema the CLI validates arguments as draft-07 and ignores prefixItems, \
                      unevaluatedProperties, dependentRequired…",
        fix: "use keywords of draft-07 only",
        note: Some(
            "The specification reads a schema without `$schema` as 2020-12, Gemini CLI as draft-07. Safe: \
                    keywords that mean the same in both.",
        ),
        check: Check::Tool(modern),
        ..Rule::BASE
    },
    Rule {
        id: "GEM-DOC-001",
        title: "Gemini CLI may strip keywords",
        subject: Subject::Input,
        hosts: &[Host::GeminiCli],
        severity: Severity::Advice,
        source: "docs/tools/mcp-server.md @5411f113 section Schema processing",
        date: "2026-08-21",
        consequence: "constraint lost",
        fix: "don't rely on them: check in the tool",
        note: Some("Conflict: current source only rewrites [T,null]; no stripping found."),
        check: Check::Tool(|tool, found| these(tool, &["$schema", "additionalProperties"], found)),
        ..Rule::BASE
    },
];

const GEMINI: [&str; 24] = [
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "default",
    "example",
    "examples",
    "enum",
    "properties",
    "required",
    "propertyOrdering",
    "items",
    "minItems",
    "maxItems",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minProperties",
    "maxProperties",
    "pattern",
    "anyOf",
    "$schema",
];
const CODEX: [&str; 16] = [
    "type",
    "description",
    "enum",
    "items",
    "properties",
    "required",
    "additionalProperties",
    "anyOf",
    "oneOf",
    "allOf",
    "$ref",
    "$defs",
    "definitions",
    "title",
    "$schema",
    "examples",
];
const COPILOT: [&str; 15] = [
    "minLength",
    "maxLength",
    "pattern",
    "default",
    "format",
    "minimum",
    "maximum",
    "multipleOf",
    "patternProperties",
    "minItems",
    "maxItems",
    "uniqueItems",
    "contains",
    "minContains",
    "maxContains",
];
const KIRO: [&str; 17] = [
    "additionalProperties",
    "pattern",
    "format",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "$schema",
    "if",
    "then",
    "else",
    "contains",
    "patternProperties",
];
const MODERN: [&str; 9] = [
    "prefixItems",
    "unevaluatedProperties",
    "unevaluatedItems",
    "dependentRequired",
    "dependentSchemas",
    "$dynamicRef",
    "$dynamicAnchor",
    "minContains",
    "maxContains",
];

/// One finding for all of them, at the first: what a host drops, it drops everywhere.
fn report(tool: &Tool<'_>, wanted: impl Fn(&str) -> bool, found: &mut Found<'_>) {
    let Some(schema) = tool.input() else { return };
    let mut uses = schema.keywords(wanted).peekable();
    if let Some(&(_, first)) = uses.peek() {
        let place = tool.at(first);
        found.at(place, format!("the schema uses {}", list(uses.map(|(name, _)| name))));
    }
}

fn these(tool: &Tool<'_>, keywords: &[&str], found: &mut Found<'_>) {
    report(tool, |name| keywords.contains(&name), found);
}

fn others(tool: &Tool<'_>, known: &[&str], found: &mut Found<'_>) {
    report(tool, |name| !known.contains(&name) && !name.starts_with("x-"), found);
}

fn exclusive(tool: &Tool<'_>, found: &mut Found<'_>) {
    let Some(schema) = tool.input() else { return };
    for node in schema.uses("exclusiveMinimum").filter(|node| node.as_f64().is_some()) {
        found.at(tool.at(node), "`exclusiveMinimum` is a number");
    }
}

fn modern(tool: &Tool<'_>, found: &mut Found<'_>) {
    if tool.input().is_some_and(|schema| schema.root.get("$schema").is_none()) {
        these(tool, &MODERN, found);
    }
}
