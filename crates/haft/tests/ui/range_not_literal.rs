#![allow(unused_variables)]

use haft::prelude::*;

const MAX: u32 = 9;

/// Looks up an order.
#[tool(read_only, closed_world)]
async fn get_order(#[arg(range(1..=MAX))] id: u32) {}

fn main() {
    let _ = get_order::tool();
}
