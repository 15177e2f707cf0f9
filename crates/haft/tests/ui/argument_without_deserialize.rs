#![allow(unused_variables)]

use haft::prelude::*;

#[derive(JsonSchema)]
struct Order {}

/// Looks up an order.
#[tool(read_only, closed_world)]
async fn get_order(order: Order) {}

fn main() {
    let _ = get_order::tool();
}
