//! The server of the benchmark, in haft, with all its checks. `bench-haft stdio|http [TOOLS]`

use haft::prelude::*;
use haft::{HttpOptions, HttpServer};

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Status {
    Shipped,
}

#[derive(Serialize, JsonSchema)]
struct Order {
    order_id: String,
    status: Status,
}

#[derive(Deserialize, JsonSchema)]
struct Address {
    name: String,
    street: String,
    city: String,
    country: String,
}

#[derive(Deserialize, JsonSchema)]
struct Line {
    sku: String,
    quantity: u32,
    price: f64,
    note: Option<String>,
    ship_to: Address,
}

#[derive(Serialize, JsonSchema)]
struct Placed {
    lines: usize,
    pieces: u32,
}

/// Use this when the user asks where an order is. Returns its current status.
#[tool(read_only, closed_world)]
async fn get_order(
    /// Order ID, e.g. A-1001
    #[arg(pattern = r"^A-\d{4}$")]
    order_id: String,
) -> Result<Order, ToolError> {
    Ok(Order { order_id, status: Status::Shipped })
}

/// Place an order of many lines.
#[tool(additive, closed_world)]
async fn place_order(
    /// What is ordered.
    lines: Vec<Line>,
) -> Placed {
    let price: f64 = lines.iter().map(|line| line.price).sum();
    let notes = lines.iter().filter(|line| line.note.is_some() && !line.sku.is_empty() && price > 0.0).count();
    let sent = lines.iter().filter(|line| {
        let Address { name, street, city, country } = &line.ship_to;
        [name, street, city, country].iter().all(|part| !part.is_empty())
    });
    Placed { lines: sent.count().min(notes), pieces: lines.iter().map(|line| line.quantity).sum() }
}

/// The report of the year, in one text.
#[tool(read_only, closed_world)]
async fn report() -> String {
    "x".repeat(1 << 20)
}

/// Follow a parcel in ten steps.
#[tool(read_only, closed_world)]
async fn track(context: Context) -> &'static str {
    for step in 1..=10 {
        context.progress(f64::from(step), Some(10.0));
        tokio::task::yield_now().await;
    }
    "arrived"
}

const SCHEMA: &str = r#"{"type":"object","properties":{"query":{"type":"string","description":"What to look for."},"limit":{"type":"integer","description":"How many at most."}},"required":["query"]}"#;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let tools: usize = arguments.get(1).map_or(Ok(4), |tools| tools.parse())?;
    let mut builder = Server::new("bench", "1.0.0")
        .tool(get_order::tool())
        .tool(place_order::tool())
        .tool(report::tool())
        .tool(track::tool())
        .dynamic_tools();
    for number in 4..tools {
        let filler = Tool::builder(format!("search_{number:05}"))
            .description("Use this to search one of the many places where something may be. Returns what was found.")
            .input_schema(SCHEMA)
            .read_only(true)
            .handler(|arguments: Arguments, _: Context| async move { format!("{} found", arguments.len()) });
        builder = builder.tool(filler);
    }
    let server = builder.build()?;
    match arguments.first().map(String::as_str) {
        Some("http") => {
            let options = HttpOptions::new().max_connections(20_000).max_subscriptions(20_000);
            let http = HttpServer::bind(server, "127.0.0.1:0", options).await?;
            eprintln!("listening on http://{}/mcp", http.local_addr());
            http.serve().await?;
        }
        _ => server.serve_stdio().await?,
    }
    Ok(())
}
