//! JUnit, for the test reports of CI systems.

use std::fmt::Write as _;

use crate::report::Report;
use crate::rule::Severity;
use crate::say::printable;

impl Report {
    /// A JUnit document: a test case for each tool and one for the server. A case fails if one of its findings is of the
    /// severity `failing` or graver; its other findings are its output.
    #[must_use]
    pub fn to_junit(&self, failing: Severity) -> String {
        let mut cases = String::new();
        let mut failures = 0;
        for index in std::iter::once(None).chain((0..self.tools).map(Some)) {
            let theirs: Vec<_> = self.findings.iter().filter(|finding| finding.index == index).collect();
            let name = match (theirs.first(), index) {
                (Some(finding), _) => finding.subject(),
                (None, Some(index)) => self.tool_name(index),
                (None, None) => "the server".to_owned(),
            };
            let text = |grave: bool| {
                let chosen = theirs.iter().filter(|finding| (finding.rule.severity >= failing) == grave);
                let lines = chosen.map(|finding| {
                    let rule = finding.rule;
                    let (message, place) = (finding.full_message(), &finding.pointer);
                    format!(
                        "{} {}: {message}\n  at {place}\n  {}\n  fix: {}",
                        rule.severity, rule.id, rule.consequence, rule.fix
                    )
                });
                lines.collect::<Vec<_>>().join("\n")
            };
            let (failed, other) = (text(true), text(false));
            let _ = writeln!(cases, "    <testcase classname=\"haft\" name=\"{}\">", escape(&name));
            if !failed.is_empty() {
                failures += 1;
                let first = failed.lines().next().unwrap_or_default();
                let _ = writeln!(cases, "      <failure message=\"{}\">{}</failure>", escape(first), escape(&failed));
            }
            if !other.is_empty() {
                let _ = writeln!(cases, "      <system-out>{}</system-out>", escape(&other));
            }
            cases.push_str("    </testcase>\n");
        }
        let tests = self.tools + 1;
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"{tests}\" failures=\"{failures}\">\n  \
             <testsuite name=\"haft check\" tests=\"{tests}\" failures=\"{failures}\">\n{cases}  </testsuite>\n</testsuites>\n"
        )
    }
}

/// Text for XML: what XML has no form for is already written as an escape.
fn escape(text: &str) -> String {
    let text = printable(text);
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\u{fffe}' | '\u{ffff}' => out.push(char::REPLACEMENT_CHARACTER),
            c => out.push(c),
        }
    }
    out
}
