#![allow(unused_variables)]

use haft::prelude::*;

struct Orders;

trait Shelf {
    async fn get_order(&self);
}

#[toolset]
impl Shelf for Orders {
    /// Looks up an order.
    #[tool(read_only, closed_world)]
    async fn get_order(&self) {}
}

fn main() {
    let _ = Orders.get_order();
}
