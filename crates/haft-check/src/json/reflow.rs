//! A document of few long lines, with line breaks: what is shown to people has to fit their screens.

/// A line longer than this is for machines.
const LONG_LINE: usize = 400;
/// A document larger than this is left as it is.
const LARGEST: usize = 4 << 20;
/// Deeper levels are not indented further.
const DEEPEST_INDENT: usize = 40;

/// The same document with one member or item a line, if it has lines that nobody can read; every token is kept.
pub(crate) fn reflow(text: &str) -> Option<String> {
    if text.len() > LARGEST || text.lines().all(|line| line.len() <= LONG_LINE) {
        return None;
    }
    let mut out = String::with_capacity(text.len() * 2);
    let mut depth = 0_usize;
    let mut chars = text.chars().peekable();
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth.min(DEEPEST_INDENT)));
    };
    while let Some(c) = chars.next() {
        // Mostly indentation: nobody reads that either.
        if out.len() > LARGEST * 4 {
            return None;
        }
        match c {
            '"' => {
                out.push('"');
                while let Some(c) = chars.next() {
                    out.push(c);
                    match c {
                        '\\' => out.extend(chars.next()),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            '{' | '[' => {
                out.push(c);
                while chars.next_if(|c| c.is_ascii_whitespace()).is_some() {}
                match chars.next_if(|&next| next == '}' || next == ']') {
                    Some(close) => out.push(close),
                    None => {
                        depth += 1;
                        line(&mut out, depth);
                    }
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            c if c.is_ascii_whitespace() => {}
            c => out.push(c),
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_and_nothing_is_lost() {
        let long = "x".repeat(LONG_LINE);
        let text = format!(r#"{{"a":[1,{{}},[ ]],"a":"{{,\"{long}"}}"#);
        let expected = format!("{{\n  \"a\": [\n    1,\n    {{}},\n    []\n  ],\n  \"a\": \"{{,\\\"{long}\"\n}}");
        assert_eq!(reflow(&text), Some(expected));
        assert_eq!(reflow("{\"a\": 1}"), None);
    }
}
