//! `cargo xtask tidy`: the workspace's own rules, which neither rustc nor clippy can know.
//!
//! Every offence is printed as `file:line: what is wrong; what to do`, all of them at once.
//!
//! `cargo xtask bench`: haft beside its peers, in the workspace `bench/`.

use std::path::PathBuf;
use std::process::{Command, ExitCode};

mod tidy;

const USAGE: &str = "usage: cargo xtask tidy | cargo xtask bench [OPTIONS]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["tidy"] => run_tidy(),
        ["bench", options @ ..] => run_bench(options),
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn run_tidy() -> ExitCode {
    match tidy::run(&workspace_root()) {
        Ok(offences) if offences.is_empty() => {
            eprintln!("tidy: no offences");
            ExitCode::SUCCESS
        }
        Ok(offences) => {
            for offence in &offences {
                eprintln!("{offence}");
            }
            eprintln!("tidy: {} offence{}", offences.len(), if offences.len() == 1 { "" } else { "s" });
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("tidy could not run: {error}");
            ExitCode::from(2)
        }
    }
}

/// Builds and runs the benchmark, which is no member of this workspace.
fn run_bench(options: &[&str]) -> ExitCode {
    let bench = workspace_root().join("bench");
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["run", "--quiet", "--release", "--package", "bench-run", "--manifest-path"]);
    command.arg(bench.join("Cargo.toml")).arg("--").args(options);
    match command.status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("bench could not run: {error}");
            ExitCode::from(2)
        }
    }
}

/// The folder above this package.
fn workspace_root() -> PathBuf {
    let mut root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    root.pop();
    root
}
