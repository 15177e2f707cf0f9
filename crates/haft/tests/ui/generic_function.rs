#![allow(unused_variables)]

use haft::prelude::*;

/// Looks up an order.
#[tool(read_only, closed_world)]
async fn get_order<T: std::fmt::Display, const N: usize>(id: T) {
    let _ = (id, N);
}

fn main() {
    let _ = get_order::tool();
}
