//! Values that come from the server.
#![deny(warnings)]

use haft::prelude::*;

#[derive(Clone)]
struct Database;

impl FromContext for Database {
    type Rejection = ToolError;

    async fn from_context(_: &Context) -> Result<Self, ToolError> {
        Ok(Database)
    }
}

/// Reads the database.
#[tool(read_only, closed_world)]
async fn read_database(#[extract] database: Database, key: String, #[extract] _: Database) -> String {
    let _ = database;
    key
}

/// Reads the database on the blocking pool.
#[tool(read_only, closed_world)]
fn read_slowly(#[extract] database: Database) -> u8 {
    let _ = database;
    1
}

pub(crate) fn main() {
    let _ = (read_database::tool(), read_slowly::tool());
}
