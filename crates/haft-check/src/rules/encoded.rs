//! Texts that hide what they say.

use crate::finding::Found;
use crate::rule::{Blast, Check, Family, Rule, Severity, Subject};
use crate::say::quoted;
use crate::tool::Tool;

pub(super) static RULES: [Rule; 1] = [Rule {
    id: "CLD-DESC-006",
    title: "a description has a comment or encoded text",
    subject: Subject::Description,
    family: Family::Safety,
    severity: Severity::Rejects,
    blast: Blast::Server,
    source: "Connector pre-submission checklist, https://claude.com/docs/connectors/building/review-criteria ; \
                 Anthropic Software Directory Policy, \
                 https://support.claude.com/en/articles/13145358-anthropic-software-directory-policy 2.G",
    date: "2026-10-07",
    consequence: "treated as prompt injection",
    fix: "say it in plain words, or leave it out",
    check: Check::Tool(check),
    ..Rule::BASE
}];

/// A run of Base64 this long is no word.
const LONG: usize = 40;

fn check(tool: &Tool<'_>, found: &mut Found<'_>) {
    let own = tool.node.get("description");
    let inner = tool.schemas().flat_map(|schema| schema.uses("description"));
    for node in own.into_iter().chain(inner) {
        let text = node.as_str().unwrap_or_default();
        if text.contains("<!--") {
            found.at(tool.at(node), "an HTML comment: people who see this rendered don't see it");
        }
        if let Some(decoded) = text.split(|c: char| !(c.is_ascii_alphanumeric() || "+/=".contains(c))).find_map(decode)
        {
            found.at(tool.at(node), format!("Base64 that says {}", quoted(&decoded)));
        }
    }
}

/// What a run of Base64 says, if that is words.
fn decode(run: &str) -> Option<String> {
    let run = run.trim_end_matches('=');
    if run.len() < LONG {
        return None;
    }
    let mut bytes = Vec::new();
    let (mut held, mut bits) = (0_u32, 0);
    for byte in run.bytes() {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        held = ((held << 6) | u32::from(six)) & 0xff_ffff;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from((held >> bits) & 0xff).ok()?);
        }
    }
    let text = String::from_utf8(bytes).ok()?;
    let plain = text.chars().all(|c| !c.is_control() || c == '\n');
    (plain && text.contains(' ')).then_some(text)
}
