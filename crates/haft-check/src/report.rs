//! What came of a check.

use std::sync::Arc;

use crate::allowance::Allowance;
use crate::exchange::Exchange;
use crate::facts::{ServerFacts, Source};
use crate::finding::Finding;
use crate::host::Host;
use crate::options::Options;
use crate::rule::{Blast, Family, Severity};

/// What came of a check.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Report {
    /// All findings: the server's first, then tool by tool, the gravest first.
    pub findings: Vec<Finding>,
    /// The hosts that were checked for.
    pub hosts: Vec<Host>,
    /// How many tools were seen.
    pub tools: usize,
    /// Allowances that nothing needs.
    pub unused: Vec<Allowance>,
    /// What went over the wire, if the server was probed.
    pub exchanges: Vec<Exchange>,
    /// The document of each exchange that is what was sent.
    pub(crate) sent: Vec<usize>,
    pub(crate) verbose: bool,
    pub(crate) sources: Vec<Arc<Source>>,
}

/// What one party makes of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verdict {
    /// A host's name, or `specification`, `quality`, `safety`.
    pub who: &'static str,
    /// The gravest of its findings; `None` where there is none.
    pub worst: Option<Severity>,
    /// The most that one of its findings loses, among those of the gravest severity.
    pub blast: Option<Blast>,
    /// How many findings it has.
    pub findings: usize,
    /// How many tools they concern.
    pub tools: usize,
}

impl Report {
    pub(crate) fn new(facts: &ServerFacts, options: &Options, findings: Vec<Finding>, unused: Vec<Allowance>) -> Self {
        Self {
            findings,
            hosts: options.hosts.clone(),
            tools: facts.definitions.len(),
            unused,
            exchanges: facts.heard.iter().map(|heard| heard.exchange.clone()).collect(),
            sent: facts.heard.iter().map(|heard| heard.sent).collect(),
            verbose: options.verbose,
            sources: facts.sources.clone(),
        }
    }

    /// The gravest severity; `None` where nothing was found.
    #[must_use]
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|finding| finding.rule.severity).max()
    }

    /// Whether a finding is this grave or graver.
    #[must_use]
    pub fn fails(&self, severity: Severity) -> bool {
        self.worst().is_some_and(|worst| worst >= severity)
    }

    /// How many findings are of this severity.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.rule.severity == severity).count()
    }

    /// What each party that was checked for makes of the server: the specification, each host, quality, safety.
    #[must_use]
    pub fn verdicts(&self) -> Vec<Verdict> {
        let specification =
            self.verdict(Family::Specification.name(), |finding| finding.rule.family == Family::Specification);
        let hosts =
            self.hosts.iter().map(|host| self.verdict(host.name(), |finding| finding.rule.hosts.contains(host)));
        let rest = [Family::Quality, Family::Safety].into_iter().map(|family| {
            self.verdict(family.name(), move |finding| finding.rule.family == family && finding.rule.hosts.is_empty())
        });
        std::iter::once(specification).chain(hosts).chain(rest).collect()
    }

    fn verdict(&self, who: &'static str, theirs: impl Fn(&Finding) -> bool) -> Verdict {
        let theirs: Vec<&Finding> = self.findings.iter().filter(|finding| theirs(finding)).collect();
        let worst = theirs.iter().map(|finding| finding.rule.severity).max();
        let gravest = theirs.iter().filter(|finding| Some(finding.rule.severity) == worst);
        let blast = gravest.map(|finding| finding.rule.blast).max();
        let mut tools: Vec<usize> = theirs.iter().filter_map(|finding| finding.index).collect();
        tools.sort_unstable();
        tools.dedup();
        Verdict { who, worst, blast, findings: theirs.len(), tools: tools.len() }
    }
}
