#![allow(unused_variables)]

use haft::prelude::*;

#[allow(non_camel_case_types)]
struct get_order {}

/// Looks up an order.
#[tool(read_only, closed_world)]
async fn get_order() {}

fn main() {}
