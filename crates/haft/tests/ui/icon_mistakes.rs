#![allow(unused_variables)]

use haft::prelude::*;

/// Looks up an order.
#[tool(read_only, closed_world, icon(src = "data:,", mime = "png", sizes("48"), theme = "black", size = "48x48"))]
async fn get_order(id: u32) {}

fn main() {
    let _ = get_order::tool();
}
