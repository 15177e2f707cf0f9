//! The host's side: calls servers in this process and in child processes.

mod call;
mod connection;
mod error;
mod process;

use std::collections::HashSet;
use std::process::Command;
use std::time::Duration;

use haft_wire::{DiscoverResult, Implementation, JsonObject, ListParams, ListToolsResult, Tool, method};

pub use call::CallOptions;
use connection::Connection;
pub use error::{ClientError, ErrorKind};
use process::Process;

use crate::server::Server;
use crate::transport::memory;

/// A client of one server, speaking revision 2026-07-28.
///
/// ```
/// use haft::prelude::*;
/// use haft::Client;
///
/// /// Use this to join two words.
/// #[tool(read_only, closed_world)]
/// async fn join_words(first: String, second: String) -> String {
///     format!("{first} {second}")
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = Server::new("words", "1.0.0").tool(join_words::tool()).build()?;
/// let client = Client::in_memory(&server);
///
/// assert_eq!(client.list_tools().await?[0].name, "join_words");
/// let result = client.call("join_words", serde_json::json!({"first": "a", "second": "b"})).await?;
/// assert_eq!(result.text(), "a b");
/// # Ok(())
/// # }
/// ```
///
/// Calls may run side by side on one client. A call whose future is dropped is cancelled.
#[derive(Debug)]
pub struct Client {
    connection: Connection,
    process: Option<Process>,
    timeout: Duration,
    info: Implementation,
}

/// How long a request may take unless its [`CallOptions`] say otherwise.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Pages that a list may have: a server that never ends its list is broken.
const MAX_PAGES: usize = 10_000;

impl Client {
    /// A client of a server in this process. Needs a running tokio runtime.
    pub fn in_memory(server: &Server) -> Self {
        let (frames, incoming) = memory::connect(server);
        Self::new(Connection::new(frames, incoming), None)
    }

    /// Starts a server as a child process and talks to it over its stdin and stdout.
    ///
    /// Its stderr is read at all times; the last part of it is kept for [`Client::stderr_tail`]. Needs a running tokio
    /// runtime.
    ///
    /// # Errors
    /// [`ErrorKind::Spawn`] when the command can't be started.
    pub fn spawn(command: Command) -> Result<Self, ClientError> {
        let (process, frames, incoming) = process::spawn(command)?;
        Ok(Self::new(Connection::new(frames, incoming), Some(process)))
    }

    fn new(connection: Connection, process: Option<Process>) -> Self {
        let info = Implementation::new("haft", env!("CARGO_PKG_VERSION"));
        Self { connection, process, timeout: TIMEOUT, info }
    }

    /// How this client names itself to servers.
    #[must_use]
    pub fn with_info(mut self, name: impl Into<String>, version: impl Into<String>) -> Self {
        self.info = Implementation::new(name, version);
        self
    }

    /// How long a request may take unless its options say otherwise; 60 s unless set.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// What the server says of itself.
    ///
    /// # Errors
    /// See [`ErrorKind`].
    pub async fn discover(&self) -> Result<DiscoverResult, ClientError> {
        self.read(method::DISCOVER, &JsonObject::new()).await
    }

    /// All tools of the server, from all pages, in its order.
    ///
    /// # Errors
    /// See [`ErrorKind`]; a server that gives a cursor twice is [`ErrorKind::InvalidResponse`].
    pub async fn list_tools(&self) -> Result<Vec<Tool>, ClientError> {
        let mut tools = Vec::new();
        let mut seen = HashSet::new();
        let mut cursor = None;
        for _ in 0..MAX_PAGES {
            let page: ListToolsResult = self.read(method::TOOLS_LIST, &ListParams { cursor }).await?;
            tools.extend(page.tools);
            let Some(next) = page.next_cursor else { return Ok(tools) };
            if !seen.insert(next.clone()) {
                let what = format!("tools/list gave the cursor {next:?} twice; its list would never end");
                return Err(ClientError::new(ErrorKind::InvalidResponse, what));
            }
            cursor = Some(next);
        }
        let what = format!("tools/list has more than {MAX_PAGES} pages");
        Err(ClientError::new(ErrorKind::InvalidResponse, what))
    }

    /// The last part of what a child process wrote to stderr, at most 64 KiB; empty for a server in this process.
    pub fn stderr_tail(&self) -> String {
        self.process.as_ref().map(Process::stderr_tail).unwrap_or_default()
    }

    /// Ends the connection. A child process has its stdin closed, then `patience` to exit, then is killed.
    ///
    /// Returns how the child exited, if there was one. A client that is dropped instead kills its child at once.
    ///
    /// # Errors
    /// When the child's end can't be learnt from the operating system.
    pub async fn close(self, patience: Duration) -> Result<Option<std::process::ExitStatus>, ClientError> {
        drop(self.connection);
        match self.process {
            None => Ok(None),
            Some(process) => process.finish(patience).await.map(Some),
        }
    }
}
