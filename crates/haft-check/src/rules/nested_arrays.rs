//! Arrays of objects that hold arrays.

use crate::finding::Found;
use crate::host::Host;
use crate::rule::{Check, Confidence, Rule, Severity, Subject};
use crate::tool::Tool;

pub(super) static RULES: [Rule; 1] = [Rule {
    id: "MCS-IN-005",
    title: "an array of objects holds arrays",
    subject: Subject::Input,
    hosts: &[Host::CopilotStudio],
    severity: Severity::Degraded,
    confidence: Confidence::Reported,
    source: "Power Platform community threads",
    date: "2025-26-01",
    consequence: "the agent asks for the same values again and again",
    fix: "flatten it: take the inner arrays as arguments of their own",
    check: Check::Tool(check),
    ..Rule::BASE
}];

fn check(tool: &Tool<'_>, found: &mut Found<'_>) {
    let Some(schema) = tool.input() else { return };
    for array in schema.subs.iter().filter(|sub| sub.is("array")) {
        let Some(properties) = array.node.find(&["items", "properties"]) else { continue };
        let inner =
            properties.members().iter().find(|it| it.node.get("type").and_then(|kind| kind.as_str()) == Some("array"));
        if let Some(inner) = inner {
            found.at(tool.at(&inner.node), "this array is in an object that is in an array");
        }
    }
}
