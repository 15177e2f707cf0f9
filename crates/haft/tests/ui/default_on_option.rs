#![allow(unused_variables)]

use haft::prelude::*;

/// Looks up an order.
#[tool(read_only, closed_world)]
async fn get_order(#[arg(default = Some(1))] lines: Option<u32>) {}

fn main() {
    let _ = get_order::tool();
}
