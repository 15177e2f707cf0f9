#![allow(unused_variables)]

use haft::prelude::*;

#[derive(Serialize)]
struct Order {}

/// Looks up an order.
#[tool(read_only, closed_world)]
async fn get_order() -> Result<Order, ToolError> {
    Ok(Order {})
}

fn main() {
    let _ = get_order::tool();
}
