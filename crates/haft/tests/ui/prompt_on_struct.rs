use haft::prelude::*;

#[prompt]
struct Review;

fn main() {}
