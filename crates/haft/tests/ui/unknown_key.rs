#![allow(unused_variables)]

use haft::prelude::*;

/// Looks up an order.
#[tool(readonly, closed_world, titel = "x", frobnicate)]
async fn get_order(id: u32) {}

fn main() {
    let _ = get_order::tool();
}
