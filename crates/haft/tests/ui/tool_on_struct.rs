#![allow(unused_variables)]

use haft::prelude::*;

/// An order.
#[tool(read_only, closed_world)]
struct Order;

fn main() {
    let _ = Order;
}
