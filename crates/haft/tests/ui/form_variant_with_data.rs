use haft::prelude::*;

#[derive(Form)]
enum Delivery {
    Pickup,
    Parcel { weight: f64 },
    Letter(String),
}

fn main() {}
