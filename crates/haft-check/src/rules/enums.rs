//! Closed sets of values.

use crate::finding::Found;
use crate::host::Host;
use crate::json::Node;
use crate::rule::{Blast, Check, Confidence, Rule, Severity, Subject};
use crate::tool::Tool;

pub(super) static RULES: [Rule; 2] = [
    Rule {
        id: "GEM-IN-003",
        title: "an enum is not one of non-empty strings with a type",
        subject: Subject::Input,
        hosts: &[Host::GeminiApi, Host::GeminiCli, Host::Portable],
        severity: Severity::Degraded,
        blast: Blast::Session,
        confidence: Confidence::Reported,
        source: "google-gemini/gemini-cli#4400; sbroenne/mcp-server-excel#607; microsoft/azure-devops-mcp#139; \
                 router-for-me/CLIProxyAPI PR 1076",
        date: "2026-04-24",
        consequence: "'only allowed for STRING type' / 'cannot be empty' / missing type field",
        fix: "list non-empty strings only, and write \"type\": \"string\" beside them",
        check: Check::Tool(strings),
        ..Rule::BASE
    },
    Rule {
        id: "MCS-IN-004",
        title: "Copilot Studio reads an enum as a plain string",
        subject: Subject::Input,
        hosts: &[Host::CopilotStudio],
        severity: Severity::Degraded,
        source: "Copilot Studio MCP troubleshooting \
                 (learn.microsoft.com/microsoft-copilot-studio/mcp-troubleshooting; Portuguese copy)",
        date: "2026-01-01",
        consequence: "treated as plain string",
        fix: "list the values in the description as well",
        check: Check::Tool(described),
        ..Rule::BASE
    },
];

fn strings(tool: &Tool<'_>, found: &mut Found<'_>) {
    let Some(schema) = tool.input() else { return };
    for sub in &schema.subs {
        let Some(choices) = sub.get("enum") else { continue };
        if let Some(odd) = choices.items().iter().find(|choice| choice.as_str().is_none_or(str::is_empty)) {
            let what = if odd.as_str().is_some() { "an empty string" } else { odd.kind() };
            found.at(tool.at(odd), format!("this enum has {what} among its values"));
        } else if sub.says("type") != Some("string") {
            found.at(tool.at(choices), "this enum has no \"type\": \"string\" beside it");
        }
    }
}

fn described(tool: &Tool<'_>, found: &mut Found<'_>) {
    let Some(schema) = tool.input() else { return };
    for sub in &schema.subs {
        let Some(choices) = sub.get("enum") else { continue };
        let description = sub.says("description").unwrap_or_default();
        let told = |choice: &Node| choice.as_str().is_none_or(|choice| description.contains(choice));
        if !choices.items().iter().all(told) {
            found.at(tool.at(choices), "the description doesn't list all values of this enum");
        }
    }
}
