use haft::prelude::*;

#[derive(Form)]
struct Amount {
    #[form(range(1..=3))]
    amount: Option<String>,
}

fn main() {}
