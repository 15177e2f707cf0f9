//! The prober against a server with one fault at a time, over stdio and over HTTP: each is found, and nothing else is.
//!
//! This program is the server, too: `--serve FAULT` answers on stdin and stdout.
#![allow(clippy::print_stdout, missing_docs)]

mod http;
mod server;

use std::collections::BTreeSet;
use std::process::{Command, ExitCode};
use std::time::Duration;

use haft_check::{Host, Options, Prober, Report, ServerFacts, check};

/// A fault and the rules that find it. The first is none.
const OVER_STDIO: &[(&str, &[&str])] = &[
    ("", &[]),
    ("modern alone", &[]),
    ("legacy alone", &["SPEC-VER-002"]),
    ("silent on unknown tools", &["SPEC-ANS-001"]),
    ("silent on what is no message", &["SPEC-ANS-002"]),
    ("ends at what is no message", &["SPEC-ANS-003"]),
    ("silent on odd values", &["SPEC-ANS-004"]),
    ("floods", &["SPEC-ANS-005"]),
    ("ids become strings", &["SPEC-MSG-001"]),
    ("codes are strings", &["SPEC-MSG-002"]),
    ("an old code", &["SPEC-ERR-001", "SPEC-MSG-003"]),
    ("an unknown result type", &["SPEC-RES-005"]),
    ("no result type", &["SPEC-RES-003"]),
    ("no server info", &["SPEC-META-002"]),
    ("asks back", &["SPEC-CAP-005"]),
    ("logs to stdout", &["SPEC-STD-001"]),
    ("sends requests", &["SPEC-STD-002"]),
    ("logs unasked", &["SPEC-STD-003"]),
    ("stays", &["SPEC-STD-004"]),
    ("progress stands still", &["SPEC-PROG-001"]),
    ("answers notifications", &["SPEC-NOTE-001"]),
    ("no discover", &["SPEC-VER-001"]),
    ("takes every version", &["SPEC-VER-003"]),
    ("takes no unknown version", &["SPEC-LEG-002"]),
    ("another order each time", &["SPEC-LIST-002"]),
    ("a tool comes with a call", &["SPEC-LIST-003"]),
    ("needs discover first", &["SPEC-STATE-001"]),
    ("any cursor", &["SPEC-PAGE-001"]),
    ("pages without end", &["SPEC-PAGE-002"]),
    ("tools are not declared", &["SPEC-CAP-002"]),
    ("prompts are not served", &["SPEC-CAP-003"]),
    ("unknown tools are results", &["SPEC-ERR-001"]),
    ("unknown methods are invalid", &["SPEC-ERR-002"]),
    ("malformed calls are unknown methods", &["SPEC-ERR-003"]),
    ("capabilities may be missing", &["SPEC-META-003"]),
    ("takes all arguments", &["CLD-RES-002", "SPEC-IN-007"]),
    ("arguments are errors of the protocol", &["CLD-RES-002", "QUA-ERR-001", "SPEC-ERR-004"]),
    ("errors name nothing", &["CLD-RES-002", "QUA-ERR-001"]),
    ("nothing structured", &["SDK-OUT-002", "SPEC-RES-001"]),
    ("another structure", &["SDK-OUT-002", "SPEC-RES-001"]),
    ("no content", &["SPEC-RES-002", "SPEC-RES-004", "CLA-APP-001", "GEM-RES-001"]),
    ("calls fail", &["CLD-RES-001"]),
    ("calls fail by the protocol", &["CLD-RES-001", "SPEC-ERR-005"]),
    ("a long text", &["CC-RES-001", "CC-RES-003", "CLA-RES-001", "GEM-RES-002", "VSC-RES-001"]),
];

const OVER_HTTP: &[(&str, &[&str])] = &[
    ("", &[]),
    ("modern alone", &[]),
    ("any origin", &["SPEC-HTTP-001"]),
    ("any headers", &["SPEC-HTTP-002"]),
    ("Base64 is not read", &["SPEC-HTTP-003"]),
    ("plain text", &["SPEC-HTTP-004"]),
    ("streams", &["SPEC-HTTP-005"]),
    ("notifications get 200", &["SPEC-HTTP-006"]),
    ("sessions for all", &["SPEC-HTTP-007"]),
    ("errors are 200", &["SPEC-ERR-002", "SPEC-HTTP-002", "SPEC-META-003", "SPEC-VER-003"]),
    ("unknown tools are results", &["SPEC-ERR-001"]),
    ("takes all arguments", &["CLD-RES-002", "SPEC-IN-007"]),
    ("silent on unknown tools", &["SPEC-ANS-001"]),
];

/// How long a call may take, on a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(60);
/// More than any answer has, but for the flood.
const MOST: usize = 1 << 20;
const AT_ONCE: usize = 12;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [serve, fault] = words.as_slice()
        && serve == "--serve"
    {
        return server::over_stdio(fault);
    }
    let cases = OVER_STDIO.iter().map(|case| (false, case)).chain(OVER_HTTP.iter().map(|case| (true, case)));
    // As of other tests: a word that a name must have. Options are for those.
    let word = words.first().filter(|word| !word.starts_with('-'));
    let wanted = |fault: &str| word.is_none_or(|word| fault.contains(word.as_str()));
    let cases: Vec<_> = cases.filter(|(_, (fault, _))| wanted(fault)).collect();
    let mut wrong = 0;
    for some in cases.chunks(AT_ONCE) {
        std::thread::scope(|scope| {
            let running: Vec<_> =
                some.iter().map(|&(http, (fault, rules))| scope.spawn(move || judge(http, fault, rules))).collect();
            for complaint in running.into_iter().filter_map(|it| it.join().expect("no panic").err()) {
                println!("{complaint}");
                wrong += 1;
            }
        });
    }
    println!("{} faults, {wrong} not found as they should be", cases.len());
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Probes a server with this fault, and compares the rules that find something with those that should.
fn judge(http: bool, fault: &str, rules: &[&str]) -> Result<(), String> {
    let report = probe(http, fault);
    let found: BTreeSet<&str> =
        report.findings.iter().filter(|finding| finding.probe.is_some()).map(|finding| finding.rule.id).collect();
    let expected: BTreeSet<&str> = rules.iter().copied().collect();
    if found == expected {
        return Ok(());
    }
    let over = if http { "HTTP" } else { "stdio" };
    Err(format!("{fault:?} over {over}: found {found:?}, not {expected:?}\n{}", report.to_text(false)))
}

fn probe(http: bool, fault: &str) -> Report {
    let prober = if http {
        Prober::url(http::serve(fault)).header("X-Secret", "hush")
    } else {
        let mut command = Command::new(std::env::current_exe().expect("a path"));
        command.args(["--serve", fault]);
        Prober::command(command)
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let exchanges = runtime.block_on(prober.patience(PATIENCE).most_bytes(MOST).run()).expect("a server");
    let text = exchanges.iter().map(haft_check::Exchange::to_text).collect::<String>();
    assert!(!text.contains("hush"), "a secret is shown:\n{text}");
    let facts = ServerFacts::from_definitions("tools.json", server::TOOLS).expect("a list");
    let hosts = Host::all();
    check(&facts.with_exchanges(exchanges), &Options::default().hosts(hosts).verbose(true))
}
