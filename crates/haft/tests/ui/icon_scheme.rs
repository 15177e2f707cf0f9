#![allow(unused_variables)]

use haft::prelude::*;

/// Looks up an order.
#[tool(read_only, closed_world, icon(src = "http://example.com/a.png"), icon(src = "icon.png"))]
async fn get_order(id: u32) {}

fn main() {
    let _ = get_order::tool();
}
