use haft::prelude::*;

/// Asks for a review.
#[prompt]
async fn review(code: String) -> usize {
    code.len()
}

fn main() {
    let _ = review::prompt();
}
