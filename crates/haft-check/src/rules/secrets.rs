//! Secrets in definitions.

use std::sync::LazyLock;

use regex::Regex;

use crate::rule::{Blast, Check, Confidence, Family, Rule, Severity, Subject};

pub(super) static RULES: [Rule; 1] = [Rule {
    id: "SAF-SECRET-001",
    title: "a definition has a secret in it",
    subject: Subject::Tool,
    family: Family::Safety,
    severity: Severity::Degraded,
    blast: Blast::Server,
    confidence: Confidence::Derived,
    source: "formats of keys as GitHub secret scanning documents them",
    date: "2026-06-01",
    consequence: "everybody who lists the tools can use it",
    fix: "revoke the secret, and write an example that is none",
    check: Check::Text(check),
    ..Rule::BASE
}];

static SECRET: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\b(?:sk-(?:proj-|ant-(?:api\d\d-)?)?[A-Za-z0-9_-]{32,}|gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{60,}|glpat-[A-Za-z0-9_-]{20,}|AKIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{35}|xox[baprs]-[0-9A-Za-z-]{24,}|npm_[A-Za-z0-9]{36})\b|-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----").ok()
});

fn check(text: &str) -> Option<String> {
    let hit = SECRET.as_ref()?.find_iter(text).find(|hit| !is_placeholder(hit.as_str()))?;
    // The report must not spread it.
    let shown: String = hit.as_str().chars().take(6).collect();
    Some(format!("this has the form of a key: {shown}…"))
}

/// Whether a key is one that documentation shows: it says so, or is made of few characters.
fn is_placeholder(key: &str) -> bool {
    let body = key.rsplit(['_', '-']).next().unwrap_or(key);
    let mut different: Vec<char> = body.chars().collect();
    different.sort_unstable();
    different.dedup();
    let says = key.to_lowercase();
    ["example", "xxxx", "your", "placeholder", "1234567890"].iter().any(|word| says.contains(word))
        || (different.len() < 6 && !key.starts_with("-----"))
}
