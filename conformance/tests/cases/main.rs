//! Runs the cases of `conformance/cases` and prints a table of id and verdict.
//!
//! `cargo test -p conformance --test cases [-- ID…]`. The server is the example `fixture`, built by the runner;
//! with `HAFT_FIXTURE=/path/to/a/server` any other program is judged instead. With `HAFT_SPEC_DIR` set, every message
//! is also held against the specification's schema.
#![expect(clippy::print_stdout, reason = "the table is what this program is for")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use conformance::{Case, Kind, Spec, play, read_cases};

mod beyond;
mod builds;
mod checks;
mod clients;
mod fixture;
mod over_http;
mod rust_types;

const CASES: &str = include_str!("../../cases/cases-A.jsonl");

/// Cases that this project holds to be wrong, each with the reason. They are listed, not run.
const HELD_WRONG: &[(&str, &str)] = &[];

enum Verdict {
    Pass,
    Fail(String),
    HeldWrong(&'static str),
}

/// Which cases to run, in the words that `cargo test` hands to every test program.
#[derive(Default)]
struct Selection {
    /// Beginnings of ids; none means all.
    filters: Vec<String>,
    skipped: Vec<String>,
    list: bool,
}

impl Selection {
    fn read(mut arguments: impl Iterator<Item = String>) -> Self {
        let mut selection = Self::default();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--list" => selection.list = true,
                "--skip" => selection.skipped.extend(arguments.next()),
                // Of no meaning here, but their values are no filters.
                "--test-threads" | "--color" | "--format" | "--logfile" | "-Z" => drop(arguments.next()),
                option if option.starts_with('-') => {}
                _ => selection.filters.push(argument),
            }
        }
        selection
    }

    fn has(&self, id: &str) -> bool {
        let begins = |beginning: &String| id.starts_with(beginning.as_str());
        (self.filters.is_empty() || self.filters.iter().any(begins)) && !self.skipped.iter().any(begins)
    }
}

/// What the cases are played against.
struct Bench {
    /// The server, or why there is none.
    program: Result<PathBuf, String>,
    spec: Option<Spec>,
}

fn main() -> ExitCode {
    if clients::play_if_asked() {
        return ExitCode::SUCCESS;
    }
    let selection = Selection::read(std::env::args().skip(1));
    if selection.list {
        println!("cases: test");
        return ExitCode::SUCCESS;
    }
    let cases: Vec<_> = read_cases(CASES).into_iter().filter(|(id, _)| selection.has(id)).collect();
    // A filter meant for other test programs selects nothing here; then nothing is built either.
    let bench = if cases.is_empty() { Bench { program: Err(String::new()), spec: None } } else { Bench::set_up() };

    let (mut passed, mut failed, mut not_run) = (0, 0, 0);
    println!("id    verdict     kind        about");
    for (id, case) in cases {
        let (kind, tag) = case.as_ref().map_or(("?", "?"), |case| (case.kind.name(), case.tag.as_str()));
        let verdict = judge(&id, &case, &bench);
        let (word, why) = match &verdict {
            Verdict::Pass => ("pass", String::new()),
            Verdict::Fail(why) => ("FAIL", why.replace('\n', "\n      ")),
            Verdict::HeldWrong(why) => ("held wrong", (*why).to_owned()),
        };
        match verdict {
            Verdict::Pass => passed += 1,
            Verdict::Fail(_) => failed += 1,
            Verdict::HeldWrong(_) => not_run += 1,
        }
        println!("{id:<5} {word:<11} {kind:<11} {tag}");
        if !why.is_empty() {
            println!("      {why}");
        }
    }
    println!("\nnot run: {not_run}");
    println!("{passed} passed, {failed} failed");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

impl Bench {
    fn set_up() -> Self {
        let program = fixture::find();
        if let Ok(path) = &program {
            println!("server: {}", path.display());
        }
        match std::env::var_os("HAFT_SPEC_DIR") {
            None => {
                println!("schema of the specification: HAFT_SPEC_DIR is not set, so messages are not held against it");
                Self { program, spec: None }
            }
            Some(folder) => match Spec::read(Path::new(&folder)) {
                Ok(spec) => Self { program, spec: Some(spec) },
                Err(error) => Self { program: Err(format!("HAFT_SPEC_DIR: {error}")), spec: None },
            },
        }
    }
}

/// A case's `input`, as the file has it.
fn input_of(id: &str) -> serde_json::Value {
    let cases = CASES.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    cases.into_iter().find(|case| case["id"] == id).map(|case| case["input"].clone()).unwrap_or_default()
}

fn judge(id: &str, case: &Result<Case, String>, bench: &Bench) -> Verdict {
    if let Some((_, why)) = HELD_WRONG.iter().find(|(wrong, _)| *wrong == id) {
        return Verdict::HeldWrong(why);
    }
    let outcome = match case {
        Err(error) => Err(error.clone()),
        Ok(case) => match case.kind {
            Kind::WireStdio => run_wire(case, bench),
            Kind::WireHttp => bench
                .program
                .as_ref()
                .map_err(Clone::clone)
                .and_then(|program| over_http::run(case, program, bench.spec.as_ref())),
            Kind::RustType => rust_types::run(id),
            Kind::Client => clients::run(id, &input_of(id)),
            Kind::Check => builds::run(case).and_then(|()| checks::run(id, &input_of(id))),
        },
    };
    outcome.map_or_else(Verdict::Fail, |()| Verdict::Pass)
}

fn run_wire(case: &Case, bench: &Bench) -> Result<(), String> {
    let program = bench.program.as_ref().map_err(Clone::clone)?;
    let silent = case.expectation.silent()?;
    let session = play(program, &case.script.steps, &silent)?;
    let further =
        case.script.further.iter().map(|steps| play(program, steps, &silent)).collect::<Result<Vec<_>, _>>()?;
    for session in std::iter::once(&session).chain(&further) {
        session.check()?;
        if let Some(spec) = &bench.spec {
            spec.check(session)?;
        }
    }
    case.expectation.check(&session)?;
    beyond::check(&case.id, &session, &further, program)
}
