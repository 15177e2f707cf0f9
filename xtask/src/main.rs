//! `cargo xtask tidy`: the workspace's own rules, which neither rustc nor clippy can know.
//!
//! Every offence is printed as `file:line: what is wrong; what to do`, all of them at once.

use std::path::PathBuf;
use std::process::ExitCode;

mod tidy;

const USAGE: &str = "usage: cargo xtask tidy";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["tidy"] => run_tidy(),
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

/// The folder above this package.
fn workspace_root() -> PathBuf {
    let mut root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    root.pop();
    root
}
