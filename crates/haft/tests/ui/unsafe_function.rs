#![allow(unused_variables)]

use haft::prelude::*;

/// Looks up an order.
#[tool(read_only, closed_world)]
unsafe fn get_order() {}

fn main() {
    let _ = get_order::tool();
}
