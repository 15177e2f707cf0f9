//! For people.

use std::fmt::Write as _;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::facts::Source;
use crate::finding::Finding;
use crate::report::Report;
use crate::rule::Severity;
use crate::say::{printable, printable_line};

/// The longest line that is given to the renderer, which shows what fits a screen.
const WIDTH: usize = 2_000;

impl Report {
    /// For people: findings tool by tool, each with the faulty place, and a closing table of verdicts. Foreign text can't
    /// steer a terminal.
    #[must_use]
    pub fn to_text(&self, color: bool) -> String {
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        let mut out = String::new();
        let mut about = None;
        for finding in &self.findings {
            if about != Some(finding.index) {
                about = Some(finding.index);
                let _ = writeln!(out, "── {}\n", printable(&finding.subject()).replace('\n', " "));
            }
            let _ = writeln!(out, "{}\n", self.show(finding, &renderer));
        }
        if self.verbose {
            for (index, exchange) in self.exchanges.iter().enumerate() {
                let _ = writeln!(out, "── exchange {index}: {}", printable(&exchange.to_text()));
            }
        }
        self.table(&mut out);
        out
    }

    fn show(&self, finding: &Finding, renderer: &Renderer) -> String {
        let rule = finding.rule;
        let level = match rule.severity {
            Severity::Rejects => Level::ERROR.with_name("rejects"),
            Severity::Truncates => Level::ERROR.with_name("truncates"),
            Severity::Degraded => Level::WARNING.with_name("degraded"),
            Severity::Advice => Level::NOTE.with_name("advice"),
        };
        let message = printable_line(&finding.full_message());
        let title = level.primary_title(rule.title).id(rule.id);
        let hosts = finding.host_names().join(", ");
        let consequence = match hosts.as_str() {
            "" => format!("{}; lost: the {}", rule.consequence, rule.blast),
            hosts => format!("{hosts}: {}; lost: the {}", rule.consequence, rule.blast),
        };
        let excerpt = self.sources.get(finding.source).and_then(|source| {
            let (text, line, span) = excerpt(source, &finding.span)?;
            let reformatted = if source.reflowed { " (reformatted)" } else { "" };
            Some((text, line, span, printable(&format!("{}{reformatted}", source.name))))
        });
        let mut group = Group::with_title(title);
        match excerpt {
            Some((text, line, span, path)) => {
                let annotation = AnnotationKind::Primary.span(span).label(message);
                let snippet = Snippet::source(text).line_start(line).path(path).fold(false).annotation(annotation);
                group = group.element(snippet);
            }
            None => {
                group = group
                    .element(Level::NOTE.with_name("at").message(format!("{}: {message}", printable(&finding.pointer))))
            }
        }
        let exchange = finding.exchange.and_then(|index| self.exchanges.get(index).zip(self.sent.get(index)));
        if let Some((exchange, _)) = exchange.filter(|(_, sent)| **sent != finding.source) {
            group = group.element(Level::NOTE.with_name("sent").message(exchange.short()));
        }
        group = group.element(Level::NOTE.with_name("then").message(consequence));
        if let Some(note) = rule.note {
            group = group.element(Level::NOTE.message(note));
        }
        group = group.element(Level::HELP.with_name("fix").message(rule.fix));
        renderer.render(&[group]).to_string()
    }

    fn table(&self, out: &mut String) {
        let rows: Vec<[String; 5]> = self
            .verdicts()
            .into_iter()
            .map(|it| {
                let worst = it.worst.map_or("clean", |worst| worst.name()).to_owned();
                let blast = it.blast.map_or("", |blast| blast.name()).to_owned();
                [it.who.to_owned(), worst, blast, it.findings.to_string(), it.tools.to_string()]
            })
            .collect();
        let head = ["who", "verdict", "lost", "findings", "tools"].map(str::to_owned);
        let width = |column: usize| rows.iter().chain([&head]).map(|row| row[column].len()).max().unwrap_or_default();
        let widths = [0, 1, 2, 3, 4].map(width);
        for row in std::iter::once(&head).chain(&rows) {
            let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
            let _ = writeln!(out, "{}", cells.collect::<Vec<_>>().join("  ").trim_end());
        }
        let _ = writeln!(out, "\n{}", self.summary());
    }

    /// Such as `3 tools, 5 findings: 2 rejects, 3 advice`.
    pub(crate) fn summary(&self) -> String {
        let plural = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        let head = format!("{}, {}", plural(self.tools, "tool"), plural(self.findings.len(), "finding"));
        let severities = [Severity::Rejects, Severity::Truncates, Severity::Degraded, Severity::Advice];
        let counts =
            severities.into_iter().map(|severity| (self.count(severity), severity)).filter(|(count, _)| *count > 0);
        let counts: Vec<String> = counts.map(|(count, severity)| format!("{count} {severity}")).collect();
        if counts.is_empty() { head } else { format!("{head}: {}", counts.join(", ")) }
    }

    /// The name of a tool without findings.
    pub(crate) fn tool_name(&self, index: usize) -> String {
        format!("tool {} of the list", index + 1)
    }
}

/// The line of a place, made fit to be shown: the text, the line's number, and the place in the text.
fn excerpt(source: &Source, span: &Range<usize>) -> Option<(String, usize, Range<usize>)> {
    let line = source.lines.partition_point(|&start| start <= span.start).checked_sub(1)?;
    let from = source.lines[line];
    let to = source.lines.get(line + 1).map_or(source.text.len(), |next| next - 1);
    let whole = source.text.get(from..to)?.trim_end_matches('\r');
    let (start, end) = (span.start - from, (span.end - from).min(whole.len()).max(span.start - from));
    // A long line is shown around the place.
    let skip = if whole.len() > WIDTH && start > WIDTH / 2 { start - WIDTH / 4 } else { 0 };
    let skip = (skip..=start).find(|&at| whole.is_char_boundary(at))?;
    let before = printable(whole.get(skip..start)?);
    let here = cut(whole.get(start..end)?);
    let after = cut(whole.get(end..)?);
    let lead = if skip > 0 { "…" } else { "" };
    let (start, length) = (lead.len() + before.len(), here.len().max(1));
    let shown = format!("{lead}{before}{here}{after}");
    let end = (start + length).min(shown.len());
    Some((shown, line + 1, start..end))
}

fn cut(text: &str) -> String {
    let mut shown: String = text.chars().take(WIDTH).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    printable(&shown)
}
