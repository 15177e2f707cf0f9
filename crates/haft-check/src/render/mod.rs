//! Reports for their readers.

mod json;
mod junit;
mod markdown;
mod page;
mod sarif;
mod text;

pub use page::pages;

use crate::finding::Finding;
use crate::host::Host;
use crate::report::Report;

/// Where a finding is, in lines and columns of the document as it was read.
pub(crate) struct Position {
    pub(crate) line: usize,
    /// First and last column; `None` in a line that is too long to count in.
    pub(crate) columns: Option<(usize, usize)>,
}

/// The longest line that columns are counted in.
const COUNTED: usize = 10_000;

impl Report {
    /// The document's name, and the position in it unless its lines are not those that were read. What spans lines is
    /// placed where it begins.
    pub(crate) fn locate(&self, finding: &Finding) -> (&str, Option<Position>) {
        let Some(source) = self.sources.get(finding.source) else { return ("", None) };
        if source.reflowed {
            return (&source.name, None);
        }
        let line = source.lines.partition_point(|&start| start <= finding.span.start);
        let start = line.checked_sub(1).and_then(|index| source.lines.get(index)).copied().unwrap_or_default();
        let column = |at: usize| {
            let before = source.text.get(start..at).filter(|before| before.len() <= COUNTED)?;
            Some(before.chars().count() + 1)
        };
        (&source.name, Some(Position { line, columns: column(finding.span.start).zip(column(finding.span.end)) }))
    }
}

impl Finding {
    /// The hosts that it speaks of, `portable` apart: that one is what the others come to.
    pub(crate) fn host_names(&self) -> Vec<&'static str> {
        self.rule.hosts.iter().filter(|&&host| host != Host::Portable).map(|host| host.name()).collect()
    }

    /// The message, with the count of further places.
    pub(crate) fn full_message(&self) -> String {
        match self.more {
            0 => self.message.clone(),
            1 => format!("{} (and 1 more place)", self.message),
            more => format!("{} (and {more} more places)", self.message),
        }
    }
}
