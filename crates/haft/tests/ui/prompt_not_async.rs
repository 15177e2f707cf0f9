use haft::prelude::*;

/// Asks for a review.
#[prompt]
fn review(code: String) -> String {
    code
}

fn main() {
    let _ = review::prompt();
}
