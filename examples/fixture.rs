//! The server that the project's own tests talk to: four small tools that show the edges of the protocol.
//!
//! `cargo run -q --example fixture` serves it on stdin and stdout; with `-- --http 127.0.0.1:8080` it is at
//! <http://127.0.0.1:8080/mcp>.

use std::time::Duration;

use haft::LogLevel;
use haft::prelude::*;

#[path = "shared/serve.rs"]
mod shared;

#[derive(Serialize, JsonSchema)]
struct Order {
    order_id: String,
    status: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct Sum {
    sum: i64,
}

/// Use this to get a text back as it was sent.
#[tool(read_only, closed_world)]
async fn echo(
    /// The text to send back.
    text: String,
) -> String {
    text
}

/// Use this when the user asks where an order is. Returns its current status.
#[tool(title = "Look up an order", read_only, closed_world)]
async fn get_order(
    /// Order ID, e.g. A-1001
    #[arg(pattern = r"^A-\d{4}$")]
    order_id: String,
) -> Result<Order, ToolError> {
    match order_id.as_str() {
        "A-1001" => Ok(Order { order_id, status: "shipped" }),
        "A-1002" => Ok(Order { order_id, status: "processing" }),
        _ => Err(ToolError::new(format!("No order {order_id}. Ask the user to check the ID on their receipt."))),
    }
}

/// Use this to add two whole numbers.
#[tool(title = "Add two numbers", read_only, closed_world)]
async fn add(
    /// The first number.
    a: i64,
    /// The second number.
    b: i64,
) -> Result<Sum, ToolError> {
    match a.checked_add(b) {
        Some(sum) => Ok(Sum { sum }),
        None => Err(ToolError::new("The sum does not fit into 64 bits. Add smaller numbers.")),
    }
}

/// Use this to wait. Reports progress every tenth of a second when asked to.
#[tool(read_only, closed_world, logs)]
async fn slow(
    /// How long to wait, in seconds: 0 to 3600.
    #[arg(range(0.0..=3600.0))]
    seconds: f64,
    context: Context,
) -> String {
    context.log(LogLevel::Info, "waiting");
    context.log(LogLevel::Warning, "this takes a while");
    let steps = (seconds * 10.0).floor();
    let mut step = 0.0;
    while step < steps {
        tokio::time::sleep(Duration::from_millis(100)).await;
        step += 1.0;
        context.progress(step, Some(steps));
    }
    tokio::time::sleep(Duration::from_secs_f64((seconds - steps / 10.0).max(0.0))).await;
    format!("Waited {seconds} s.")
}

pub(crate) fn server() -> Result<Server, haft::BuildError> {
    Server::new("fixture", "1.0.0")
        .tool(echo::tool())
        .tool(get_order::tool())
        .tool(add::tool())
        .tool(slow::tool())
        .build()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), haft::ServeError> {
    shared::serve(server()?).await
}
