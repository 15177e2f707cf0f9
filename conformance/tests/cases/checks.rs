//! The checker's part of the cases about definitions, and the client's: what is found, what is kept.

use std::collections::BTreeSet;
use std::net::TcpListener;
use std::time::{Duration, Instant};

use haft_check::{Family, Finding, Host, Options, Report, ServerFacts, Severity};
use serde_json::Value;

use super::clients;

/// Holds the checker to one case.
pub(super) fn run(id: &str, input: &Value) -> Result<(), String> {
    match id {
        "A05" => roots(input),
        "A06" => references(input),
        "A07" => far_away(input),
        "A38" => names(input),
        "A40" => headers(input),
        _ => Err("nobody has written this case; add a function to checks.rs".to_owned()),
    }
}

fn check(input: &Value) -> Result<Report, String> {
    let facts = ServerFacts::from_definitions("case", &input.to_string()).map_err(|error| error.to_string())?;
    Ok(haft_check::check(&facts, &Options::default().hosts(Host::all())))
}

/// The tools that a rule fires on.
fn fired<'a>(report: &'a Report, rule: &str) -> BTreeSet<&'a str> {
    let findings = report.findings.iter().filter(|finding| finding.rule.id == rule);
    findings.filter_map(|finding| finding.tool.as_deref()).collect()
}

fn expect<T: PartialEq + std::fmt::Debug>(what: &str, got: T, wanted: T) -> Result<(), String> {
    if got == wanted { Ok(()) } else { Err(format!("{what}: {got:?}, not {wanted:?}")) }
}

/// Nothing in the specification refuses the tool.
fn passes(report: &Report, tool: &str) -> Result<(), String> {
    let refuses = |finding: &&Finding| {
        finding.tool.as_deref() == Some(tool)
            && finding.rule.family == Family::Specification
            && finding.rule.severity > Severity::Advice
    };
    match report.findings.iter().find(refuses) {
        None => Ok(()),
        Some(finding) => Err(format!("{tool} is refused: {} {}", finding.rule.id, finding.message)),
    }
}

/// A05: the root of an input schema.
fn roots(input: &Value) -> Result<(), String> {
    let report = check(input)?;
    let bad = BTreeSet::from(["t_null", "t_missing", "t_array", "t_string", "t_notype"]);
    expect("roots", fired(&report, "SPEC-IN-001"), bad.clone())?;
    passes(&report, "t_bare")?;
    passes(&report, "t_closed")?;
    // The client is lenient: what it can call, it keeps. But it loses no good tool, and names what it leaves out.
    let (kept, left_out) = clients::listed(&input["tools"])?;
    expect("the good tools", kept.iter().filter(|name| !bad.contains(name.as_str())).count(), 2)?;
    expect("only bad ones are left out", left_out.iter().all(|name| bad.contains(name.as_str())), true)?;
    expect("what can't be called", left_out.len() >= 3, true)
}

/// A06: references that lead nowhere, and those that lead back.
fn references(input: &Value) -> Result<(), String> {
    let report = check(input)?;
    let dangling = report.findings.iter().find(|finding| finding.rule.id == "SPEC-IN-005");
    let place = dangling.map(|finding| (finding.tool.as_deref(), finding.pointer.as_str()));
    expect("the dangling reference", place, Some((Some("dangling"), "/inputSchema/properties/s/$ref")))?;
    passes(&report, "recursive")?;
    passes(&report, "untyped_out")?;
    let (kept, _) = clients::listed(&input["tools"])?;
    expect("the good tools", kept.iter().filter(|name| *name != "dangling").count(), 2)
}

/// A07: references out of the document, and one that grows without end.
fn far_away(input: &Value) -> Result<(), String> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).map_err(|error| error.to_string())?;
    listener.set_nonblocking(true).map_err(|error| error.to_string())?;
    let port = listener.local_addr().map_err(|error| error.to_string())?.port();
    let text = input.to_string().replace("{PORT}", &port.to_string());
    let input: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;

    let begun = Instant::now();
    let report = check(&input)?;
    expect("references out of the schema", fired(&report, "SPEC-IN-003"), BTreeSet::from(["net", "file"]))?;
    expect("growth", fired(&report, "SPEC-IN-004"), BTreeSet::from(["bomb"]))?;
    // Far more than it takes: without a bound it would be hours.
    expect("in time", begun.elapsed() < Duration::from_secs(30), true)?;
    expect("somebody called", listener.accept().is_ok(), false)
}

/// A38: names.
fn names(input: &Value) -> Result<(), String> {
    let report = check(input)?;
    let long = "n".repeat(129);
    let wrong = BTreeSet::from(["deploy:eu", "send mail", "x/y", "créer", "", long.as_str()]);
    expect("outside the specification", fired(&report, "SPEC-NAME-001"), wrong)?;
    let twice: Vec<_> = report.findings.iter().filter(|finding| finding.rule.id == "SPEC-NAME-002").collect();
    let second = input["tools"].as_array().into_iter().flatten().rposition_of("search");
    expect("the second `search`", twice.iter().map(|finding| finding.index).collect(), vec![second])?;
    expect("an error", twice.iter().all(|finding| finding.rule.severity == Severity::Rejects), true)?;
    expect("together once cleaned", fired(&report, "X-DUP-002").contains("deploy_eu"), true)?;
    let unportable = fired(&report, "X-PORT-001");
    expect("dots", unportable.contains("admin.tools.list"), true)?;
    expect("65 letters", unportable.contains("n".repeat(65).as_str()), true)?;
    passes(&report, "admin.tools.list")?;
    passes(&report, "DATA_EXPORT_v2")
}

/// The last place of a tool in a list.
trait LastOf {
    fn rposition_of(self, name: &str) -> Option<usize>;
}

impl<'a, I: Iterator<Item = &'a Value>> LastOf for I {
    fn rposition_of(self, name: &str) -> Option<usize> {
        self.enumerate().filter(|(_, tool)| tool["name"] == name).map(|(index, _)| index).last()
    }
}

/// A40: `x-mcp-header`.
fn headers(input: &Value) -> Result<(), String> {
    let report = check(input)?;
    let bad = BTreeSet::from(["num", "dup", "empty", "space", "crlf", "items", "ref"]);
    expect("broken headers", fired(&report, "SPEC-HDR-001"), bad)?;
    for good in ["nested", "literal", "ok"] {
        passes(&report, good)?;
    }
    Ok(())
}
