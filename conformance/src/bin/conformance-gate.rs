//! Reads what a run of the official suite left behind and decides whether it is good enough.
//!
//! `conformance-gate FOLDER SCENARIOS SUCCESSES`: FOLDER is what the suite's `-o` named, SCENARIOS a file with the name
//! of one scenario a line, SUCCESSES how many checks must have succeeded at least. Every scenario must have run, and no
//! check may have failed, warned or been skipped: the suite's own exit code overlooks the last two.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

use serde_json::Value;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [folder, scenarios, successes] = arguments.as_slice() else {
        eprintln!("usage: conformance-gate FOLDER SCENARIOS SUCCESSES");
        return ExitCode::from(2);
    };
    match judge(Path::new(folder), Path::new(scenarios), successes) {
        Ok(()) => ExitCode::SUCCESS,
        Err(complaint) => {
            eprintln!("conformance-gate: {complaint}");
            ExitCode::FAILURE
        }
    }
}

fn judge(folder: &Path, scenarios: &Path, successes: &str) -> Result<(), String> {
    let least: usize = successes.parse().map_err(|_| format!("{successes} is not a number"))?;
    let list = fs::read_to_string(scenarios).map_err(|error| format!("{}: {error}", scenarios.display()))?;
    let mut missing: BTreeSet<&str> = list.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let (mut succeeded, mut complaints) = (0, Vec::new());
    let runs = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for run in runs {
        let run = run.map_err(|error| error.to_string())?;
        let name = run.file_name().to_string_lossy().into_owned();
        let Some(&scenario) = missing.iter().filter(|scenario| is_run_of(&name, scenario)).max_by_key(|s| s.len())
        else {
            complaints.push(format!("{name}: not a run of a scenario that is on the list, or the second one"));
            continue;
        };
        missing.remove(scenario);
        let path = run.path().join("checks.json");
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

/// Folders are named `server-SCENARIO-TIME`.
fn is_run_of(folder: &str, scenario: &str) -> bool {
    let rest = folder.strip_prefix("server-").and_then(|rest| rest.strip_prefix(scenario));
    rest.and_then(|rest| rest.strip_prefix('-')).is_some_and(|time| time.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(checks: &str, list: &str, least: &str) -> Result<(), String> {
        let folder = env::temp_dir().join(format!("gate-{}-{:p}", std::process::id(), checks));
        let out = folder.join("out/server-ping-2026-01-01T00-00-00-000Z");
        fs::create_dir_all(&out).expect("a folder");
        fs::write(out.join("checks.json"), checks).expect("a file");
        fs::write(folder.join("list.txt"), list).expect("a file");
        let judged = judge(&folder.join("out"), &folder.join("list.txt"), least);
        fs::remove_dir_all(&folder).expect("gone");
        judged
    }

    #[test]
    fn only_successes_pass() {
        assert_eq!(run(r#"[{"id":"a","status":"SUCCESS"},{"id":"b","status":"INFO"}]"#, "ping\n", "1"), Ok(()));
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
