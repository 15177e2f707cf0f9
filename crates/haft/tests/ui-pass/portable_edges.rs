//! Just inside of the portable rules.
#![deny(warnings)]

use haft::prelude::*;

/// The shortest name.
#[tool(read_only, closed_world)]
async fn get() {}

/// The longest name.
#[tool(read_only, closed_world)]
async fn a234567890_234567890_234567890_234567890() {}

#[doc = concat!("d")]
#[tool(read_only, closed_world, name = "Any.Name-at-all", allow(portable_name, portable_input))]
async fn opted_out(#[arg(rename = "a b")] odd: String) -> String {
    odd
}

pub(crate) fn main() {
    let _ = (get::tool(), a234567890_234567890_234567890_234567890::tool(), opted_out::tool());
}
