#![allow(unused_variables)]

use haft::prelude::*;

/// Looks up an order, and says more than any host will read. Looks up an order, and says more than any host will read. Looks up an order, and says more than any host will read. Looks up an order, and says more than any host will read. Looks up an order, and says more than any host will read. Looks up an order, and says more than any host will read. Looks up an order, and says more than any host will read. Looks up an order, and says more than any host will read. Looks up an order, and says more than any host will read. Looks up an order, and says more than any host will read. Looks up an order, and says more than any host will read. Looks up an order, and says more than any host will read. Looks up an order, and says more than any host will read. Looks up an order, and says more than any host will read. Looks up an order, and says more than any host will read. Looks up an order, and says more than any host will read. Looks up an order, and says more than any host will read. Looks up an order, and says more than any host will read. Looks up an order, and says more than any host will read.
#[tool(read_only, closed_world)]
async fn get_order(
    /// Looks up an order, and says more than any host will read. Looks up an order, and says more than any host will read. Looks up an order, and says more than any host will read. Looks up an order, and says more than any host will read. Looks up an order, and says more than any host will read. Looks up an order, and says more than any host will read. Looks up an order, and says more than any host will read. Looks up an order, and says more than any host will read. Looks up an order, and says more than any host will read. Looks up an order, and says more than any host will read. Looks up an order, and says more than any host will read. Looks up an order, and says more than any host will read. Looks up an order, and says more than any host will read. Looks up an order, and says more than any host will read. Looks up an order, and says more than any host will read. Looks up an order, and says more than any host will read. Looks up an order, and says more than any host will read. Looks up an order, and says more than any host will read. Looks up an order, and says more than any host will read.
    id: u32,
) {
}

fn main() {
    let _ = get_order::tool();
}
