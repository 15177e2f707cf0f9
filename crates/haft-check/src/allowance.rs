//! What a project puts up with, and until when.

use std::time::SystemTime;

use crate::age::days_since_1970;
use crate::finding::Finding;

/// A rule that a project breaks on purpose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowance {
    /// The rule's id.
    pub rule: String,
    /// The tool that may break it; `None` for all.
    pub tool: Option<String>,
    /// Why.
    pub reason: String,
    /// The last day on which it holds: `YYYY-MM-DD`.
    pub until: String,
}

impl Allowance {
    /// Whether it holds no longer at `now`; one whose day can't be read holds never.
    #[must_use]
    pub fn is_expired(&self, now: SystemTime) -> bool {
        let today = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs() / (24 * 60 * 60);
        days_since_1970(&self.until).is_none_or(|last| today > last)
    }

    pub(crate) fn covers(&self, finding: &Finding) -> bool {
        self.rule == finding.rule.id && (self.tool.is_none() || self.tool == finding.tool)
    }
}
