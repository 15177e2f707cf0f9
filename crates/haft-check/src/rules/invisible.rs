//! Characters that nobody sees and models read.

use crate::rule::{Blast, Check, Family, Rule, Severity, Subject};
use crate::say::{is_invisible, quoted};

pub(super) static RULES: [Rule; 1] = [Rule {
    id: "X-UNI-001",
    title: "a text has characters that nobody sees",
    subject: Subject::Tool,
    family: Family::Safety,
    severity: Severity::Rejects,
    blast: Blast::Server,
    source: "snyk/agent-scan docs/issue-codes.md W021 @b9e98ab; Anthropic policy 2.G",
    date: "2026-06-30",
    consequence: "reviews and scanners take it for a hidden instruction",
    fix: "take the characters out",
    check: Check::Text(check),
    ..Rule::BASE
}];

fn check(text: &str) -> Option<String> {
    let hidden = hidden(text);
    let first = hidden.first()?;
    let tags: String = hidden.iter().filter_map(|&c| untagged(c)).collect();
    let (count, first) = (hidden.len(), format!("U+{:04X}", u32::from(*first)));
    Some(match (tags.trim(), count) {
        ("", 1) => format!("1 invisible character, it is {first}"),
        ("", count) => format!("{count} invisible characters, the first is {first}"),
        (_, count) => format!("{count} invisible characters that spell {}", quoted(&tags)),
    })
}

/// The invisible characters of a text that have no business there.
fn hidden(text: &str) -> Vec<char> {
    if text.is_ascii() {
        return text.chars().filter(|&c| c.is_ascii_control() && !matches!(c, '\n' | '\r' | '\t')).collect();
    }
    let chars: Vec<char> = text.chars().collect();
    let at = |index: usize| chars.get(index).copied().unwrap_or(' ');
    let mut hidden = Vec::new();
    let mut in_flag = false;
    for (index, &c) in chars.iter().enumerate() {
        // The flags of England, Scotland and Wales are a black flag and tags.
        in_flag = c == '\u{1f3f4}' || (in_flag && ('\u{e0020}'..='\u{e007f}').contains(&c));
        // Joiners stand between letters of some scripts, and between the parts of an emoji.
        let joins = matches!(c, '\u{200c}' | '\u{200d}')
            && index > 0
            && !at(index - 1).is_ascii()
            && (!at(index + 1).is_ascii() || at(index + 1).is_whitespace());
        let control = c.is_control() && !matches!(c, '\n' | '\r' | '\t');
        if (control || is_invisible(c)) && !in_flag && !joins {
            hidden.push(c);
        }
    }
    hidden
}

/// The character that a tag stands for.
fn untagged(c: char) -> Option<char> {
    char::from_u32(u32::from(c).checked_sub(0xe0000)?).filter(|c| (' '..='~').contains(c))
}
