#![allow(unused_variables)]

use haft::prelude::*;

/// Looks up an order.
#[tool(read_only, closed_world)]
extern "C" fn get_order() {}

fn main() {
    let _ = get_order::tool();
}
