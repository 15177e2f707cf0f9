use haft::prelude::*;

#[derive(Form)]
struct Amount {
    #[form(default = "three")]
    amount: u32,
}

fn main() {}
