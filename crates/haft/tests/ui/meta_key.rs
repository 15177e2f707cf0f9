#![allow(unused_variables)]

use haft::prelude::*;

/// Looks up an order.
#[tool(read_only, closed_world, meta("io.modelcontextprotocol/x" = 1, "-x" = 2, "traceparent" = 3, "com.example/a" = 4, "com.example/a" = 5))]
async fn get_order(id: u32) {}

fn main() {
    let _ = get_order::tool();
}
