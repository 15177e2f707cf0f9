use haft::prelude::*;

/// Asks for a review.
#[prompt(titel = "Review", description = "Asks.", mime_type = "text/plain", scopes("a b", listed, other))]
async fn review(code: String) -> String {
    code
}

fn main() {
    let _ = review::prompt();
}
