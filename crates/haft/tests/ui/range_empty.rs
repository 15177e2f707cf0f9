#![allow(unused_variables)]

use haft::prelude::*;

/// Looks up an order.
#[tool(read_only, closed_world)]
async fn get_order(#[arg(range(10..=1))] a: u32, #[arg(range(5..5))] b: u32, #[arg(range(..))] c: u32) {}

fn main() {
    let _ = get_order::tool();
}
