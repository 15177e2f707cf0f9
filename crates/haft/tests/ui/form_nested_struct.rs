use haft::prelude::*;

#[derive(Form)]
struct Address {
    street: String,
}

#[derive(Form)]
struct Contact {
    name: String,
    address: Address,
}

fn main() {}
