//! Foreign text in findings.

/// How much of a foreign text a message quotes, in characters.
const QUOTED: usize = 60;

/// A foreign text between backticks: short, on one line, without the power to steer a terminal.
pub(crate) fn quoted(text: &str) -> String {
    let cut = text.chars().count() > QUOTED;
    let shown: String = text.chars().take(QUOTED).collect();
    format!("`{}{}`", printable(&shown).replace('\n', "\\n").replace('`', "'"), if cut { "…" } else { "" })
}

/// A foreign text whose control characters and invisible ones are written as escapes; line breaks stay.
pub(crate) fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if (c.is_control() && c != '\n') || is_invisible(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}

/// Whether a character shows nothing, or turns what is around it: format characters, tags, fillers, private use.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}'
        | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
        | '\u{110bd}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// A list in words: `a`, `b` and 3 more.
pub(crate) fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut names: Vec<&str> = names.into_iter().collect();
    names.sort_unstable();
    names.dedup();
    let shown: Vec<String> = names.iter().take(6).map(|name| quoted(name)).collect();
    let joined = shown.join(", ");
    match names.len().saturating_sub(shown.len()) {
        0 => joined,
        more => format!("{joined} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_cannot_steer_a_terminal() {
        assert_eq!(quoted("a\u{1b}[2J\nb`\u{200b}"), "`a\\u{1b}[2J\\nb'\\u{200b}`");
        assert_eq!(quoted(&"x".repeat(100)).chars().count(), 63);
        assert_eq!(list(["b", "a", "b"]), "`a`, `b`");
        assert_eq!(list(["1", "2", "3", "4", "5", "6", "7", "8"]), "`1`, `2`, `3`, `4`, `5`, `6` and 2 more");
    }
}
