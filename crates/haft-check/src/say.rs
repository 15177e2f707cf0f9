//! Foreign text, so that it can be shown.

/// How much of a foreign text a message quotes, in characters.
const QUOTED: usize = 60;

/// A foreign text between backticks: short, on one line, without the power to steer a terminal.
pub(crate) fn quoted(text: &str) -> String {
    let cut = text.chars().count() > QUOTED;
    let shown: String = text.chars().take(QUOTED).collect();
    format!("`{}{}`", printable(&shown).replace('\n', "\\n").replace('`', "'"), if cut { "…" } else { "" })
}

/// A foreign text that can't steer a terminal nor hide anything: control characters, invisible ones and those that turn the
/// direction of text are written as escapes (`\u{1b}`). Line breaks stay.
///
/// ```
/// assert_eq!(haft_check::printable("a\u{1b}[2J\u{202e}b\nc"), "a\\u{1b}[2J\\u{202e}b\nc");
/// ```
pub fn printable(text: &str) -> String {
    escaped(text, |c| c != '\n' && is_hidden(c), |c, out| out.extend(c.escape_unicode()))
}

/// As [`printable`], on one line: line breaks are escaped, too.
///
/// ```
/// assert_eq!(haft_check::printable_line("a\r\nb"), "a\\u{d}\\u{a}b");
/// ```
pub fn printable_line(text: &str) -> String {
    escaped(text, is_hidden, |c, out| out.extend(c.escape_unicode()))
}

/// JSON text with the characters of [`printable`] written as JSON's own escapes: the same value, safe to show.
///
/// ```
/// assert_eq!(haft_check::printable_json("{\"a\": \"\u{202e}\u{e0041}\"}"), r#"{"a": "\u202e\udb40\udc41"}"#);
/// ```
pub fn printable_json(json: &str) -> String {
    // JSON has line breaks and tabs between its values only.
    let is_hidden = |c: char| !matches!(c, '\n' | '\r' | '\t') && is_hidden(c);
    escaped(json, is_hidden, |c, out| {
        for unit in c.encode_utf16(&mut [0; 2]) {
            out.push_str(&format!("\\u{unit:04x}"));
        }
    })
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool, escape: impl Fn(char, &mut String)) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match is_escaped(c) {
            true => escape(c, &mut out),
            false => out.push(c),
        }
    }
    out
}

/// Controls, what [`is_invisible`] has, other ends of lines, and the selectors that carry no picture.
fn is_hidden(c: char) -> bool {
    c.is_control() || is_invisible(c) || matches!(c, '\u{2028}' | '\u{2029}' | '\u{fe00}'..='\u{fe0d}')
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
