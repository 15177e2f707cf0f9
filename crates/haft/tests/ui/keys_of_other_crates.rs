#![allow(unused_variables)]

use haft::prelude::*;

/// Looks up an order.
#[tool(read_only_hint = true, closed_world, annotations(title = "x"), description = "Looks up an order.")]
async fn get_order(id: u32) {}

fn main() {
    let _ = get_order::tool();
}
