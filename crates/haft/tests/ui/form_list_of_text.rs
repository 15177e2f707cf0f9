use haft::prelude::*;

#[derive(Form)]
struct Tags {
    tags: Vec<String>,
}

fn main() {}
