use haft::prelude::*;

#[derive(Form)]
struct Confirm {}

#[derive(Form)]
enum Nothing {}

fn main() {}
