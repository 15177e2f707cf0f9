//! Foreign text, so that it can be shown to a person, written to a log, or put into a definition.

use haft_schema::is_hidden;

/// `text` with everything escaped that steers a terminal or can't be seen, cut at `limit` characters. Line breaks and
/// tabs are escaped, too: nothing that is foreign begins a line.
pub(super) fn line(text: &str, limit: usize) -> String {
    cut(text, limit, is_hidden)
}

/// As [`line`], but line breaks and tabs stay.
pub(super) fn lines(text: &str, limit: usize) -> String {
    cut(text, limit, |c| is_hidden(c) && !matches!(c, '\n' | '\t'))
}

fn cut(text: &str, limit: usize, is_escaped: impl Fn(char) -> bool) -> String {
    let mut shown = String::with_capacity(text.len().min(limit));
    let mut left = limit;
    for c in text.chars() {
        let Some(rest) = left.checked_sub(1) else {
            // The mark takes the place of the last character.
            shown.pop();
            shown.push('…');
            break;
        };
        left = rest;
        match is_escaped(c) {
            true => shown.extend(c.escape_unicode()),
            false => shown.push(c),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hides_is_shown() {
        assert_eq!(line("a\u{1b}[2Jb\u{202e}c\nd", 100), "a\\u{1b}[2Jb\\u{202e}c\\u{a}d");
        assert_eq!(lines("a\n\u{200b}", 100), "a\n\\u{200b}");
        assert_eq!(line("abcdef", 3), "ab…");
        assert_eq!(line("abc", 3), "abc");
    }
}
