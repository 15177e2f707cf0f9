use haft::prelude::*;

/// Use this for a test.
#[tool(
    read_only,
    closed_world,
    scopes("", "orders write", "orders:read", "orders:read", "a\"b", other, listed, listed)
)]
async fn get_order() -> String {
    String::new()
}

/// Use this for a test.
#[tool(read_only, closed_world, scopes(listed))]
async fn get_orders() -> String {
    String::new()
}

/// Use this for a test.
#[tool(read_only, closed_world, scopes = "orders:read")]
async fn list_orders() -> String {
    String::new()
}

/// Use this for a test.
#[tool(read_only, closed_world, listed, scopes(5))]
async fn count_orders() -> String {
    String::new()
}

fn main() {}
