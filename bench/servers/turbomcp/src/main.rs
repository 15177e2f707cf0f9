//! The server of the benchmark, in turbomcp. `bench-turbomcp stdio|http`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use turbomcp::http::{HttpConfig, serve_http};
use turbomcp::prelude::*;

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

#[derive(Clone)]
struct Bench;

#[server(name = "bench", version = "1.0.0")]
impl Bench {
    #[tool(description = "Use this when the user asks where an order is. Returns its current status.")]
    async fn get_order(&self, order_id: String) -> McpResult<Json<Order>> {
        let digits = order_id.strip_prefix("A-").unwrap_or_default();
        if digits.len() != 4 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(McpError::invalid_params(format!("order_id must match ^A-\\d{{4}}$, got {order_id:?}")));
        }
        Ok(Json(Order { order_id, status: Status::Shipped }))
    }

    #[tool(description = "Place an order of many lines.")]
    async fn place_order(&self, lines: Vec<Line>) -> McpResult<Json<Placed>> {
        let price: f64 = lines.iter().map(|line| line.price).sum();
        let notes = lines.iter().filter(|line| line.note.is_some() && !line.sku.is_empty() && price > 0.0).count();
        let sent = lines.iter().filter(|line| {
            let Address { name, street, city, country } = &line.ship_to;
            [name, street, city, country].iter().all(|part| !part.is_empty())
        });
        let sent = sent.count().min(notes);
        Ok(Json(Placed { lines: sent, pieces: lines.iter().map(|line| line.quantity).sum() }))
    }

    #[tool(description = "The report of the year, in one text.")]
    async fn report(&self) -> McpResult<String> {
        Ok("x".repeat(1 << 20))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), turbomcp::ProtocolError> {
    if std::env::args().nth(1).as_deref() != Some("http") {
        return Bench.run_stdio().await;
    }
    // It takes an address and doesn't say which port it got.
    let address = std::net::TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a free port");
    eprintln!("listening on http://{address}/mcp");
    serve_http(address, Bench.into_server().build(), HttpConfig::new()).await?;
    Ok(())
}
