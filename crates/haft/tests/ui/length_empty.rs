#![allow(unused_variables)]

use haft::prelude::*;

/// Looks up an order.
#[tool(read_only, closed_world)]
async fn get_order(#[arg(length(9..=3))] a: String, #[arg(length())] b: String) {}

fn main() {
    let _ = get_order::tool();
}
