use haft::prelude::*;

/// One note.
#[resource("notes://{id}{?lines}")]
async fn note(key: u32, lines: usize) -> String {
    format!("{key} {lines}")
}

/// All notes.
#[resource("notes://all")]
async fn all(id: u32) -> String {
    id.to_string()
}

fn main() {
    let _ = (note::resource_template(), all::resource());
}
