//! Formats that hosts don't know.

use crate::finding::Found;
use crate::host::Host;
use crate::rule::{Blast, Check, Confidence, Rule, Severity, Subject};
use crate::say::quoted;
use crate::tool::Tool;

pub(super) static RULES: [Rule; 3] = [
    Rule {
        id: "GEM-IN-004",
        title: "a format is not one that the Gemini API takes",
        subject: Subject::Input,
        hosts: &[Host::GeminiApi, Host::Portable],
        severity: Severity::Degraded,
        blast: Blast::Session,
        confidence: Confidence::Reported,
        source: "google-gemini/gemini-cli#2237, #3178; CherryHQ/cherry-studio PR 4153",
        date: "2025-07-03",
        consequence: "HTTP 400 for format uri, email, date, uint32…",
        fix: "leave `format` out but for date-time, and give an example in the description",
        check: Check::Tool(gemini),
        ..Rule::BASE
    },
    Rule {
        id: "OPC-IN-002",
        title: "a format is not one of JSON Schema",
        subject: Subject::Input,
        hosts: &[Host::Opencode, Host::TypescriptSdk, Host::Portable],
        severity: Severity::Degraded,
        confidence: Confidence::Reported,
        source: "anomalyco/opencode PR 20747; ZhangHanDong/mempal PR 84; apollographql/apollo-mcp-server#245",
        date: "2026-07-18",
        consequence: "hundreds of 'unknown format' warnings; strict Ajv throws",
        fix: "leave the format out, and write the bounds as `minimum` and `maximum`",
        check: Check::Tool(unknown),
        ..Rule::BASE
    },
    Rule {
        id: "MCS-IN-006",
        title: "Copilot Studio sends dates as objects",
        subject: Subject::Input,
        hosts: &[Host::CopilotStudio],
        severity: Severity::Degraded,
        confidence: Confidence::Reported,
        source: "Power Platform community threads",
        date: "2025-26-01",
        consequence: "the tool gets an object where it expects text",
        fix: "leave \"format\": \"date\" out, and say in the description how to write the date",
        check: Check::Tool(dates),
        ..Rule::BASE
    },
];

const STANDARD: [&str; 19] = [
    "date-time",
    "date",
    "time",
    "duration",
    "email",
    "idn-email",
    "hostname",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "iri",
    "iri-reference",
    "uuid",
    "uri-template",
    "json-pointer",
    "relative-json-pointer",
    "regex",
];

fn gemini(tool: &Tool<'_>, found: &mut Found<'_>) {
    let Some(schema) = tool.input() else { return };
    for sub in &schema.subs {
        let Some(format) = sub.says("format") else { continue };
        let taken: &[&str] = match sub.says("type") {
            Some("integer") => &["int32", "int64"],
            Some("number") => &["float", "double", "int32", "int64"],
            _ => &["date-time", "enum"],
        };
        if !taken.contains(&format) {
            found.at(tool.place_of(sub.node, "format"), format!("the format {} is not taken here", quoted(format)));
        }
    }
}

fn unknown(tool: &Tool<'_>, found: &mut Found<'_>) {
    for schema in tool.schemas() {
        for (node, format) in schema.uses("format").filter_map(|node| Some((node, node.as_str()?))) {
            // OpenAPI's own are known to Ajv's companion package.
            if !STANDARD.contains(&format)
                && !["int32", "int64", "float", "double", "byte", "binary", "password", "url"].contains(&format)
            {
                found.at(tool.at(node), format!("no validator knows the format {}", quoted(format)));
            }
        }
    }
}

fn dates(tool: &Tool<'_>, found: &mut Found<'_>) {
    let Some(schema) = tool.input() else { return };
    for node in schema.uses("format").filter(|node| node.as_str() == Some("date")) {
        found.at(tool.at(node), "the format is `date`");
    }
}
