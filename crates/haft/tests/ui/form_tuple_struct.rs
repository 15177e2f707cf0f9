use haft::prelude::*;

#[derive(Form)]
struct Name(String);

fn main() {}
