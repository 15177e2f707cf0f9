#![allow(unused_variables)]

use haft::prelude::*;

/// Looks up an order.
#[tool(read_only, closed_world, timeout = "0s", concurrency = 0, max_result = 0, rate(per_second = 0, burst = 0))]
async fn get_order(id: u32) {}

fn main() {
    let _ = get_order::tool();
}
