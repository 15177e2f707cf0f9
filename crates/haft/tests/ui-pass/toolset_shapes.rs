//! Methods of every shape.
#![deny(warnings, missing_docs, unreachable_pub, clippy::pedantic)]

use std::sync::Arc;

use haft::prelude::*;

struct Orders {
    count: u32,
}

#[toolset]
impl Orders {
    const LIMIT: u32 = 3;

    fn new() -> Self {
        Self { count: Self::LIMIT }
    }

    /// Counts the orders.
    #[tool(read_only, closed_world)]
    async fn count_orders(&self, #[arg(default = Self::LIMIT)] limit: u32, ctx: Context) -> u32 {
        let _ = ctx;
        self.count.min(limit)
    }

    /// Counts the orders on the blocking pool.
    #[haft::tool(read_only, closed_world)]
    pub(crate) fn count_slowly(&self) -> u32 {
        self.count
    }

    /// Needs no orders.
    #[tool(read_only, closed_world)]
    async fn without_self(text: String) -> String {
        text
    }

    /// Has a typed receiver.
    #[tool(read_only, closed_world)]
    #[allow(clippy::needless_arbitrary_self_type)]
    async fn typed_receiver(self: &Self) -> u32 {
        self.count
    }

    /// Is named like a method of `Arc` and `Clone`.
    #[tool(read_only, closed_world, name = "copy_orders")]
    #[allow(clippy::should_implement_trait)]
    fn clone(&self) -> u32 {
        self.count
    }

    /// Is named like the method that lists the tools.
    #[tool(read_only, closed_world)]
    async fn tools(&self) -> u32 {
        self.count
    }

    /// One of two.
    #[cfg(unix)]
    #[tool(read_only, closed_world)]
    async fn platform(&self) -> &'static str {
        "unix"
    }

    /// The other of two.
    #[cfg(not(unix))]
    #[tool(read_only, closed_world)]
    async fn platform(&self) -> &'static str {
        "other"
    }

    /// Isn't there at all.
    #[cfg_attr(all(), cfg(any()))]
    #[tool(read_only, closed_world)]
    async fn absent(&self) -> Absent {}

    #[cfg(any())]
    fn not_a_tool(&self) -> Absent {}
}

trait Store: Send + Sync + 'static {
    fn get(&self) -> u32;
}

struct Memory;

impl Store for Memory {
    fn get(&self) -> u32 {
        1
    }
}

struct Shop<S, const N: usize> {
    store: S,
}

#[toolset]
impl<S, const N: usize> Shop<S, N>
where
    S: Store,
{
    /// Reads the store.
    #[tool(read_only, closed_world)]
    async fn read_store(&self) -> u32 {
        self.store.get() + u32::try_from(N).unwrap_or(0)
    }
}

#[cfg(any())]
struct Never;

#[toolset]
#[cfg(any())]
impl Never {
    /// Isn't there.
    #[tool(read_only, closed_world)]
    async fn never(&self) {}
}

pub(crate) fn main() {
    use haft::Toolset;

    struct Local;

    #[toolset]
    impl Local {
        /// Lives in a function's body.
        #[tool(read_only, closed_world)]
        async fn local(&self) {}
    }

    let _ = Toolset::tools(Arc::new(Orders::new()));
    let _ = Arc::new(Shop::<_, 2> { store: Memory }).tools();
    let _ = Arc::new(Local).tools();
}
