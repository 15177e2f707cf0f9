#![allow(unused_variables)]

use haft::prelude::*;

struct Orders;

#[toolset]
impl Orders {
    #[tool(title = "x", open_word)]
    async fn get_order(&mut self, id: &str, #[arg(range(3..=1))] line: u8) {}

    /// Looks up a line.
    #[tool(read_only, closed_world)]
    async fn get_line(&self) {}
}

fn main() {
    let _ = Server::new("orders", "1.0.0").tools(Orders);
}
