use haft::prelude::*;

/// How many notes there are.
#[resource("notes://count")]
async fn count() -> usize {
    7
}

fn main() {
    let _ = count::resource();
}
