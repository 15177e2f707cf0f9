#![allow(unused_variables)]

use haft::prelude::*;

/// Looks up an order.
#[tool(read_only, closed_world)]
async fn get_order(id: &str, lines: &[u8], order: Option<&'static str>, text: std::borrow::Cow<'_, str>) {}

fn main() {
    let _ = get_order::tool();
}
