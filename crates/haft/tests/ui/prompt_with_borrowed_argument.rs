use haft::prelude::*;

/// Asks for a review.
#[prompt]
async fn review(code: &str) -> String {
    code.to_owned()
}

fn main() {}
