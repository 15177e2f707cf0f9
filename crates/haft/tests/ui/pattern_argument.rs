#![allow(unused_variables)]

use haft::prelude::*;

/// Looks up an order.
#[tool(read_only, closed_world)]
async fn get_order((id, line): (u32, u32), _: u32) {}

fn main() {
    let _ = get_order::tool();
}
