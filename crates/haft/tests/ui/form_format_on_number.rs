use haft::prelude::*;

#[derive(Form)]
struct When {
    #[form(format = "date")]
    day: u32,
}

fn main() {}
