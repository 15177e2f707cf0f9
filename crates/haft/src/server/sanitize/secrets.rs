//! Secrets by their shape.

use std::borrow::Cow;

use regex::{Captures, Regex};

use super::Removed;

/// What stands in the place of a secret.
const MARK: &str = "[secret removed]";

/// The kinds of the log, and their shapes. Word boundaries are those of ASCII, which needs no slower engine.
const SHAPES: [(&str, &str); 12] = [
    (
        "private key",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\z)",
    ),
    ("JSON web token", r"(?-u:\b)eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    ("AWS key id", r"(?-u:\b)(?:AKIA|ASIA)[A-Z2-7]{16}(?-u:\b)"),
    ("AWS secret key", r#"(?-u:\b)(?i:aws_secret_access_key)["']?\s{0,4}[=:]\s{0,4}["']?[A-Za-z0-9/+]{40}(?-u:\b)"#),
    ("GitHub token", r"(?-u:\b)(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})(?-u:\b)"),
    ("GitLab token", r"(?-u:\b)gl(?:pat|ptt|dt|rt|ft|soat)-[A-Za-z0-9_-]{20,}"),
    ("Google key", r"(?-u:\b)AIza[A-Za-z0-9_-]{35}(?-u:\b)"),
    ("npm token", r"(?-u:\b)npm_[A-Za-z0-9]{36}(?-u:\b)"),
    (
        "Slack token",
        r"(?-u:\b)(?:xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[0-9]-[A-Za-z0-9-]{10,}|https://hooks\.slack\.com/services/[A-Za-z0-9/]{20,})",
    ),
    ("Stripe key", r"(?-u:\b)[rs]k_(?:live|test)_[A-Za-z0-9]{16,}(?-u:\b)"),
    ("Anthropic key", r"(?-u:\b)sk-ant-[A-Za-z0-9_-]{20,}"),
    (KEY, r"(?-u:\b)sk-[A-Za-z0-9_-]{20,}"),
];

/// The keys of many services begin alike, and as plain words do: the rest of them must look drawn at random.
const KEY: &str = "API key";

/// What users look for themselves.
const OWN: &str = "pattern";

#[derive(Debug)]
pub(super) struct Secrets {
    /// All shapes, each a group of its own.
    known: Option<Regex>,
    own: Vec<Regex>,
}

impl Secrets {
    /// The rules, or what is wrong with the user's own.
    pub(super) fn compile(known: bool, own: &[String]) -> Result<Self, Vec<String>> {
        let mut problems = Vec::new();
        let mut compiled = Vec::new();
        for pattern in own {
            match Regex::new(pattern) {
                Ok(regex) if regex.is_match("") => {
                    problems.push(format!("the pattern {pattern:?} matches the empty text, which is everywhere"));
                }
                Ok(regex) => compiled.push(regex),
                Err(error) => problems.push(format!("the pattern {pattern:?} is no regular expression: {error}")),
            }
        }
        let shapes = SHAPES.map(|(_, shape)| format!("({shape})")).join("|");
        let known = known.then(|| Regex::new(&shapes)).transpose();
        let known = known.unwrap_or_else(|error| {
            problems.push(format!("the shapes of secrets cannot be compiled: {error}"));
            None
        });
        if problems.is_empty() { Ok(Self { known, own: compiled }) } else { Err(problems) }
    }

    pub(super) fn any(&self) -> bool {
        self.known.is_some() || !self.own.is_empty()
    }

    /// Whether what is in a string is found in the JSON text that has it, too. Patterns of users may be anchored.
    pub(super) fn sees_through_json(&self) -> bool {
        self.own.is_empty()
    }

    /// Whether one of the known shapes is in the text.
    pub(super) fn may_be_in(&self, text: &str) -> bool {
        self.known.as_ref().is_some_and(|known| known.is_match(text))
    }

    /// The text with marks in the place of secrets.
    pub(super) fn clean<'t>(&self, text: &'t str, removed: &mut Removed) -> Cow<'t, str> {
        let mut clean = self.known.as_ref().map_or(Cow::Borrowed(text), |known| without(known, text, removed));
        for own in &self.own {
            let mut found = 0;
            let replaced = own.replace_all(&clean, |captures: &Captures<'_>| {
                let empty = captures.get(0).is_none_or(|found| found.is_empty());
                found += usize::from(!empty);
                if empty { "" } else { MARK }
            });
            if found > 0 {
                clean = Cow::Owned(replaced.into_owned());
                *removed.secrets.entry(OWN).or_default() += found;
            }
        }
        clean
    }
}

fn without<'t>(known: &Regex, text: &'t str, removed: &mut Removed) -> Cow<'t, str> {
    if !known.is_match(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for captures in known.captures_iter(text) {
        let mut groups = SHAPES.iter().zip(captures.iter().skip(1));
        let Some((kind, found)) = groups.find_map(|((kind, _), group)| Some((*kind, group?))) else { continue };
        if kind == KEY && !is_random(found.as_str()) {
            continue;
        }
        *removed.secrets.entry(kind).or_default() += 1;
        out.push_str(&text[done..found.start()]);
        out.push_str(MARK);
        done = found.end();
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[done..]);
    Cow::Owned(out)
}

/// Letters of both cases and digits, or many digits: no words joined by hyphens.
fn is_random(key: &str) -> bool {
    let has = |test: fn(&u8) -> bool| key.as_bytes().iter().filter(|&byte| test(byte)).count();
    let digits = has(u8::is_ascii_digit);
    digits >= 6 || (digits > 0 && has(u8::is_ascii_uppercase) > 0 && has(u8::is_ascii_lowercase) > 2)
}
