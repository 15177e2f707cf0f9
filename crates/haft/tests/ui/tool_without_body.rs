#![allow(unused_variables)]

use haft::prelude::*;

trait Orders {
    /// Looks up an order.
    #[tool(read_only, closed_world)]
    async fn get_order(id: u32);
}

fn main() {}
