use haft::prelude::*;

/// Asks for a review.
#[prompt]
async fn review(#[arg(pattern = "^a")] code: String) -> String {
    code
}

fn main() {
    let _ = review::prompt();
}
