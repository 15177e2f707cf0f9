#![allow(unused_variables)]

use haft::prelude::*;

struct Context;

/// Looks up an order.
#[tool(read_only, closed_world)]
async fn get_order(context: Context) {}

fn main() {
    let _ = get_order::tool();
}
