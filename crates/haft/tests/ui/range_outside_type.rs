#![allow(unused_variables)]

use haft::prelude::*;

/// Looks up an order.
#[tool(read_only, closed_world)]
async fn get_order(
    #[arg(range(-1..=300))] a: u8,
    #[arg(range(0.5..))] b: u32,
    #[arg(range(..=99999999999999999999))] c: u64,
) {
}

fn main() {
    let _ = get_order::tool();
}
