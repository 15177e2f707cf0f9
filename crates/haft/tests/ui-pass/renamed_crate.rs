//! The haft crate under another path.
#![deny(warnings)]
#![allow(unreachable_pub)]

mod reexports {
    pub use haft as rope;
}

/// Found through the path.
#[reexports::rope::tool(read_only, closed_world, crate = "self::reexports::rope", meta("com.example/a" = [1]))]
async fn renamed(#[arg(default = 1)] number: u8) -> u8 {
    number
}

struct Shelf;

#[reexports::rope::toolset(crate = "self::reexports::rope")]
impl Shelf {
    /// Found through the path.
    #[tool(read_only, closed_world)]
    async fn renamed(&self) {}
}

pub(crate) fn main() {
    let _ = renamed::tool();
    let _ = reexports::rope::Toolset::tools(std::sync::Arc::new(Shelf));
}
