#![allow(unused_variables)]

use haft::prelude::*;

/// Looks up an order.
#[tool(read_only, closed_world, concurrency = 5_000_000_000, rate(per_second = 1_000_001), max_result = 99999999999999999999)]
async fn get_order(id: u32) {}

fn main() {
    let _ = get_order::tool();
}
