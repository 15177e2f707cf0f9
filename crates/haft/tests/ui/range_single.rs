#![allow(unused_variables)]

use haft::prelude::*;

/// Looks up an order.
#[tool(read_only, closed_world)]
async fn get_order(#[arg(range(5))] a: u32, #[arg(length(5))] b: String) {}

fn main() {
    let _ = get_order::tool();
}
