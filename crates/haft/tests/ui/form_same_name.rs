use haft::prelude::*;

#[derive(Form)]
struct Contact {
    name: String,
    #[form(rename = "name")]
    other: String,
}

fn main() {}
