#![allow(unused_variables)]

use haft::prelude::*;

/// Looks up an order.
#[tool(read_only, closed_world)]
async fn get_order(#[cfg(unix)] id: u32) {}

fn main() {
    let _ = get_order::tool();
}
