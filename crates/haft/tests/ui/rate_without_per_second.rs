#![allow(unused_variables)]

use haft::prelude::*;

/// Looks up an order.
#[tool(read_only, closed_world, rate(burst = 10))]
async fn get_order(id: u32) {}

fn main() {
    let _ = get_order::tool();
}
