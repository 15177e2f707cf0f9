use haft::prelude::*;

#[prompt]
async fn review(code: String) -> String {
    code
}

fn main() {
    let _ = review::prompt();
}
