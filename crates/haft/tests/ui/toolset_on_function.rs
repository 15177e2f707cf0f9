#![allow(unused_variables)]

use haft::prelude::*;

/// Looks up an order.
#[toolset]
async fn get_order() {}

fn main() {
    let _ = get_order();
}
