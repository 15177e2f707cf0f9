use haft::prelude::*;

#[derive(Form)]
struct Contact {
    #[form(format = "e-mail")]
    email: String,
    #[form(format = "hostname")]
    host: String,
}

fn main() {}
