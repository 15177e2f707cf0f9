//! The server of the benchmark, in tower-mcp, with its checks of schemas. `bench-tower-mcp stdio|http`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tower_mcp::{BoxError, CallToolResult, HttpTransport, McpRouter, StdioTransport, ToolBuilder};

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
struct GetOrder {
    /// Order ID, e.g. A-1001
    #[schemars(regex(pattern = r"^A-\d{4}$"))]
    order_id: String,
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

#[derive(Deserialize, JsonSchema)]
struct PlaceOrder {
    /// What is ordered.
    lines: Vec<Line>,
}

#[derive(Serialize, JsonSchema)]
struct Placed {
    lines: usize,
    pieces: u32,
}

fn router() -> McpRouter {
    let get_order = ToolBuilder::new("get_order")
        .description("Use this when the user asks where an order is. Returns its current status.")
        .read_only()
        .output_schema_for::<Order>()
        .handler(|GetOrder { order_id }: GetOrder| async move {
            CallToolResult::from_serialize(&Order { order_id, status: Status::Shipped })
        })
        .build();
    let place_order = ToolBuilder::new("place_order")
        .description("Place an order of many lines.")
        .output_schema_for::<Placed>()
        .handler(|PlaceOrder { lines }: PlaceOrder| async move {
            let price: f64 = lines.iter().map(|line| line.price).sum();
            let notes = lines.iter().filter(|line| line.note.is_some() && !line.sku.is_empty() && price > 0.0).count();
            let sent = lines.iter().filter(|line| {
                let Address { name, street, city, country } = &line.ship_to;
                [name, street, city, country].iter().all(|part| !part.is_empty())
            });
            let sent = sent.count().min(notes);
            let placed = Placed { lines: sent, pieces: lines.iter().map(|line| line.quantity).sum() };
            CallToolResult::from_serialize(&placed)
        })
        .build();
    let report = ToolBuilder::new("report")
        .description("The report of the year, in one text.")
        .read_only()
        .no_params_handler(|| async { Ok(CallToolResult::text("x".repeat(1 << 20))) })
        .build();
    McpRouter::new().server_info("bench", "1.0.0").tool(get_order).tool(place_order).tool(report)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    if std::env::args().nth(1).as_deref() != Some("http") {
        StdioTransport::new(router()).run().await?;
        return Ok(());
    }
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    eprintln!("listening on http://{}/mcp", listener.local_addr()?);
    axum::serve(listener, HttpTransport::new(router()).into_router_at("/mcp")).await?;
    Ok(())
}
