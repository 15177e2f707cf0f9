#![allow(unused_variables)]

use haft::prelude::*;

/// Looks up an order.
#[tool(read_only, closed_world)]
async fn get_order(#[arg(header = "Weight")] weight: f64) {}

fn main() {
    let _ = get_order::tool();
}
