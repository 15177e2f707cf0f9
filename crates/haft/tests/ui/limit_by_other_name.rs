#![allow(unused_variables)]

use haft::prelude::*;

/// Looks up an order.
#[tool(read_only, closed_world, rate_limit = 5, time_limit = "30s")]
async fn get_order(id: u32) {}

fn main() {
    let _ = get_order::tool();
}
