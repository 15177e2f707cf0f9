#![allow(unused_variables)]

use haft::prelude::*;

/// Looks up an order.
#[tool(read_only, closed_world)]
async fn get_order(#[arg(header = "Id")] id: u64, #[arg(header = "Line", range(0..))] line: i64) {}

fn main() {
    let _ = get_order::tool();
}
