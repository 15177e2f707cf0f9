#![allow(unused_variables)]

use haft::prelude::*;

struct Orders;

#[toolset]
impl Orders {
    /// Looks up an order.
    #[tool(read_only, closed_world)]
    async fn get_order(self) {}

    /// Looks up a line.
    #[tool(read_only, closed_world)]
    async fn get_line(self: std::sync::Arc<Self>) {}
}

fn main() {
    let _ = Server::new("orders", "1.0.0").tools(Orders);
}
