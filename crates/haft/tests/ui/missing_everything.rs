#![allow(unused_variables)]

use haft::prelude::*;

#[tool]
async fn get_order(id: u32) {}

fn main() {
    let _ = get_order::tool();
}
