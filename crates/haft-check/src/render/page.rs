//! Rules for their readers.

use std::fmt::Write as _;

use crate::host::Host;
use crate::rule::{Family, Rule};
use crate::rules;

impl Rule {
    /// A page of Markdown that says all that is known of the rule.
    #[must_use]
    pub fn page(&self) -> String {
        let mut page = format!("# {}: {}\n\n", self.id, self.title);
        let hosts: Vec<&str> =
            self.hosts.iter().filter(|&&host| host != Host::Portable).map(|host| host.about()).collect();
        let who = match (hosts.is_empty(), self.family) {
            (false, _) => hosts.join("; "),
            (true, Family::Specification) => "the specification".to_owned(),
            (true, _) => "every host".to_owned(),
        };
        let portable = if self.hosts.contains(&Host::Portable) { "part of the portable profile" } else { "" };
        let limit = self.limit.map(|limit| format!("{} {}", limit.value, limit.unit)).unwrap_or_default();
        for (what, text) in [
            ("Looks at", self.subject.name()),
            ("Who", who.as_str()),
            ("Severity", self.severity.name()),
            ("Lost", self.blast.name()),
            ("Limit", limit.as_str()),
            ("Confidence", self.confidence.name()),
            ("Profile", portable),
        ] {
            if !text.is_empty() {
                let _ = writeln!(page, "- {what}: {text}");
            }
        }
        let _ = write!(page, "\n**What happens.** {}.\n\n**What to write.** {}.\n", self.consequence, self.fix);
        if let Some(note) = self.note {
            let _ = write!(page, "\n**Note.** {note}\n");
        }
        let _ = write!(page, "\n**Source** ({}): {}\n", self.date, self.source);
        page
    }
}

/// The pages of `docs/rules/`: file names and texts, the index first.
#[must_use]
pub fn pages() -> Vec<(String, String)> {
    let mut index = "# Rules of `haft check`\n\nWritten by `HAFT_BLESS=1 cargo test -p haft-check --test it docs`; the rules are in \
                     `crates/haft-check/src/rules/`.\n"
        .to_owned();
    for family in [Family::Specification, Family::Host, Family::Quality, Family::Safety] {
        let _ = write!(
            index,
            "\n## {family}\n\n| rule | what is wrong | hosts | severity | lost | confidence |\n|---|---|---|---|---|---|\n"
        );
        let mut theirs: Vec<&Rule> = rules::all().filter(|rule| rule.family == family).collect();
        theirs.sort_by_key(|rule| rule.id);
        for rule in theirs {
            let hosts: Vec<&str> = rule.hosts.iter().map(|host| host.name()).collect();
            let _ = writeln!(
                index,
                "| [{0}]({0}.md) | {1} | {2} | {3} | {4} | {5} |",
                rule.id,
                rule.title,
                hosts.join(", "),
                rule.severity,
                rule.blast,
                rule.confidence
            );
        }
    }
    let pages = rules::all().map(|rule| (format!("{}.md", rule.id), rule.page()));
    std::iter::once(("README.md".to_owned(), index)).chain(pages).collect()
}
