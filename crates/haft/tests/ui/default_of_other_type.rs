#![allow(unused_variables)]

use haft::prelude::*;

/// Looks up an order.
#[tool(read_only, closed_world)]
async fn get_order(#[arg(default = "ten")] lines: u32, #[arg(default = 10)] text: String) {}

fn main() {
    let _ = get_order::tool();
}
