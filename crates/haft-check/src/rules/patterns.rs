//! Patterns that can be used.

use haft_schema::Checker;
use serde_json::json;

use crate::finding::Found;
use crate::rule::{Check, Confidence, Family, Rule, Severity, Subject};
use crate::say::quoted;
use crate::tool::Tool;

pub(super) static RULES: [Rule; 1] = [Rule {
    id: "SPEC-IN-006",
    title: "a pattern is not a regular expression that can be used",
    subject: Subject::Input,
    family: Family::Specification,
    severity: Severity::Degraded,
    confidence: Confidence::Derived,
    source: "JSON Schema 2020-12, validation 6.3.3: a pattern SHOULD be a valid ECMA-262 regular expression",
    date: "2022-06-16",
    consequence: "validators refuse the schema, or take too long or too much memory over it",
    fix: "write a regular expression of ECMA-262 without nested repetitions of great bounds",
    check: Check::Tool(check),
    ..Rule::BASE
}];

fn check(tool: &Tool<'_>, found: &mut Found<'_>) {
    for schema in tool.schemas() {
        for node in schema.uses("pattern") {
            let Some(pattern) = node.as_str() else { continue };
            if Checker::compile(&json!({ "pattern": pattern })).is_err() {
                found.at(tool.at(node), format!("{} can't be compiled within bounds", quoted(pattern)));
            }
        }
    }
}
