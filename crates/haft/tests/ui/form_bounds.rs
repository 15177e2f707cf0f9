use haft::prelude::*;

#[derive(Form)]
struct Bounds {
    #[form(range(5..=1))]
    backwards: u32,
    #[form(range(0..=300))]
    too_wide: u8,
    #[form(range(0.0..1.0))]
    open: f64,
    #[form(range(1..=10), default = 11)]
    default_outside: u32,
    #[form(length(..=2), default = "abc")]
    default_too_long: String,
}

fn main() {}
