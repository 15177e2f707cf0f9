//! SARIF 2.1.0, for code scanning.

use serde_json::{Value, json};

use super::Position;
use crate::finding::Finding;
use crate::report::Report;
use crate::rule::{Rule, Severity};
use crate::say::printable;

impl Report {
    /// A SARIF 2.1.0 log: one run, with the rules that fired and a result for each finding.
    #[must_use]
    pub fn to_sarif(&self) -> String {
        let mut rules: Vec<&'static Rule> = self.findings.iter().map(|finding| finding.rule).collect();
        rules.sort_by_key(|rule| rule.id);
        rules.dedup_by_key(|rule| rule.id);
        let results: Vec<Value> = self.findings.iter().map(|finding| self.result(finding, &rules)).collect();
        let log = json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{
                "tool": {"driver": {
                    "name": "haft",
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                    "informationUri": env!("CARGO_PKG_REPOSITORY"),
                    "rules": rules.iter().map(|rule| describe(rule)).collect::<Vec<_>>(),
                }},
                "columnKind": "unicodeCodePoints",
                "results": results,
            }],
        });
        format!("{log:#}\n")
    }

    fn result(&self, finding: &Finding, rules: &[&'static Rule]) -> Value {
        let rule = finding.rule;
        let (file, position) = self.locate(finding);
        let region = match position {
            Some(Position { line, columns: Some((first, last)) }) => {
                json!({"startLine": line, "startColumn": first, "endLine": line, "endColumn": last})
            }
            Some(Position { line, columns: None }) => json!({"startLine": line}),
            None => json!({"startLine": 1}),
        };
        let who = finding.subject();
        let message = format!("{who}: {}. {}. Fix: {}.", finding.full_message(), capital(rule.consequence), rule.fix);
        json!({
            "ruleId": rule.id,
            "ruleIndex": rules.iter().position(|it| it.id == rule.id),
            "level": level(rule.severity),
            "message": {"text": printable(&message)},
            "locations": [{
                "physicalLocation": {"artifactLocation": {"uri": uri(file)}, "region": region},
                "logicalLocations": [{
                    "fullyQualifiedName": printable(&format!("{who}{}", finding.pointer)), "kind": "member",
                }],
            }],
            "partialFingerprints": {
                "haftPlace/v1": format!(
                    "{}:{}:{}{}", rule.id, finding.tool.as_deref().unwrap_or_default(), finding.pointer,
                    finding.probe.as_deref().map(|probe| format!(":{probe}")).unwrap_or_default(),
                ),
            },
            "properties": {
                "blast": rule.blast.name(), "confidence": rule.confidence.name(), "hosts": finding.host_names(),
            },
        })
    }
}

fn describe(rule: &Rule) -> Value {
    json!({
        "id": rule.id,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": format!("{}. {}.", capital(rule.title), capital(rule.consequence))},
        "help": {"text": format!("Fix: {}. Source: {} ({}).", rule.fix, rule.source, rule.date)},
        "defaultConfiguration": {"level": level(rule.severity)},
        "properties": {"tags": [rule.family.name(), rule.subject.name()]},
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Rejects | Severity::Truncates => "error",
        Severity::Degraded => "warning",
        Severity::Advice => "note",
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// A path as a relative reference: what isn't unreserved is percent-encoded.
fn uri(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    let encoded =
        path.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") });
    encoded.collect()
}
