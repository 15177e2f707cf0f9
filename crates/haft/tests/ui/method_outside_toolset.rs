#![allow(unused_variables)]

use haft::prelude::*;

struct Orders;

impl Orders {
    /// Looks up an order.
    #[tool(read_only, closed_world)]
    async fn get_order(&self) {}

    /// Makes one.
    #[tool(additive, closed_world)]
    async fn make() -> Self {
        Orders
    }
}

fn main() {
    let _ = Orders::make();
}
