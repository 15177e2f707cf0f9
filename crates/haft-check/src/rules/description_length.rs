//! Descriptions that are cut.

use crate::finding::Found;
use crate::host::Host;
use crate::json::Text;
use crate::limits;
use crate::rule::{Check, Confidence, Rule, Severity, Subject};
use crate::tool::Tool;

pub(super) static RULES: [Rule; 4] = [
    Rule {
        id: "CC-DESC-001",
        title: "the description is longer than Claude Code shows",
        subject: Subject::Description,
        hosts: &[Host::ClaudeCode, Host::Portable],
        severity: Severity::Truncates,
        source: limits::CLAUDE_CODE_DESCRIPTION.source,
        date: limits::CLAUDE_CODE_DESCRIPTION.date,
        limit: Some(&limits::CLAUDE_CODE_DESCRIPTION),
        consequence: "cut mid-word, '… [truncated]' appended, server never told",
        fix: "shorten the description, and put what matters first",
        note: Some(
            "Predicate measured as length>2048. Parameter descriptions were NOT cut at 20,000 chars; no total \
                    cap seen at 202 tools / 348 KB.",
        ),
        check: Check::Tool(|tool, found| too_long(tool, |text| text.utf16, found)),
        ..Rule::BASE
    },
    Rule {
        id: "AQ-DESC-002",
        title: "the description is longer than Amazon Q keeps",
        subject: Subject::Description,
        hosts: &[Host::AmazonQ],
        severity: Severity::Truncates,
        source: limits::AMAZON_Q_DESCRIPTION.source,
        date: limits::AMAZON_Q_DESCRIPTION.date,
        limit: Some(&limits::AMAZON_Q_DESCRIPTION),
        consequence: "cut with String::truncate (which panics off a char boundary; inference)",
        fix: "shorten the description",
        check: Check::Tool(|tool, found| too_long(tool, |text| text.bytes, found)),
        ..Rule::BASE
    },
    Rule {
        id: "KIR-DESC-002",
        title: "the description is longer than Kiro takes",
        subject: Subject::Description,
        hosts: &[Host::Kiro, Host::Portable],
        severity: Severity::Degraded,
        confidence: Confidence::Reported,
        source: limits::KIRO_DESCRIPTION.source,
        date: limits::KIRO_DESCRIPTION.date,
        limit: Some(&limits::KIRO_DESCRIPTION),
        consequence: "refused, or cut by what stands between",
        fix: "shorten the description to 1,024 characters",
        check: Check::Tool(|tool, found| too_long(tool, |text| text.chars, found)),
        ..Rule::BASE
    },
    Rule {
        id: "VSC-IN-005",
        title: "a description in the schema is longer than gpt-4 gets in Copilot",
        subject: Subject::Input,
        hosts: &[Host::Vscode],
        severity: Severity::Truncates,
        source: limits::COPILOT_DESCRIPTION.source,
        date: limits::COPILOT_DESCRIPTION.date,
        limit: Some(&limits::COPILOT_DESCRIPTION),
        consequence: "cut at 1,024",
        fix: "shorten the description to 1,024 characters",
        check: Check::Tool(in_schema),
        ..Rule::BASE
    },
];

fn too_long(tool: &Tool<'_>, measure: fn(&Text) -> usize, found: &mut Found<'_>) {
    let Some(length) = tool.node.get("description").and_then(|it| it.as_text()).map(measure) else { return };
    if length > found.limit() {
        let (limit, unit) = (found.limit(), found.unit());
        found.at(tool.place(&["description"]), format!("the description has {length} {unit}; the limit is {limit}"));
    }
}

fn in_schema(tool: &Tool<'_>, found: &mut Found<'_>) {
    let Some(schema) = tool.input() else { return };
    for node in schema.uses("description") {
        let length = node.as_text().map_or(0, |text| text.chars);
        if length > found.limit() {
            let (limit, unit) = (found.limit(), found.unit());
            found.at(tool.at(node), format!("this description has {length} {unit}; the limit is {limit}"));
        }
    }
}
