use haft::prelude::*;

#[derive(Form)]
#[form(enum_names)]
struct Contact {
    name: String,
}

fn main() {}
