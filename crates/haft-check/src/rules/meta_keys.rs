//! Keys of `_meta`.

use crate::finding::Found;
use crate::rule::{Check, Family, Rule, Severity, Subject};
use crate::tool::Tool;

pub(super) static RULES: [Rule; 1] = [Rule {
    id: "SPEC-META-001",
    title: "a key of `_meta` is malformed or reserved",
    subject: Subject::Meta,
    family: Family::Specification,
    severity: Severity::Advice,
    source: "MCP spec 2026-07-28, docs/specification/2026-07-28/basic/index.mdx _meta",
    date: "2026-07-28",
    consequence: "reserved key clash",
    fix: "prefix the key with the reversed name of a domain of yours: com.example/name",
    check: Check::Tool(check),
    ..Rule::BASE
}];

fn check(tool: &Tool<'_>, found: &mut Found<'_>) {
    let Some(meta) = tool.node.get("_meta") else { return };
    for member in meta.members() {
        let wrong = match member.name.split_once('/') {
            Some((prefix, name)) => {
                let mut labels = prefix.split('.');
                if !prefix.split('.').all(is_label) {
                    Some("the prefix of this key is not made of labels such as com.example")
                } else if matches!(labels.nth(1), Some("mcp" | "modelcontextprotocol"))
                    && !DEFINED.contains(&&*member.name)
                {
                    Some("the prefix of this key is reserved for the protocol")
                } else {
                    (!is_name(name)).then_some("the name after the prefix has to begin and end with a letter or digit")
                }
            }
            None => (!is_name(&member.name)).then_some("the key has to begin and end with a letter or digit"),
        };
        if let Some(wrong) = wrong {
            found.at(tool.at_name(member), wrong);
        }
    }
}

/// Keys under a reserved prefix that the protocol and its extensions define for tools.
const DEFINED: [&str; 2] = ["io.modelcontextprotocol/serverInfo", "io.modelcontextprotocol/related-task"];

fn is_label(label: &str) -> bool {
    label.starts_with(|c: char| c.is_ascii_alphabetic())
        && label.ends_with(|c: char| c.is_ascii_alphanumeric())
        && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

fn is_name(name: &str) -> bool {
    name.is_empty()
        || (name.starts_with(|c: char| c.is_ascii_alphanumeric())
            && name.ends_with(|c: char| c.is_ascii_alphanumeric())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)))
}
