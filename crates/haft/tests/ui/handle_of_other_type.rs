use haft::prelude::*;

struct Call;

/// Use this to begin.
#[tool(additive, closed_world, handle = Call)]
async fn begin() -> String {
    String::new()
}

fn main() {
    begin::tool();
}
