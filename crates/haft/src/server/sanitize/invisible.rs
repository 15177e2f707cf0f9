//! Characters that nobody sees, and where they belong all the same.

use std::cell::OnceCell;

/// One text, of which single characters are asked about.
pub(super) struct Invisible<'t> {
    text: &'t str,
    right_to_left: OnceCell<bool>,
}

/// The flags of England, Scotland and Wales: all that Unicode makes of tags.
const FLAGS: [&str; 3] = [
    "\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    "\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
    "\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
];

impl<'t> Invisible<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, right_to_left: OnceCell::new() }
    }

    /// How many bytes of tags make a flag of the character that ends here.
    pub(super) fn flag(&self, flag: char, end: usize) -> usize {
        if flag != '\u{1f3f4}' {
            return 0;
        }
        FLAGS.iter().find(|tags| self.text[end..].starts_with(**tags)).map_or(0, |tags| tags.len())
    }

    /// Whether this character is to go. `before` is what stays of the text before it, `after` what follows it.
    pub(super) fn goes(&self, c: char, before: Option<char>, after: Option<char>) -> bool {
        let before_is = |test: fn(char) -> bool| before.is_some_and(test);
        let after_is = |test: fn(char) -> bool| after.is_some_and(test);
        match c {
            // Joiners: in emoji, and next to letters that join; one at a time.
            '\u{200c}' | '\u{200d}' => {
                let emoji = c == '\u{200d}' && before_is(ends_emoji) && after_is(is_pictograph);
                let letters = before_is(joins) || (after_is(joins) && !before_is(is_joiner));
                !(emoji || letters)
            }
            // Marks of direction: in text that has such letters; one at a time.
            '\u{61c}' | '\u{200e}' | '\u{200f}' => before_is(is_mark) || !self.has_right_to_left(),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
            // Selectors: one after a character that has variants.
            '\u{fe0e}' | '\u{fe0f}' => {
                let keycap = before.is_some_and(|c| matches!(c, '0'..='9' | '#' | '*')) && after == Some('\u{20e3}');
                !(keycap || before_is(is_pictograph) || before_is(is_ideograph))
            }
            '\u{fe00}'..='\u{fe0d}' => !before_is(has_variants),
            '\u{e0100}'..='\u{e01ef}' => !before_is(is_ideograph),
            '\u{180b}'..='\u{180f}' => !before_is(|c| matches!(c, '\u{1820}'..='\u{18aa}')),
            // Where words end, in scripts that have no spaces.
            '\u{200b}' => !(before_is(is_spaceless) && after_is(is_spaceless)),
            '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' => true,
            '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' => true,
            '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' => true,
            '\u{e0000}'..='\u{e0fff}' => true,
            _ => false,
        }
    }

    fn has_right_to_left(&self) -> bool {
        *self.right_to_left.get_or_init(|| self.text.chars().any(is_right_to_left))
    }
}

fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

fn is_mark(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}')
}

/// What emoji are made of, and the symbols that may be shown as such.
fn is_pictograph(c: char) -> bool {
    matches!(c,
        '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2190}'..='\u{21ff}'
        | '\u{2300}'..='\u{23ff}' | '\u{24c2}' | '\u{25a0}'..='\u{27bf}' | '\u{2900}'..='\u{297f}'
        | '\u{2b00}'..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

/// An emoji may end in a selector.
fn ends_emoji(c: char) -> bool {
    c == '\u{fe0f}' || is_pictograph(c)
}

/// Letters and signs of scripts in which joiners decide how a word looks: Arabic and its kin, those of India, Mongolian.
fn joins(c: char) -> bool {
    !is_mark(c)
        && matches!(c,
            '\u{600}'..='\u{dff}' | '\u{f00}'..='\u{109f}' | '\u{1780}'..='\u{18af}' | '\u{1a20}'..='\u{1bff}'
            | '\u{a800}'..='\u{a8ff}' | '\u{a980}'..='\u{aaff}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}'
            | '\u{10a00}'..='\u{11fff}' | '\u{1e900}'..='\u{1e95f}')
}

fn is_right_to_left(c: char) -> bool {
    !is_mark(c)
        && matches!(c,
            '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{10800}'..='\u{10fff}'
            | '\u{1e800}'..='\u{1efff}')
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Characters with standardised variants besides emoji and ideographs: mathematics, Burmese, punctuation of full width.
fn has_variants(c: char) -> bool {
    is_ideograph(c)
        || matches!(c,
            '0' | '\u{1000}'..='\u{109f}' | '\u{2190}'..='\u{22ff}' | '\u{2a00}'..='\u{2aff}' | '\u{3000}'..='\u{303f}'
            | '\u{a840}'..='\u{a877}' | '\u{aa60}'..='\u{aa7f}' | '\u{ff01}'..='\u{ff1f}')
}

/// Thai, Lao, Burmese, Khmer and their neighbours.
fn is_spaceless(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{1950}'..='\u{19ff}'
        | '\u{1a20}'..='\u{1aaf}' | '\u{a9e0}'..='\u{a9ff}' | '\u{aa60}'..='\u{aadf}')
}
