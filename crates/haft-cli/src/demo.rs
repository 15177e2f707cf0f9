use std::process::Command;
use std::time::Duration;

use anstream::println;
use anyhow::Context;
use clap::Args;
use haft::{CallToolResult, Client, ClientError, ErrorKind};
use serde_json::{Value, json};

use crate::show::{self, BAD, BOLD, DIM, GOOD, pretty};
use crate::target::finish;
use crate::{Format, Outcome, list};

#[expect(dead_code, reason = "the example's own `main` is for `cargo run --example orders`")]
#[path = "../../../examples/orders.rs"]
mod orders;

#[derive(Args)]
pub(crate) struct Demo {
    /// Be the server that the demonstration starts.
    #[arg(long, hide = true)]
    serve: bool,
}

/// What the demonstration calls, and what it shows by that.
fn calls() -> [(&'static str, &'static str, Value); 4] {
    [
        ("A good call", "get_order", json!({"order_id": "A-1001"})),
        ("An id that breaks the pattern", "get_order", json!({"order_id": "1001"})),
        ("An order that doesn't exist", "get_order", json!({"order_id": "A-9999"})),
        ("A tool that doesn't exist", "refund_order", json!({"order_id": "A-1001"})),
    ]
}

impl Demo {
    pub(crate) async fn run(self, format: Format) -> anyhow::Result<Outcome> {
        if self.serve {
            orders::server()?.serve_stdio().await?;
            return Ok(Outcome::Good);
        }
        let mut command = Command::new(std::env::current_exe().context("this program's own path is unknown")?);
        command.args(["demo", "--serve"]);
        let client = Client::builder().timeout(Duration::from_secs(10)).open(command)?;
        let shown = show(&client, format).await;
        finish(client, shown).await??;
        Ok(Outcome::Good)
    }
}

async fn show(client: &Client, format: Format) -> Result<anyhow::Result<()>, ClientError> {
    let tools = client.list_tools().await?;
    let mut exchanges = Vec::new();
    for (what, tool, arguments) in calls() {
        let answer = match client.call(tool, arguments.clone()).await {
            Ok(called) => Ok(called.result),
            Err(error) if matches!(error.kind(), ErrorKind::Protocol(_) | ErrorKind::UnknownTool) => Err(error),
            Err(broken) => return Err(broken),
        };
        exchanges.push((what, tool, arguments, answer));
    }
    if format == Format::Json {
        let calls = exchanges.iter().map(|(what, tool, arguments, answer)| {
            let answer = match answer {
                Ok(result) => json!({"result": result}),
                Err(error) => json!({"error": error.to_string()}),
            };
            json!({"what": what, "tool": tool, "arguments": arguments, "answer": answer})
        });
        let all = json!({"tools": tools, "calls": calls.collect::<Vec<_>>()});
        return Ok(pretty(&all).map(|text| println!("{text}")));
    }
    println!("{BOLD}The server of examples/orders.rs runs as a child process. Its tools:{BOLD:#}\n");
    list::show(&tools);
    for (what, tool, arguments, answer) in &exchanges {
        println!("\n{BOLD}{what}{BOLD:#}: {tool} {arguments}");
        if let Err(error) = exchange(answer) {
            return Ok(Err(error));
        }
    }
    Ok(Ok(()))
}

fn exchange(answer: &Result<CallToolResult, ClientError>) -> anyhow::Result<()> {
    match answer {
        Ok(result) if result.is_error == Some(true) => {
            println!("{DIM}The tool did not do it. The model reads:{DIM:#}");
            show::result(result)
        }
        Ok(result) => {
            println!("{GOOD}The model reads:{GOOD:#}");
            show::result(result)
        }
        Err(error) => {
            println!("{DIM}Nothing for the model to put right: the client gets a protocol error.{DIM:#}");
            println!("{BAD}{}{BAD:#}", show::indented(&error.to_string()));
            Ok(())
        }
    }
}
