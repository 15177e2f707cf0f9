use haft::prelude::*;

/// What these notes are about.
#[resource(name = "readme")]
async fn readme() -> String {
    String::new()
}

fn main() {
    let _ = readme::resource();
}
