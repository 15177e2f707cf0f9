#![allow(unused_variables)]

use haft::prelude::*;

///
#[tool(read_only, closed_world)]
async fn get_order(id: u32) {}

fn main() {
    let _ = get_order::tool();
}
