use haft::prelude::*;

#[derive(Form)]
struct Answer<T> {
    value: T,
}

fn main() {}
