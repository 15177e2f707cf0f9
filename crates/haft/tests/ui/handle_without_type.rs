use haft::prelude::*;

/// Use this to begin.
#[tool(additive, closed_world, handle)]
async fn begin() -> String {
    String::new()
}

/// Use this to go on.
#[tool(additive, closed_world, handle = "call")]
async fn go_on() -> String {
    String::new()
}

fn main() {}
