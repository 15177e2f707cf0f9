//! All stores that need nothing but Rust.

mod memory;
mod model;
