#![allow(unused_variables)]

use haft::prelude::*;

/// Looks up an order.
#[tool(read_only, closed_world)]
async fn get_order(#[arg(length(-1..))] a: String, #[arg(length(..0))] b: String, #[arg(length(1.5..))] c: String) {}

fn main() {
    let _ = get_order::tool();
}
