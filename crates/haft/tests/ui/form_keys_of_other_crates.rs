use haft::prelude::*;

#[derive(Form)]
#[form(rename_all = "camelCase")]
struct Login {
    #[form(pattern = "^a")]
    user: String,
    #[form(secret)]
    password: String,
    #[form(tilte = "Name")]
    name: String,
}

fn main() {}
