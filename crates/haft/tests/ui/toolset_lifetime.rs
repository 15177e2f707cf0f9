#![allow(unused_variables)]

use haft::prelude::*;

struct Orders<'a>(&'a str);

#[toolset]
impl<'a> Orders<'a> {
    /// Looks up an order.
    #[tool(read_only, closed_world)]
    async fn get_order(&self) -> usize {
        self.0.len()
    }
}

fn main() {
    let _ = Orders("").get_order();
}
