//! Reads what a run of the official suite left behind and decides whether it is good enough.
//!
//! `conformance-gate FOLDER SCENARIOS SUCCESSES [SKIPPED]`: FOLDER is what the suite's `-o` named, SCENARIOS a file with the
//! name of one scenario a line, SUCCESSES how many checks must have succeeded at least, SKIPPED how many may have been
//! skipped (none unless given). Every scenario must have run, and no check may have failed or warned: the suite's own exit
//! code overlooks warnings and what was skipped.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use serde_json::Value;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (folder, scenarios, successes, skipped) = match arguments.as_slice() {
        [folder, scenarios, successes] => (folder, scenarios, successes, "0"),
        [folder, scenarios, successes, skipped] => (folder, scenarios, successes, skipped.as_str()),
        _ => {
            eprintln!("usage: conformance-gate FOLDER SCENARIOS SUCCESSES [SKIPPED]");
            return ExitCode::from(2);
        }
    };
    match judge(Path::new(folder), Path::new(scenarios), successes, skipped) {
        Ok(()) => ExitCode::SUCCESS,
        Err(complaint) => {
            eprintln!("conformance-gate: {complaint}");
            ExitCode::FAILURE
        }
    }
}

fn judge(folder: &Path, scenarios: &Path, successes: &str, skipped: &str) -> Result<(), String> {
    let number = |text: &str| text.parse::<usize>().map_err(|_| format!("{text} is not a number"));
    let (least, most_skipped) = (number(successes)?, number(skipped)?);
    let list = fs::read_to_string(scenarios).map_err(|error| format!("{}: {error}", scenarios.display()))?;
    let mut missing: BTreeSet<&str> = list.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let (mut succeeded, mut skipped, mut complaints) = (0, 0, Vec::new());
    for run in runs(folder)? {
        let name = run.strip_prefix(folder).unwrap_or(&run).to_string_lossy().into_owned();
        let Some(&scenario) = missing.iter().filter(|scenario| is_run_of(&name, scenario)).max_by_key(|s| s.len())
        else {
            complaints.push(format!("{name}: not a run of a scenario that is on the list, or the second one"));
            continue;
        };
        missing.remove(scenario);
        let path = run.join("checks.json");
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let checks: Value = serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        let checks = checks.as_array().filter(|checks| !checks.is_empty());
        let Some(checks) = checks else {
            complaints.push(format!("{scenario}: no checks"));
            continue;
        };
        for check in checks {
            match check["status"].as_str() {
                Some("SUCCESS") => succeeded += 1,
                Some("INFO") => {}
                Some("SKIPPED") if skipped < most_skipped => skipped += 1,
                status => complaints.push(format!(
                    "{scenario}: {} is {}: {}",
                    check["id"].as_str().unwrap_or("?"),
                    status.unwrap_or("without a status"),
                    check["errorMessage"].as_str().unwrap_or("no reason given"),
                )),
            }
        }
    }
    complaints.extend(missing.iter().map(|scenario| format!("{scenario}: did not run")));
    if succeeded < least {
        complaints.push(format!("{succeeded} checks succeeded, {least} must"));
    }
    eprintln!("{succeeded} passed, {} failed", complaints.len());
    if complaints.is_empty() { Ok(()) } else { Err(format!("not good enough\n- {}", complaints.join("\n- "))) }
}

/// The folders of all runs: those with a `checks.json`. A scenario's name may have a slash, and so its folder, too.
fn runs(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut runs = Vec::new();
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries {
        let path = entry.map_err(|error| error.to_string())?.path();
        if path.join("checks.json").is_file() {
            runs.push(path);
        } else if path.is_dir() {
            runs.extend(self::runs(&path)?);
        }
    }
    runs.sort();
    Ok(runs)
}

/// Folders are named `server-SCENARIO-TIME`, those of clients `SCENARIO-TIME`.
fn is_run_of(folder: &str, scenario: &str) -> bool {
    let rest = folder.strip_prefix("server-").unwrap_or(folder).strip_prefix(scenario);
    rest.and_then(|rest| rest.strip_prefix('-')).is_some_and(|time| time.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(checks: &str, list: &str, least: &str) -> Result<(), String> {
        run_with(checks, list, least, "0")
    }

    fn run_with(checks: &str, list: &str, least: &str, skipped: &str) -> Result<(), String> {
        let folder = env::temp_dir().join(format!("gate-{}-{:p}", std::process::id(), checks));
        let out = folder.join("out/server-ping-2026-01-01T00-00-00-000Z");
        fs::create_dir_all(&out).expect("a folder");
        fs::write(out.join("checks.json"), checks).expect("a file");
        fs::write(folder.join("list.txt"), list).expect("a file");
        let judged = judge(&folder.join("out"), &folder.join("list.txt"), least, skipped);
        fs::remove_dir_all(&folder).expect("gone");
        judged
    }

    #[test]
    fn only_successes_pass() {
        assert_eq!(run(r#"[{"id":"a","status":"SUCCESS"},{"id":"b","status":"INFO"}]"#, "ping\n", "1"), Ok(()));
    }

    #[test]
    fn as_much_as_may_be_is_skipped() {
        let checks = r#"[{"id":"a","status":"SKIPPED"},{"id":"b","status":"SKIPPED"}]"#;
        assert_eq!(run_with(checks, "ping\n", "0", "2"), Ok(()));
        assert!(run_with(checks, "ping\n", "0", "1").is_err());
    }

    #[test]
    fn failures_warnings_skips_and_missing_scenarios_do_not() {
        for status in ["FAILURE", "WARNING", "SKIPPED", "ODD"] {
            let checks = format!(r#"[{{"id":"a","status":"SUCCESS"}},{{"id":"b","status":"{status}"}}]"#);
            assert!(run(&checks, "ping\n", "1").is_err_and(|text| text.contains("ping: b is")), "{status}");
        }
        let good = r#"[{"id":"a","status":"SUCCESS"}]"#;
        assert!(run(good, "ping\npong\n", "1").is_err_and(|text| text.contains("pong: did not run")));
        assert!(run(good, "ping\n", "2").is_err_and(|text| text.contains("1 checks succeeded, 2 must")));
        assert!(run("[]", "ping\n", "0").is_err_and(|text| text.contains("ping: no checks")));
    }
}
