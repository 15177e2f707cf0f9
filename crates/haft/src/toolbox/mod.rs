//! Many servers before one model, with a person between.
//!
//! [`catalog`] has the tools of all servers, each under a name from [`names`]; [`call`] makes one call, as [`policy`] and
//! the user allow, and [`audit`] writes it down; [`outcome`] is what came of it. [`definitions`] and
//! [`results`] go to the model, in the shape that its API takes.

mod arguments;
mod audit;
mod branches;
mod builder;
mod call;
mod catalog;
mod definitions;
mod events;
mod names;
mod outcome;
mod policy;
mod results;
mod search;
mod shown;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

#[cfg(feature = "http-client")]
pub(crate) use arguments::is_secret;
use audit::Audit;
pub use audit::{AuditEntry, AuditOutcome};
use builder::{Approve, OnEvent};
pub use builder::{ToolboxBuilder, ToolboxError};
use catalog::Catalog;
pub use catalog::{ExposedTool, ToolboxProblem};
pub use definitions::{Api, RenderNote, Rendered};
pub use events::ToolboxEvent;
pub use outcome::{CallOutcome, OutcomeKind};
pub use policy::{Approval, ApprovalRequest, AskReason, DecidedBy, ServerPolicy};
pub use results::ResultOptions;

use crate::client::Client;

/// The tools of many servers, as one set before a model.
///
/// Each tool has the name `key__tool`, from the key that the *user* gave the server; where that would be too long, not
/// unique, or have characters that some API refuses, a name that is cut and ends in a hash. Names are at most 64 of
/// `A-Z a-z 0-9 _ -`, and depend on nothing but key and tool.
///
/// A person is asked before each call, except those of read-only tools of servers marked as trusted, and of tools that the
/// user has pre-approved by name. What an untrusted server says of its tools never saves a question.
///
/// ```
/// use haft::prelude::*;
/// use haft::{Approval, Client, ServerPolicy, Toolbox};
///
/// /// Use this to see an order's status.
/// #[tool(read_only, closed_world)]
/// async fn get_order(order_id: String) -> String {
///     format!("{order_id} is on its way")
/// }
///
/// /// Use this to cancel an order.
/// #[tool(destructive, closed_world)]
/// async fn cancel_order(order_id: String) -> String {
///     format!("{order_id} is cancelled")
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = Server::new("shop", "1.0.0").tool(get_order::tool()).tool(cancel_order::tool()).build()?;
/// let toolbox = Toolbox::builder()
///     .server_with("orders", Client::in_memory(&server), ServerPolicy::new().trusted())
///     .on_approval(|asked| async move {
///         println!("{asked}");
///         Approval::Deny
///     })
///     .build()
///     .await?;
///
/// let seen = toolbox.call("orders__get_order", serde_json::json!({"order_id": "A-1"})).await;
/// assert_eq!(seen.text(), "A-1 is on its way");
///
/// let denied = toolbox.call("orders__cancel_order", serde_json::json!({"order_id": "A-1"})).await;
/// assert!(denied.is_error());
/// # Ok(())
/// # }
/// ```
pub struct Toolbox {
    servers: Vec<Joined>,
    settings: Settings,
    catalog: RwLock<Arc<Catalog>>,
    /// One asks the servers, the others wait for it.
    refreshing: tokio::sync::Mutex<()>,
    calls: AtomicU64,
}

/// A server, under the user's key.
#[derive(Debug)]
struct Joined {
    key: String,
    client: Arc<Client>,
    policy: ServerPolicy,
}

struct Settings {
    preapproved: BTreeSet<String>,
    approve: Option<Approve>,
    on_event: Option<OnEvent>,
    audit: Audit,
    /// How long a server may take to list its tools.
    patience: Duration,
    /// How long a person may take to decide about a call.
    approval_patience: Option<Duration>,
}

impl Toolbox {
    /// How a toolbox is set up.
    pub fn builder() -> ToolboxBuilder {
        ToolboxBuilder::default()
    }

    fn new(servers: Vec<Joined>, settings: Settings) -> Self {
        let (catalog, refreshing, calls) = Default::default();
        Self { servers, settings, catalog, refreshing, calls }
    }

    /// The tools, in the order of the servers and in each server's order.
    pub fn tools(&self) -> Vec<ExposedTool> {
        self.catalog().tools.iter().map(|tool| tool.public.clone()).collect()
    }

    /// Servers that could not be asked, and tools that can't be used.
    pub fn problems(&self) -> Vec<ToolboxProblem> {
        self.catalog().problems.clone()
    }

    /// The tools whose names, titles and descriptions fit `query` best, best first, at most `limit`. None fits that has no
    /// word of it.
    pub fn search(&self, query: &str, limit: usize) -> Vec<ExposedTool> {
        let catalog = self.catalog();
        let found = catalog.index.search(query, limit);
        found.into_iter().filter_map(|index| Some(catalog.tools.get(index)?.public.clone())).collect()
    }

    /// Asks all servers for their tools again, side by side: when one said that its list changed, or to try those that
    /// failed. A server that can't be asked has no tools until it can. Calls that run are left alone.
    pub async fn refresh(&self) {
        let _refreshing = self.refreshing.lock().await;
        let asked = self.servers.iter().map(|server| async move {
            let listed = tokio::time::timeout(self.settings.patience, server.client.refresh_tools()).await;
            let listed = match listed {
                Ok(listed) => listed.map_err(|error| error.to_string()),
                Err(_) => Err("its tools were not listed in time".to_owned()),
            };
            (server, listed)
        });
        let catalog = Arc::new(Catalog::new(futures_util::future::join_all(asked).await));
        let before =
            std::mem::replace(&mut *self.catalog.write().unwrap_or_else(PoisonError::into_inner), Arc::clone(&catalog));
        if let Some(news) = catalog.news(&before) {
            self.tell(&news);
        }
    }

    /// Ends the connections to all servers, as [`Client::close`] does; those of clients that are held elsewhere stay.
    pub async fn close(self, patience: Duration) {
        let Self { servers, catalog, .. } = self;
        drop(catalog);
        let closing = servers.into_iter().map(|server| async move {
            let Some(client) = Arc::into_inner(server.client) else { return };
            if let Err(error) = client.close(patience).await {
                tracing::warn!(server = shown::line(&server.key, 200), %error, "a server's end can't be learnt");
            }
        });
        futures_util::future::join_all(closing).await;
    }

    fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.catalog.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn tell(&self, event: &ToolboxEvent) {
        if let Some(on_event) = &self.settings.on_event {
            on_event(event);
        }
    }
}

impl fmt::Debug for Toolbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Toolbox").field("servers", &self.servers).finish_non_exhaustive()
    }
}
