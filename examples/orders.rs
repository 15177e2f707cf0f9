//! An order desk with two tools: one that only reads, and one that changes state.
//!
//! `cargo run -q --example orders` serves it on stdin and stdout; with `-- --http 127.0.0.1:8080` it is at
//! <http://127.0.0.1:8080/mcp>.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use haft::prelude::*;

#[path = "shared/serve.rs"]
mod shared;

#[derive(Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Status {
    Processing,
    Shipped,
    Canceled,
}

#[derive(Serialize, JsonSchema)]
struct Order {
    order_id: String,
    status: Status,
}

/// Stand-in for a database.
struct Orders {
    orders: Mutex<BTreeMap<String, Status>>,
}

impl Orders {
    fn new() -> Self {
        let orders = [("A-1001", Status::Shipped), ("A-1002", Status::Processing)];
        Self { orders: Mutex::new(orders.map(|(id, status)| (id.to_owned(), status)).into()) }
    }
}

fn no_order(order_id: &str) -> ToolError {
    ToolError::new(format!("No order {order_id}. Ask the user to check the ID on their receipt."))
}

#[toolset]
impl Orders {
    /// Use this when the user asks where an order is. Returns its current status.
    #[tool(title = "Look up an order", read_only, closed_world)]
    async fn get_order(
        &self,
        /// Order ID, e.g. A-1001
        #[arg(pattern = r"^A-\d{4}$")]
        order_id: String,
    ) -> Result<Order, ToolError> {
        let orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        match orders.get(&order_id) {
            Some(&status) => Ok(Order { order_id, status }),
            None => Err(no_order(&order_id)),
        }
    }

    /// Cancel an order that has not shipped yet. Cancelling twice is a no-op.
    #[tool(title = "Cancel an order", destructive, idempotent, closed_world)]
    async fn cancel_order(
        &self,
        /// Order ID, e.g. A-1002
        #[arg(pattern = r"^A-\d{4}$")]
        order_id: String,
    ) -> Result<Order, ToolError> {
        let mut orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        match orders.get_mut(&order_id) {
            None => Err(no_order(&order_id)),
            Some(Status::Shipped) => Err(ToolError::new(format!(
                "{order_id} has already shipped and can't be canceled. Offer a return instead."
            ))
            .code("already_shipped")),
            Some(status) => {
                *status = Status::Canceled;
                Ok(Order { order_id, status: Status::Canceled })
            }
        }
    }
}

pub(crate) fn server() -> Result<Server, haft::BuildError> {
    Server::new("orders", "1.0.0").tools(Orders::new()).build()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), haft::ServeError> {
    shared::serve(server()?).await
}
