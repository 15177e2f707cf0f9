//! Markdown, for a comment on a pull request.

use std::fmt::Write as _;

use crate::report::Report;
use crate::say::printable;

impl Report {
    /// Markdown: the verdicts as a table, then the findings tool by tool.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let mut out = format!("### haft check: {}\n\n", self.summary());
        out.push_str("| who | verdict | lost | findings | tools |\n|---|---|---|---|---|\n");
        for verdict in self.verdicts() {
            let worst = verdict.worst.map_or("clean", |worst| worst.name());
            let blast = verdict.blast.map_or("", |blast| blast.name());
            let _ = writeln!(out, "| {} | {worst} | {blast} | {} | {} |", verdict.who, verdict.findings, verdict.tools);
        }
        let mut about = None;
        for finding in &self.findings {
            if about != Some(finding.index) {
                about = Some(finding.index);
                let _ = writeln!(out, "\n#### {}\n", escape(&finding.subject()));
            }
            let rule = finding.rule;
            let (message, hosts) = (escape(&finding.full_message()), finding.host_names().join(", "));
            let _ = write!(out, "- **{}** `{}` {message}", rule.severity, rule.id);
            if !finding.pointer.is_empty() {
                let _ = write!(out, " (at {})", code(&finding.pointer));
            }
            let _ = write!(out, "  \n  {}", escape(rule.consequence));
            if !hosts.is_empty() {
                let _ = write!(out, " ({hosts}; lost: the {})", rule.blast);
            }
            let _ = writeln!(out, "  \n  Fix: {}", escape(rule.fix));
        }
        out
    }
}

/// Foreign text that stays text: no mark-up, no links, no mentions, one line.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut in_code = false;
    for c in printable(text).chars() {
        match c {
            '\n' => out.push(' '),
            '`' => {
                in_code = !in_code;
                out.push('`');
            }
            // Between backticks a backslash would show.
            c if in_code => out.push(c),
            '@' => out.push_str("@\u{2060}"),
            '<' => out.push_str("&lt;"),
            '\\' | '*' | '_' | '[' | ']' | '#' | '|' | '!' | '~' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    if in_code {
        out.push('`');
    }
    out
}

fn code(text: &str) -> String {
    format!("`{}`", printable(text).replace(['`', '\n'], "'"))
}
