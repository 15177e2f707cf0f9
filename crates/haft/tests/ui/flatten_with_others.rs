#![allow(unused_variables)]

use haft::prelude::*;

#[derive(Deserialize, JsonSchema)]
struct Page {
    number: u32,
}

/// Looks up an order.
#[tool(read_only, closed_world)]
async fn get_order(
    /// Which page
    #[arg(flatten, example = 1, rename = "x")]
    page: Page,
) {
}

fn main() {
    let _ = get_order::tool();
}
