//! Each key of `#[tool]` and `#[arg]` at least once.
#![deny(warnings, missing_docs, unreachable_pub, clippy::pedantic)]

use haft::prelude::*;

/// Seats in a train.
#[derive(Deserialize, Serialize, JsonSchema, Default)]
#[serde(rename_all = "lowercase")]
enum Class {
    /// With a table
    First,
    /// Without one
    #[default]
    Second,
}

/// Grouped arguments.
#[derive(Deserialize, JsonSchema)]
struct Passenger {
    /// As printed on the ticket
    full_name: String,
}

/// Use this to book a seat
/// in a train.
///
/// Returns the booking's number.
#[tool(
    name = "book_seat",
    title = "Book a seat",
    additive,
    open_world,
    idempotent,
    icon(src = "https://example.com/seat.png", mime = "image/png", sizes("48x48", "96x96"), theme = "dark"),
    icon(src = "data:image/png;base64,AAAA"),
    meta("com.example/team" = "rail", "com.example/limits" = {"seats": 4, "classes": ["first", null]}),
    meta("com.example/depth" = 1 + 2),
    allow(portable_output, recursion),
    needs(elicitation, sampling),
    scopes("seats:book", "seats:read", listed),
    cancel = "drop",
    logs,
    embeds_resources,
    task(required, later, resumable, ttl = "2h", poll = "5s")
)]
async fn book(
    /// Number of the train
    #[arg(rename = "train", pattern = r"^[A-Z]{2}\d+$", example = "IC1", example = "RE70", length(3..=8), header = "Train")]
    train_number: String,
    #[arg(description = "How many seats", range(1..=4), default = 1)] seats: u8,
    #[arg(range(..10))] luggage: Option<u32>,
    #[arg(range(-40.5..50.0))] temperature: f64,
    #[arg(range(0..9007199254740991), header = "Customer")] customer: u64,
    #[arg(default = Class::default(), example = Class::First)] class: Class,
    #[arg(default = "quiet")] zone: String,
    #[arg(length(..3), example = ["a", "b"])] wishes: Vec<String>,
    #[arg(default = Vec::<u8>::with_capacity(2))] extras: Vec<u8>,
    #[arg(secret)] voucher: String,
    #[arg(flatten)] passenger: Passenger,
    ctx: Context,
) -> String {
    let _ = (luggage, temperature, customer, class, zone, wishes, extras, voucher, ctx);
    format!("{seats} in {train_number} for {}", passenger.full_name)
}

pub(crate) fn main() {
    Server::new("trains", "1.0.0").tool(book::tool()).build().expect("a server");
}
