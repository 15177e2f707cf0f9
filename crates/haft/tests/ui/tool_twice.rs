#![allow(unused_variables)]

use haft::prelude::*;

/// Looks up an order.
#[tool(read_only, closed_world)]
#[tool(read_only, open_world)]
async fn get_order() {}

fn main() {
    let _ = get_order::tool();
}
