//! Descriptions from other macros.
#![deny(warnings)]

use haft::prelude::*;

#[doc = concat!("Joined ", "text.")]
#[tool(read_only, closed_world)]
async fn concatenated(#[doc = concat!("Also ", "joined.")] text: String) -> String {
    text
}

/// Before.
#[doc = stringify!(Between)]
/// After.
#[tool(read_only, closed_world)]
async fn mixed() {}

#[doc = include_str!("descriptions.rs")]
#[tool(read_only, closed_world, allow(portable_description))]
async fn included() {}

/** In a block comment,
over two lines. */
#[tool(read_only, closed_world)]
async fn block() {}

pub(crate) fn main() {
    let _ = (concatenated::tool(), mixed::tool(), included::tool(), block::tool());
}
