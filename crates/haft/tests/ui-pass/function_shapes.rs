//! Free functions of every shape, in modules, function bodies and with any visibility.
#![deny(warnings, missing_docs, unreachable_pub, clippy::pedantic)]

use haft::prelude::*;

/// Says nothing and returns nothing.
#[tool(additive, closed_world)]
async fn without_parameters() {}

/// Runs on the blocking pool.
#[tool(read_only, closed_world)]
fn plain(text: String) -> String {
    text
}

/// Runs on the blocking pool without parameters.
#[tool(read_only, closed_world)]
fn plain_without_parameters() -> &'static str {
    "done"
}

/// Many arguments, several of them flags.
#[tool(read_only, closed_world)]
#[must_use]
fn many(
    red: bool,
    green: bool,
    blue: bool,
    alpha: bool,
    top: u8,
    left: u8,
    width: u8,
    height: u8,
    more: Option<Vec<u8>>,
) -> usize {
    let flags = [red, green, blue, alpha].into_iter().filter(|flag| *flag).count();
    flags + usize::from(top + left + width + height) + more.map_or(0, |more| more.len())
}

/// Has a keyword for its name and for an argument.
#[tool(read_only, closed_world, name = "type_of")]
async fn r#type(r#in: String, mut counter: u8) -> String {
    counter += 1;
    format!("{} {counter:?}", r#in + "!")
}

/// Only the context.
#[tool(read_only, closed_world)]
async fn context_only(_: Context) -> String {
    String::new()
}

/// The context between arguments, under a path.
#[tool(read_only, closed_world)]
async fn context_between(before: u8, ctx: haft::Context, after: u8) -> u8 {
    let _ = ctx;
    before + after
}

/// Fails now and then.
#[tool(destructive, open_world)]
#[allow(clippy::unnecessary_wraps)]
async fn fails(id: u32) -> Result<u32, ToolError> {
    Ok(id)
}

mod inner {
    use haft::prelude::*;

    /// Seen in the crate.
    #[tool(read_only, closed_world)]
    pub(crate) async fn in_crate() {}

    /// Seen above.
    #[tool(read_only, closed_world)]
    pub(super) async fn above() {}

    #[allow(clippy::needless_pub_self, reason = "the spelling is what is tried")]
    /// Seen in a path.
    #[tool(read_only, closed_world)]
    pub(self) async fn in_path() {}

    pub(crate) fn tools() -> Vec<Tool> {
        vec![in_path::tool()]
    }
}

pub(crate) fn main() {
    /// Lives in a function's body.
    #[tool(read_only, closed_world)]
    async fn local(text: String) -> String {
        text
    }

    let _ = [
        without_parameters::tool(),
        plain::tool(),
        plain_without_parameters::tool(),
        many::tool(),
        r#type::tool(),
        context_only::tool(),
        context_between::tool(),
        fails::tool(),
        inner::in_crate::tool(),
        inner::above::tool(),
        local::tool(),
    ];
    let _ = inner::tools();
    // The functions stay functions.
    assert_eq!(plain("a".to_owned()), "a");
    std::mem::drop(local("a".to_owned()));
}
