#![allow(unused_variables)]

use haft::prelude::*;

/// Looks up an order.
#[tool(read_only, closed_world)]
async fn get_order(#[arg(pattern = "")] id: String) {}

fn main() {
    let _ = get_order::tool();
}
