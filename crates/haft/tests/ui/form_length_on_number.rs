use haft::prelude::*;

#[derive(Form)]
struct Amount {
    #[form(length(1..=3))]
    amount: u32,
}

fn main() {}
