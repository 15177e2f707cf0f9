#![allow(unused_variables)]

use haft::prelude::*;

/// Looks up an order.
#[tool(read_only, closed_world, concurrency = "4", max_result(10), timeout = 30, rate(per_second = 1.5))]
async fn get_order(id: u32) {}

fn main() {
    let _ = get_order::tool();
}
