//! What was known before.

use std::collections::HashSet;
use std::fmt;

use serde::Deserialize;

use crate::finding::Finding;

/// The findings of an earlier report: a later one can leave them out, so that only what is new is shown.
///
/// A finding is known by its rule, its tool and its place, not by its words or its line.
#[derive(Debug, Clone, Default)]
pub struct Baseline {
    known: HashSet<Place>,
}

/// Rule, tool, pointer and, of what a probe found, the probe.
type Place = (String, Option<String>, String, Option<String>);

/// Why a text is no report.
#[derive(Debug)]
pub struct BaselineError(serde_json::Error);

impl fmt::Display for BaselineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a report of `haft check --format json`: {}", self.0)
    }
}

impl std::error::Error for BaselineError {}

#[derive(Deserialize)]
struct Earlier {
    findings: Vec<Known>,
}

#[derive(Deserialize)]
struct Known {
    rule: String,
    tool: Option<String>,
    pointer: String,
    probe: Option<String>,
}

impl Baseline {
    /// Reads a report as [`Report::to_json`](crate::Report::to_json) writes it.
    ///
    /// # Errors
    /// When the text is something else.
    pub fn read(report: &str) -> Result<Self, BaselineError> {
        let earlier: Earlier = serde_json::from_str(report).map_err(BaselineError)?;
        let place = |known: Known| (known.rule, known.tool, known.pointer, known.probe);
        let known = earlier.findings.into_iter().map(place).collect();
        Ok(Self { known })
    }

    pub(crate) fn knows(&self, finding: &Finding) -> bool {
        let probe = finding.probe.clone();
        self.known.contains(&(finding.rule.id.to_owned(), finding.tool.clone(), finding.pointer.clone(), probe))
    }
}
