//! Escape sequences of terminals (ECMA-48).

/// Finds where sequences end, in time linear in the text.
#[derive(Default)]
pub(super) struct Escapes {
    /// No string of a terminal ends between the place that was last looked at and this one.
    barren_to: usize,
}

impl Escapes {
    /// How many bytes the sequence at `at` has; zero where none begins.
    pub(super) fn length(&mut self, text: &str, at: usize) -> usize {
        let rest = &text[at..];
        let mut chars = rest.chars();
        match chars.next() {
            Some('\u{9b}') => control_sequence(rest, 2),
            Some('\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}') => self.string(text, at, 2),
            Some('\u{1b}') => match chars.next() {
                Some('[') => control_sequence(rest, 2),
                Some(']' | 'P' | 'X' | '^' | '_') => self.string(text, at, 2),
                _ => short_sequence(rest),
            },
            _ => 0,
        }
    }

    /// One that takes all up to its terminator. Without one on its line it ends where it begins: it must not swallow text
    /// that people see.
    fn string(&mut self, text: &str, at: usize, introducer: usize) -> usize {
        let body = at + introducer;
        if body < self.barren_to {
            return introducer;
        }
        let rest = &text[body..];
        let stops = |c: char| matches!(c, '\u{7}' | '\u{1b}' | '\u{9c}' | '\n');
        let mut from = 0;
        while let Some(stop) = rest[from..].find(stops).map(|offset| from + offset) {
            match &rest.as_bytes()[stop..] {
                [0x07, ..] => return introducer + stop + 1,
                [0x1b, b'\\', ..] | [0xc2, ..] => return introducer + stop + 2,
                [b'\n', ..] => {
                    self.barren_to = body + stop;
                    return introducer;
                }
                _ => from = stop + 1,
            }
        }
        self.barren_to = text.len();
        introducer
    }
}

/// Parameters, intermediates, and one character that ends it.
fn control_sequence(rest: &str, introducer: usize) -> usize {
    let mut bytes = rest.as_bytes().iter().skip(introducer).peekable();
    let mut length = introducer;
    while bytes.next_if(|byte| matches!(byte, 0x30..=0x3f)).is_some() {
        length += 1;
    }
    while bytes.next_if(|byte| matches!(byte, 0x20..=0x2f)).is_some() {
        length += 1;
    }
    length + usize::from(bytes.next_if(|byte| matches!(byte, 0x40..=0x7e)).is_some())
}

/// `ESC`, intermediates, and one character that ends it.
fn short_sequence(rest: &str) -> usize {
    let intermediates = rest.bytes().skip(1).take_while(|byte| matches!(byte, 0x20..=0x2f)).count();
    match rest.as_bytes().get(1 + intermediates) {
        Some(0x30..=0x7e) => 2 + intermediates,
        _ => 1,
    }
}
