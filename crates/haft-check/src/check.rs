//! Facts in, a report out.

use crate::facts::ServerFacts;
use crate::finding::Found;
use crate::options::Options;
use crate::report::Report;
use crate::rule::Check;
use crate::rules;
use crate::server::Server;

/// Checks what was observed of a server against the rules of the hosts that the options name.
///
/// Findings come server first, then tool by tool, and for each the gravest first. The same facts give the same report.
#[must_use]
pub fn check(facts: &ServerFacts, options: &Options) -> Report {
    let server = Server::new(facts);
    let mut findings = Vec::new();
    for rule in rules::all() {
        if !rule.concerns(&options.hosts) || options.allowed.iter().any(|allowed| allowed == rule.id) {
            continue;
        }
        match rule.check {
            Check::Server(check) => check(&server, &mut Found::new(rule, options, None, &mut findings)),
            Check::Text(check) => {
                let mut found = Found::new(rule, options, None, &mut findings);
                for (place, message) in server.texts(check) {
                    found.at(place, message);
                }
                for tool in &server.tools {
                    let mut found = Found::new(rule, options, Some((tool.index, tool.name())), &mut findings);
                    for said in tool.texts() {
                        if let Some(message) = check(said.text) {
                            found.at(tool.at_text(said), message);
                        }
                    }
                }
            }
            Check::Tool(check) => {
                for tool in &server.tools {
                    let about = Some((tool.index, tool.name()));
                    check(tool, &mut Found::new(rule, options, about, &mut findings));
                }
            }
        }
    }
    findings.retain(|finding| !options.baseline.knows(finding));
    let mut unused = Vec::new();
    for allowance in &options.allowances {
        let before = findings.len();
        findings.retain(|finding| !allowance.covers(finding));
        if findings.len() == before {
            unused.push(allowance.clone());
        }
    }
    // Stable: places stay in the order of the document.
    findings.sort_by_key(|finding| (finding.index, std::cmp::Reverse(finding.rule.severity), finding.rule.id));
    Report::new(facts, options, findings, unused)
}
