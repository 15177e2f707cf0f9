#![allow(unused_variables)]

use haft::prelude::*;

/// Looks up an order.
#[tool(read_only, closed_world)]
#[allow(non_snake_case)]
async fn getOrder() {}

/// Looks up an order.
#[tool(read_only, closed_world)]
async fn go() {}

/// Looks up an order.
#[tool(read_only, closed_world)]
async fn get__order() {}

fn main() {
    let _ = (getOrder::tool(), go::tool(), get__order::tool());
}
