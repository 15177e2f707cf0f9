#![allow(unused_variables)]

use haft::prelude::*;

struct Database;

/// Looks up an order.
#[tool(read_only, closed_world)]
async fn get_order(#[extract] database: Database) {}

fn main() {
    let _ = get_order::tool();
}
