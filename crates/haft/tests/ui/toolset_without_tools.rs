#![allow(unused_variables)]

use haft::prelude::*;

struct Orders;

#[toolset]
impl Orders {
    fn get_order(&self) {}
}

fn main() {
    let _ = Server::new("orders", "1.0.0").tools(Orders);
}
