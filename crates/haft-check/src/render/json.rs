//! For programs.

use serde::Serialize;

use crate::exchange::Exchange;
use crate::report::Report;

/// The version of this form. It changes when a member changes its meaning or goes; new members come without notice.
const VERSION: u32 = 1;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    version: u32,
    tools: usize,
    hosts: Vec<&'static str>,
    verdicts: Vec<Verdict>,
    findings: Vec<Finding<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exchanges: Option<&'a [Exchange]>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Verdict {
    who: &'static str,
    worst: Option<&'static str>,
    blast: Option<&'static str>,
    findings: usize,
    tools: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Finding<'a> {
    rule: &'static str,
    title: &'static str,
    severity: &'static str,
    blast: &'static str,
    confidence: &'static str,
    family: &'static str,
    hosts: Vec<&'static str>,
    tool: Option<&'a str>,
    index: Option<usize>,
    pointer: &'a str,
    message: &'a str,
    more: usize,
    consequence: &'static str,
    fix: &'static str,
    note: Option<&'static str>,
    source: &'static str,
    date: &'static str,
    file: &'a str,
    line: Option<usize>,
    column: Option<usize>,
    probe: Option<&'a str>,
    exchange: Option<usize>,
}

impl Report {
    /// For programs: a JSON object with `version` 1, `tools` (how many), `hosts`, `verdicts` and `findings`.
    ///
    /// Each finding has `rule`, `title`, `severity`, `blast`, `confidence`, `family`, `hosts` (empty for a rule of all),
    /// `tool` (the name as it was sent, or null), `index` (in the list, or null), `pointer` (into the definition), `message`,
    /// `more` (further places), `consequence`, `fix`, `note`, `source`, `date`, `file`, `line` and `column` (null where the
    /// document came as one long line), `probe` and `exchange` (null for what no probe found). A verbose report has `exchanges`,
    /// too: each an [`Exchange`].
    #[must_use]
    pub fn to_json(&self) -> String {
        let verdicts = self.verdicts().into_iter().map(|verdict| Verdict {
            who: verdict.who,
            worst: verdict.worst.map(|worst| worst.name()),
            blast: verdict.blast.map(|blast| blast.name()),
            findings: verdict.findings,
            tools: verdict.tools,
        });
        let findings = self.findings.iter().map(|finding| {
            let (file, position) = self.locate(finding);
            let rule = finding.rule;
            Finding {
                rule: rule.id,
                title: rule.title,
                severity: rule.severity.name(),
                blast: rule.blast.name(),
                confidence: rule.confidence.name(),
                family: rule.family.name(),
                hosts: finding.host_names(),
                tool: finding.tool.as_deref(),
                index: finding.index,
                pointer: &finding.pointer,
                message: &finding.message,
                more: finding.more,
                consequence: rule.consequence,
                fix: rule.fix,
                note: rule.note,
                source: rule.source,
                date: rule.date,
                file,
                line: position.as_ref().map(|position| position.line),
                column: position.and_then(|position| position.columns).map(|(first, _)| first),
                probe: finding.probe.as_deref(),
                exchange: finding.exchange,
            }
        });
        let document = Document {
            version: VERSION,
            tools: self.tools,
            hosts: self.hosts.iter().map(|host| host.name()).collect(),
            verdicts: verdicts.collect(),
            findings: findings.collect(),
            exchanges: self.verbose.then_some(self.exchanges.as_slice()),
        };
        // Strings and numbers always have a text.
        serde_json::to_string_pretty(&document).unwrap_or_default() + "\n"
    }
}
