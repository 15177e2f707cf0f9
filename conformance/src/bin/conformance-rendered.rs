//! Starts a server and judges what a toolbox renders of its tools for each API.
//!
//! `conformance-rendered TOOLS COMMAND...`: the server must list TOOLS tools at least, each must be rendered or left out with
//! a reason, and no API may have anything to refuse in what is rendered.

use std::process::{Command, ExitCode};
use std::time::Duration;

use conformance::rendered;
use haft::{Client, Toolbox};

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [least, program, rest @ ..] = arguments.as_slice() else {
        eprintln!("usage: conformance-rendered TOOLS COMMAND...");
        return ExitCode::from(2);
    };
    let mut command = Command::new(program);
    command.args(rest);
    match run(least, command).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("conformance-rendered: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(least: &str, command: Command) -> Result<(), Box<dyn std::error::Error>> {
    let least: usize = least.parse()?;
    let client = Client::connect(command).await?;
    let toolbox = Toolbox::builder().server("server", client).build().await?;
    let problems = toolbox.problems();
    if !problems.is_empty() {
        return Err(format!("tools that can't be used: {problems:?}").into());
    }
    let count = toolbox.tools().len();
    if count < least {
        return Err(format!("the server lists {count} tools; {least} were expected").into());
    }
    let mut refused = 0;
    for judged in rendered::judge(&toolbox) {
        eprintln!(
            "{:?}: {count} tools, {} rendered, {} of them strict, {} left out, {} reduced",
            judged.api,
            judged.tools.len(),
            judged.strict,
            judged.left_out.len(),
            judged.reduced.len()
        );
        for (name, reason) in judged.left_out.iter().chain(&judged.reduced) {
            eprintln!("  {name}: {reason}");
        }
        for fault in &judged.faults {
            eprintln!("  {fault}");
        }
        for name in &judged.lost {
            eprintln!("  {name} is neither rendered nor left out");
        }
        refused += judged.faults.len() + judged.lost.len();
    }
    toolbox.close(Duration::from_secs(5)).await;
    if refused > 0 { Err(format!("{refused} faults").into()) } else { Ok(()) }
}
