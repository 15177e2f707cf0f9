#![allow(unused_variables)]

use haft::prelude::*;

use std::rc::Rc;

async fn later() {}

/// Looks up an order.
#[tool(read_only, closed_world)]
async fn get_order() {
    let shared = Rc::new(1);
    later().await;
    drop(shared);
}

fn main() {
    let _ = get_order::tool();
}
