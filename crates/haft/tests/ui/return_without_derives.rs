#![allow(unused_variables)]

use haft::prelude::*;

struct Order {}

/// Looks up an order.
#[tool(read_only, closed_world)]
async fn get_order() -> Order {
    Order {}
}

fn main() {
    let _ = get_order::tool();
}
