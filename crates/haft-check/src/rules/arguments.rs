//! Arguments that a model can fill in.

use std::sync::LazyLock;

use regex::Regex;

use crate::finding::Found;
use crate::rule::{Check, Confidence, Family, Rule, Severity, Subject};
use crate::say::list;
use crate::say::quoted;
use crate::schema::Sub;
use crate::tool::Tool;

pub(super) static RULES: [Rule; 4] = [
    Rule {
        id: "QUA-ARG-001",
        title: "an argument has no description",
        subject: Subject::Input,
        family: Family::Quality,
        severity: Severity::Advice,
        confidence: Confidence::Derived,
        source: "DialMCP, \"MCP tools explained\", checklist for every tool, 3",
        date: "2026-10-21",
        consequence: "a model guesses what to write",
        fix: "say what the argument is, with an example where its form matters",
        check: Check::Tool(described),
        ..Rule::BASE
    },
    Rule {
        id: "QUA-ARG-002",
        title: "a form is described in prose only",
        subject: Subject::Input,
        family: Family::Quality,
        severity: Severity::Advice,
        confidence: Confidence::Derived,
        source: "DialMCP, \"MCP tools explained\", checklist for every tool, 3",
        date: "2026-10-21",
        consequence: "a wrong value is only found out by the tool, if at all",
        fix: "write the form as `pattern`, `enum`, `minimum` or `maximum` as well",
        check: Check::Tool(prose),
        ..Rule::BASE
    },
    Rule {
        id: "QUA-ARG-003",
        title: "arguments have no bounds",
        subject: Subject::Input,
        family: Family::Quality,
        severity: Severity::Advice,
        confidence: Confidence::Derived,
        source: "DialMCP, \"MCP tools explained\", checklist for every tool, 3, and \"Bound numbers and strings\"",
        date: "2026-10-21",
        consequence: "a model may ask for a million results, or send a book",
        fix: "bound numbers by `minimum` and `maximum`, text by `maxLength`, lists by `maxItems`",
        check: Check::Tool(bounded),
        ..Rule::BASE
    },
    Rule {
        id: "QUA-ARG-004",
        title: "arguments are nested",
        subject: Subject::Input,
        family: Family::Quality,
        severity: Severity::Advice,
        confidence: Confidence::Derived,
        source: "DialMCP, \"MCP tools explained\": prefer flat arguments; Microsoft Research, tool-space \
                 interference: deep schemas",
        date: "2026-10-21",
        consequence: "models fill in nested objects less reliably",
        fix: "take the members as arguments of their own",
        check: Check::Tool(flat),
        ..Rule::BASE
    },
];

fn described(tool: &Tool<'_>, found: &mut Found<'_>) {
    let Some(schema) = tool.input() else { return };
    for (name, sub) in schema.arguments() {
        if sub.says("description").is_none_or(|text| text.trim().is_empty()) {
            found.at(tool.at(sub.node), format!("{} has no description", quoted(name)));
        }
    }
}

static FORM: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\bone of[: ]|\bmust (?:be|match|start|begin|end)\b|\bYYYY\b|\bISO[ -]?(?:8601|3166|4217|639)|\bE\.164\b|\bregex\b|\b(?:allowed|valid|possible|accepted) values\b|\bbetween \d+ and \d+\b").ok()
});

fn prose(tool: &Tool<'_>, found: &mut Found<'_>) {
    const SAYS: [&str; 10] =
        ["pattern", "enum", "const", "format", "minimum", "maximum", "anyOf", "oneOf", "minLength", "items"];
    let Some(schema) = tool.input() else { return };
    for (name, sub) in schema.arguments() {
        let Some(description) = sub.says("description") else { continue };
        if let Some(form) = FORM.as_ref().and_then(|form| form.find(description))
            && !SAYS.iter().any(|keyword| sub.has(keyword))
        {
            let message = format!(
                "the description of {} says {}, and no keyword does",
                quoted(name),
                quoted(form.as_str().trim())
            );
            found.at(tool.at(sub.node), message);
        }
    }
}

/// One finding for all arguments: most tools have several.
fn bounded(tool: &Tool<'_>, found: &mut Found<'_>) {
    let Some(schema) = tool.input() else { return };
    let open: Vec<(&str, &Sub<'_>)> = schema.arguments().filter(|(_, sub)| is_open(sub)).collect();
    if let Some((_, first)) = open.first() {
        let verb = if open.len() == 1 { "has" } else { "have" };
        found.at(tool.at(first.node), format!("{} {verb} no bounds", list(open.iter().map(|(name, _)| *name))));
    }
}

fn is_open(sub: &Sub<'_>) -> bool {
    let none = |keywords: &[&str]| !keywords.iter().any(|keyword| sub.has(keyword));
    none(&["enum", "const"])
        && match sub.says("type") {
            Some("string") => none(&["maxLength", "pattern", "format"]),
            Some("integer" | "number") => none(&["maximum", "exclusiveMaximum"]),
            Some("array") => none(&["maxItems"]),
            _ => false,
        }
}

fn flat(tool: &Tool<'_>, found: &mut Found<'_>) {
    let Some(schema) = tool.input() else { return };
    for (name, sub) in schema.arguments().filter(|(_, sub)| sub.is("object") && sub.has("properties")) {
        found.at(tool.at(sub.node), format!("{} is an object with members of its own", quoted(name)));
    }
}
