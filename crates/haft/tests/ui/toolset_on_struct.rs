#![allow(unused_variables)]

use haft::prelude::*;

#[toolset]
struct Orders;

fn main() {
    let _ = Orders;
}
