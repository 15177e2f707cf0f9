#![allow(unused_variables)]

use haft::prelude::*;

struct Orders;

#[toolset(read_only, crate = "haft haft", prefix)]
impl Orders {
    /// Looks up an order.
    #[tool(read_only, closed_world, crate = "haft")]
    async fn get_order(&self) {}
}

fn main() {
    let _ = Orders.get_order();
}
