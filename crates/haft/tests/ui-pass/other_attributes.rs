//! Other attributes on tools keep their meaning.
#![deny(warnings)]

use haft::prelude::*;

/// Isn't there, and neither is its type.
#[tool(read_only, closed_world)]
#[cfg(any())]
async fn absent() -> Absent {}

/// Isn't there either.
#[cfg(any())]
#[tool(read_only, closed_world)]
async fn absent_too() -> Absent {}

/// Isn't there by another way.
#[tool(read_only, closed_world)]
#[cfg_attr(all(), inline, cfg(any()))]
async fn absent_as_well() -> Absent {}

/// Is on its way out.
#[tool(read_only, closed_world)]
#[deprecated = "use something else"]
async fn old(#[allow(unused_variables)] text: String) {}

/// Must be used.
#[must_use]
#[tool(read_only, closed_world)]
#[inline]
fn must_use() -> u8 {
    1
}

pub(crate) fn main() {
    let _ = (old::tool(), must_use::tool());
}
