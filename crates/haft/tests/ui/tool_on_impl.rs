#![allow(unused_variables)]

use haft::prelude::*;

struct Orders;

#[tool(read_only, closed_world)]
impl Orders {}

fn main() {
    let _ = Orders;
}
