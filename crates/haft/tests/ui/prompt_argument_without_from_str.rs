use haft::prelude::*;

struct Code;

/// Asks for a review.
#[prompt]
async fn review(_code: Code) -> String {
    String::new()
}

fn main() {
    let _ = review::prompt();
}
