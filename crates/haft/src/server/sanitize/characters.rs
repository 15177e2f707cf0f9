//! Rules about single characters, in one pass.

use std::borrow::Cow;

use super::Removed;
use super::escapes::Escapes;
use super::invisible::Invisible;

/// Which of them hold.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Characters {
    pub(super) controls: bool,
    pub(super) escapes: bool,
    pub(super) invisible: bool,
}

impl Characters {
    pub(super) fn any(self) -> bool {
        self.controls || self.escapes || self.invisible
    }

    /// The text without what the rules take out.
    pub(super) fn clean<'t>(self, text: &'t str, removed: &mut Removed) -> Cow<'t, str> {
        if !self.any() || text.bytes().all(is_harmless) {
            return Cow::Borrowed(text);
        }
        let (mut escapes, invisible) = (Escapes::default(), Invisible::new(text));
        let mut out = String::new();
        // Up to here the text is in `out`, or has gone.
        let mut done = 0;
        let mut at = 0;
        let mut before = None;
        while let Some(c) = text[at..].chars().next() {
            let end = at + c.len_utf8();
            let gone = if c.is_ascii() && is_harmless(c as u8) {
                0
            } else {
                self.gone(text, (at, end), c, before, (&mut escapes, &invisible), removed)
            };
            if gone > 0 {
                out.push_str(&text[done..at]);
                at += gone;
                done = at;
            } else {
                before = Some(c);
                at = end + if self.invisible { invisible.flag(c, end) } else { 0 };
            }
        }
        if done == 0 {
            return Cow::Borrowed(text);
        }
        out.push_str(&text[done..]);
        Cow::Owned(out)
    }

    /// How many bytes of the text go from here on.
    fn gone(
        self,
        text: &str,
        (at, end): (usize, usize),
        c: char,
        before: Option<char>,
        (escapes, invisible): (&mut Escapes, &Invisible<'_>),
        removed: &mut Removed,
    ) -> usize {
        let after = || text[end..].chars().next();
        if self.escapes {
            let length = escapes.length(text, at);
            if length > 0 {
                removed.escapes += 1;
                return length;
            }
        }
        if self.controls && c.is_control() && !(c == '\r' && after() == Some('\n')) {
            removed.controls += 1;
            return end - at;
        }
        if self.invisible && invisible.goes(c, before, after()) {
            removed.invisible += 1;
            return end - at;
        }
        0
    }
}

/// ASCII that no rule is about. A carriage return depends on what follows.
fn is_harmless(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\n' | b'\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> String {
        let rules = Characters { controls: true, escapes: true, invisible: true };
        rules.clean(text, &mut Removed::default()).into_owned()
    }

    #[test]
    fn control_characters_go_and_line_ends_and_tabs_stay() {
        assert_eq!(all("a\0b\u{8}c\u{7f}d\u{85}e\u{7}"), "abcde");
        assert_eq!(all("line\r\n\tline\n"), "line\r\n\tline\n");
        assert_eq!(all("shown\rhidden\r"), "shownhidden");
    }

    #[test]
    fn escape_sequences_go_whole() {
        for (text, clean) in [
            ("\u{1b}[1;31mred\u{1b}[0m", "red"),
            ("\u{1b}[?25l\u{1b}[2Jx\u{9b}31mx", "xx"),
            ("\u{1b}[38:2::1:2:3mx", "x"),
            ("\u{1b}]0;title\u{7}x", "x"),
            ("\u{1b}]8;;https://example.com\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{9d}0;title\u{9c}x", "x"),
            ("\u{1b}Pq#0\u{1b}\\x\u{1b}_apc\u{1b}\\", "x"),
            ("\u{1b}(Bx\u{1b}7y\u{1b}cz", "xyz"),
            ("x\u{1b}", "x"),
            ("x\u{1b}é", "xé"),
            ("x\u{1b}[", "x"),
            ("x\u{1b}[31", "x"),
            ("\u{1b}[31é", "é"),
        ] {
            assert_eq!(all(text), clean, "{text:?}");
        }
    }

    #[test]
    fn a_sequence_without_an_end_swallows_nothing_that_is_seen() {
        assert_eq!(all("a\u{1b}]0;no end\nb"), "a0;no end\nb");
        assert_eq!(all("a\u{1b}]b\u{1b}]c\u{1b}]d"), "abcd");
        assert_eq!(all("\u{1b}]a\n\u{1b}]b\u{7}c"), "a\nc");
    }

    #[test]
    fn sequences_without_an_end_take_linear_time() {
        let many = "\u{1b}]x".repeat(400_000);
        let started = std::time::Instant::now();
        assert_eq!(all(&many).len(), 400_000);
        assert!(started.elapsed() < std::time::Duration::from_secs(5));
    }

    #[test]
    fn what_nobody_sees_goes() {
        for text in [
            "a\u{200b}b",
            "a\u{2060}b",
            "a\u{feff}b",
            "a\u{ad}b",
            "a\u{200d}b",
            "a\u{200c}b",
            "a\u{202e}b\u{202c}",
            "a\u{2066}b\u{2069}",
            "a\u{200e}b",
            "a\u{fe0f}b\u{fe0e}",
            "a\u{e0100}b",
            "a\u{3164}b",
            "a\u{e0001}\u{e0048}\u{e0069}\u{e007f}b",
            "\u{200b}\u{200d}a\u{200c}\u{200b}b",
        ] {
            assert_eq!(all(text), "ab", "{text:?}");
        }
        // What is hidden in a row after a character that may have one.
        assert_eq!(all("😀\u{fe0f}\u{fe01}\u{e0101}\u{e0102}"), "😀\u{fe0f}");
        assert_eq!(all("سلام\u{200c}\u{200d}\u{200c}\u{200c}"), "سلام\u{200c}");
        assert_eq!(all("שלום\u{200f}\u{200e}\u{200f}"), "שלום\u{200f}");
        assert_eq!(all("🏴\u{e0068}\u{e0069}\u{e007f}"), "🏴");
        assert_eq!(all("1\u{fe0f}"), "1");
    }

    #[test]
    fn what_belongs_there_stays() {
        for text in [
            "",
            "fn main() {\n\tprintln!(\"Grüße, 世界\");\r\n}\r\n",
            // Emoji: families, skin tones, flags, keycaps, hearts, and text style.
            "👩\u{200d}👩\u{200d}👧\u{200d}👦 👩🏽\u{200d}💻 ❤\u{fe0f} ❤\u{fe0f}\u{200d}🔥 🏳\u{fe0f}\u{200d}🌈 🐦\u{200d}⬛",
            "🧑\u{200d}⚕\u{fe0f} 🏃🏿\u{200d}♀\u{fe0f}\u{200d}➡\u{fe0f} 🙂\u{200d}↔\u{fe0f} 👁\u{fe0f}\u{200d}🗨\u{fe0f} ☎\u{fe0e}",
            "1\u{fe0f}\u{20e3} #\u{fe0f}\u{20e3} ©\u{fe0f} ™\u{fe0f} ㊗\u{fe0f} 🇩🇪",
            "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}🏴\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}!",
            // Persian, also after a foreign word; Hindi; Sinhala; Malayalam; Bengali.
            "می\u{200c}خواهم کتاب\u{200c}ها را ببینم",
            "PDF\u{200c}ها و ۵\u{200c}ام",
            "क्\u{200d}ष और क्\u{200c}ष",
            "ශ්\u{200d}රී ලංකා",
            "അവന്\u{200d}",
            "র\u{200d}্য",
            // Arabic and Hebrew, with marks.
            "مرحبا بالعالم! \u{200f}C++\u{200e} لغة",
            "שלום!\u{200f} (עולם)",
            // Variants of ideographs, in Japanese names; mathematics.
            "葛\u{e0100}城市 辻\u{e0101}さん 﨑\u{fe00}",
            "∩\u{fe00}",
            // Words of Khmer and Thai.
            "ភាសា\u{200b}ខ្មែរ",
            "ภาษา\u{200b}ไทย",
            "ᠮᠣᠩᠭᠣᠯ\u{180b}",
        ] {
            assert!(
                matches!(
                    Characters { controls: true, escapes: true, invisible: true }.clean(text, &mut Removed::default()),
                    Cow::Borrowed(_)
                ),
                "{text:?} became {:?}",
                all(text)
            );
        }
    }

    #[test]
    fn each_rule_holds_by_itself() {
        let text = "\u{1b}[1mx\u{200b}\u{1}";
        let none = Characters::default();
        let clean = |rules: Characters| rules.clean(text, &mut Removed::default()).into_owned();
        assert_eq!(clean(none), text);
        assert_eq!(clean(Characters { escapes: true, ..none }), "x\u{200b}\u{1}");
        assert_eq!(clean(Characters { controls: true, ..none }), "[1mx\u{200b}");
        assert_eq!(clean(Characters { invisible: true, ..none }), "\u{1b}[1mx\u{1}");
    }

    #[test]
    fn what_goes_is_counted_by_kind() {
        let mut removed = Removed::default();
        let rules = Characters { controls: true, escapes: true, invisible: true };
        rules.clean("\u{1b}[1mx\u{200b}\u{200b}\u{1}\u{1}\u{1}", &mut removed);
        assert_eq!((removed.escapes, removed.invisible, removed.controls), (1, 2, 3));
    }
}
