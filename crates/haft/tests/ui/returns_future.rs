#![allow(unused_variables)]

use haft::prelude::*;

/// Looks up an order.
#[tool(read_only, closed_world)]
fn get_order() -> impl Future<Output = String> {
    async { String::new() }
}

fn main() {
    let _ = get_order::tool();
}
