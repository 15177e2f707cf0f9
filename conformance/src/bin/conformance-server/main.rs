//! The server that the official conformance suite wants to meet, on haft's public API only.
//!
//! `conformance-server --addr 127.0.0.1:3000` serves `/mcp` there, `conformance-server --stdio` serves stdin and stdout.
//! Several processes that are to answer for one another get the same key, 64 hexadecimal digits in the environment
//! variable `STATE_KEY`.

mod asks;
mod changes;
mod gate;
mod legacy;
mod prompts;
mod resources;
mod tasks;
mod tools;

use std::process::ExitCode;

use changes::Changes;
use haft::prelude::*;
use haft::{BuildError, HttpOptions, HttpServer, InvalidStateKey, StateKey};

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let address = match arguments.as_slice() {
        ["--addr", address] => Some(*address),
        ["--stdio"] => None,
        _ => {
            eprintln!("usage: conformance-server --addr ADDRESS:PORT | --stdio");
            return ExitCode::from(2);
        }
    };
    let key = match state_key() {
        Ok(key) => key,
        Err(error) => {
            eprintln!("conformance-server: STATE_KEY: {error}");
            return ExitCode::FAILURE;
        }
    };
    match serve(address, key).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("conformance-server: {error}");
            ExitCode::FAILURE
        }
    }
}

/// From the environment: everybody on the machine can read a command line.
fn state_key() -> Result<Option<StateKey>, InvalidStateKey> {
    std::env::var("STATE_KEY").ok().map(|key| key.parse()).transpose()
}

async fn serve(address: Option<&str>, key: Option<StateKey>) -> Result<(), haft::ServeError> {
    let server = server(key)?;
    let Some(address) = address else { return server.serve_stdio().await };
    let server = HttpServer::bind(server, address, HttpOptions::new()).await?;
    eprintln!("listening on http://{}/mcp", server.local_addr());
    server.serve().await
}

/// The suite calls the first tool of the list without arguments and headers.
fn server(key: Option<StateKey>) -> Result<Server, BuildError> {
    let server = Server::new("haft-conformance", env!("CARGO_PKG_VERSION"))
        .tool(tools::test_simple_text::tool())
        .tool(tools::test_image_content::tool())
        .tool(tools::test_audio_content::tool())
        .tool(tools::test_embedded_resource::tool())
        .tool(tools::test_multiple_content_types::tool())
        .tool(tools::test_error_handling::tool())
        .tool(tools::test_tool_with_progress::tool())
        .tool(tools::test_tool_with_logging::tool())
        .tool(tools::test_logging_tool::tool())
        .tool(tools::test_custom_header::tool())
        .tool(tools::test_missing_capability::tool())
        .tool(tools::json_schema_2020_12_tool())
        .tool(asks::test_streaming_elicitation::tool())
        .tool(asks::test_input_required_result_elicitation::tool())
        .tool(asks::test_input_required_result_sampling::tool())
        .tool(asks::test_input_required_result_list_roots::tool())
        .tool(asks::test_input_required_result_request_state::tool())
        .tool(asks::test_input_required_result_multiple_inputs::tool())
        .tool(asks::test_input_required_result_multi_round::tool())
        .tool(asks::test_input_required_result_tampered_state::tool())
        .tool(asks::test_input_required_result_capabilities::tool())
        .tool(legacy::test_sampling::tool())
        .tool(legacy::test_elicitation::tool())
        .tool(legacy::test_elicitation_sep1034_defaults::tool())
        .tool(legacy::test_elicitation_sep1330_enums::tool())
        .tool(legacy::test_reconnection::tool())
        .tool(tasks::greet::tool())
        .tool(tasks::slow_compute::tool())
        .tool(tasks::failing_job::tool())
        .tool(tasks::protocol_error_job::tool())
        .tool(tasks::confirm_delete::tool())
        .tool(tasks::multi_input::tool())
        .tool(tasks::test_tool_with_task::tool())
        .dynamic_tools()
        .notify_resources()
        .notify_prompts();
    let server = match key {
        Some(key) => server.state_keys([key]),
        None => server,
    };
    let changes = Changes::default();
    let server = server.tools(changes.clone()).tools(gate::Gate::new());
    let server = prompts::add(resources::add(server)).build()?;
    changes.attach(server.handle());
    Ok(server)
}
