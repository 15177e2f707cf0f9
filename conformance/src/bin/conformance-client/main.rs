//! The client that the official conformance suite wants to see, on haft's public API only.
//!
//! `conformance-client URL` plays the scenario that `MCP_CONFORMANCE_SCENARIO` names, with what
//! `MCP_CONFORMANCE_CONTEXT` has for it, and exits with 0 once it is through.

mod auth;
mod scenarios;

use std::process::ExitCode;
use std::time::Duration;

use serde_json::Value;

/// A scenario that takes longer is stuck.
const PATIENCE: Duration = Duration::from_secs(25);

/// Why a scenario wasn't played to its end.
type Failure = Box<dyn std::error::Error + Send + Sync>;

/// What the suite says of one run.
struct Run {
    scenario: String,
    url: String,
    context: Value,
}

#[tokio::main]
async fn main() -> ExitCode {
    let variable = |name| std::env::var(name).ok();
    let Some(url) = std::env::args().nth(1) else {
        eprintln!("usage: MCP_CONFORMANCE_SCENARIO=NAME conformance-client URL");
        return ExitCode::from(2);
    };
    let Some(scenario) = variable("MCP_CONFORMANCE_SCENARIO") else {
        eprintln!("conformance-client: MCP_CONFORMANCE_SCENARIO is not set");
        return ExitCode::from(2);
    };
    let context = variable("MCP_CONFORMANCE_CONTEXT").map(|text| serde_json::from_str(&text));
    let context = match context.transpose() {
        Ok(context) => context.unwrap_or_default(),
        Err(error) => {
            eprintln!("conformance-client: MCP_CONFORMANCE_CONTEXT is not JSON: {error}");
            return ExitCode::from(2);
        }
    };
    let played = tokio::time::timeout(PATIENCE, scenarios::play(Run { scenario, url, context })).await;
    match played {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(failure)) => {
            eprintln!("conformance-client: {failure}");
            ExitCode::FAILURE
        }
        Err(_) => {
            eprintln!("conformance-client: still not through after {PATIENCE:?}");
            ExitCode::FAILURE
        }
    }
}
