#![allow(unused_variables)]

use haft::prelude::*;

#[derive(Deserialize, JsonSchema)]
struct Page {
    number: u32,
}

/// Looks up an order.
#[tool(read_only, closed_world)]
async fn get_order(#[arg(flatten)] id: u32, #[arg(flatten)] page: Option<Page>) {}

fn main() {
    let _ = get_order::tool();
}
