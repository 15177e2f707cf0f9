#![allow(unused_variables)]

use haft::prelude::*;

/// Looks up an order.
#[tool(read_only, closed_world, timeout = "1s", timeout = "2s", rate(per_second = 1, per_second = 2))]
async fn get_order(id: u32) {}

fn main() {
    let _ = get_order::tool();
}
