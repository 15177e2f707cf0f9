//! The host's side: calls servers in this process, in child processes and behind URLs, of every revision.
//!
//! [`builder`] says how, [`negotiate`] finds out what the server speaks, [`call`] sends a request over the [`link`] and
//! answers what the server asks meanwhile, [`tools`] has what is known of the server's tools. What a server sends of its
//! own accord goes to [`inbound`].

#[cfg(feature = "http-client")]
mod authorize;
mod builder;
mod call;
mod connection;
mod error;
mod frames;
mod handlers;
#[cfg(feature = "http-client")]
mod http;
mod inbound;
mod link;
mod lists;
mod negotiate;
#[cfg(feature = "auth")]
pub mod oauth;
mod options;
mod process;
mod replies;
mod rounds;
mod stream;
mod subscribe;
mod tasks;
mod tools;
mod wire;

use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use haft_wire::{Implementation, RequestMeta, VERSION, extension};

#[cfg(feature = "http-client")]
pub use authorize::{Authorize, AuthorizeError, Authorizing, HttpTarget, Refusal};
pub use builder::{ClientBuilder, Target};
pub use call::Called;
pub use error::{ClientError, ErrorKind};
pub use handlers::{Elicitation, Elicited, Sampled, SamplingRequest};
pub use inbound::Change;
use inbound::Inbound;
use link::Link;
pub use negotiate::{Era, ServerDescription};
pub use options::CallOptions;
pub use subscribe::{News, SubscribeTo, Subscription};
pub use tasks::{RunningTask, Started};
pub use tools::{CheckArguments, LeftOut, ToolList};
pub use wire::WireEvent;

use crate::server::Server;

/// A client of one server.
///
/// It finds out by itself which revision of the protocol the server speaks, with the first request.
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
    inner: Arc<Inner>,
}

struct Inner {
    link: Link,
    inbound: Arc<Inbound>,
    settings: Settings,
    last_id: AtomicI64,
    /// What was agreed on, and with which of the server's connections.
    agreed: tokio::sync::Mutex<Option<(u64, Arc<ServerDescription>)>>,
    tools: tools::Known,
}

/// How a client goes about its requests.
#[derive(Debug, Clone)]
struct Settings {
    info: Implementation,
    era: Era,
    timeout: Duration,
    probe: Duration,
    rounds: usize,
    check: CheckArguments,
    log_level: Option<haft_wire::LogLevel>,
    /// Whether it knows tasks.
    tasks: bool,
}

impl Client {
    /// A client that is set up in another way than by default; see [`ClientBuilder`].
    pub fn builder() -> ClientBuilder {
        ClientBuilder::default()
    }

    /// A client of whatever `target` is: a [`Command`], a URL, a [`Server`] in this process, or a pair of streams. It has
    /// found out what the server speaks. Needs a running tokio runtime.
    ///
    /// # Errors
    /// See [`ErrorKind`].
    pub async fn connect(target: impl Into<Target>) -> Result<Self, ClientError> {
        Self::builder().connect(target).await
    }

    /// A client of a server in this process. Needs a running tokio runtime.
    pub fn in_memory(server: &Server) -> Self {
        Self::builder().in_memory(server)
    }

    /// Starts a server as a child process and talks to it over its stdin and stdout.
    ///
    /// Its stderr is read at all times; the last part of it is kept for [`Client::stderr_tail`]. If it exits, it is started
    /// again for the next request, a few times. Needs a running tokio runtime.
    ///
    /// # Errors
    /// [`ErrorKind::Spawn`] when the command can't be started.
    pub fn spawn(command: Command) -> Result<Self, ClientError> {
        Self::builder().open(command)
    }

    /// What the server says of itself, in the revision that is spoken to it.
    ///
    /// # Errors
    /// See [`ErrorKind`].
    pub async fn server(&self) -> Result<Arc<ServerDescription>, ClientError> {
        self.inner.negotiated().await
    }

    /// The last part of what a child process wrote to stderr, at most 64 KiB; empty for other servers.
    pub fn stderr_tail(&self) -> String {
        match &self.inner.link {
            Link::Streams(streams) => streams.stderr_tail(),
            #[cfg(feature = "http-client")]
            Link::Http(_) => String::new(),
        }
    }

    /// Ends the connection. A child process has its stdin closed, then `patience` to exit, then is told to, then killed,
    /// with all processes that it has started. A session over HTTP is ended.
    ///
    /// Returns how the child exited, if there was one. A client that is dropped instead kills its child at once.
    /// Subscriptions of this client end.
    ///
    /// # Errors
    /// When the child's end can't be learnt from the operating system.
    pub async fn close(self, patience: Duration) -> Result<Option<ExitStatus>, ClientError> {
        let Some(inner) = Arc::into_inner(self.inner) else {
            // A subscription is still held: the connection ends with it.
            return Ok(None);
        };
        match inner.link {
            Link::Streams(streams) => streams.close(patience).await,
            #[cfg(feature = "http-client")]
            Link::Http(http) => {
                drop(tokio::time::timeout(patience, http.close()).await);
                Ok(None)
            }
        }
    }
}

impl Inner {
    fn next_id(&self) -> i64 {
        self.last_id.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// What each request of the current revision says of this client.
    fn meta(&self) -> RequestMeta {
        let mut capabilities = self.inbound.handlers.capabilities();
        if self.settings.tasks {
            let extensions = capabilities.extensions.get_or_insert_default();
            extensions.insert(extension::TASKS.to_owned(), serde_json::Map::new().into());
        }
        RequestMeta {
            protocol_version: Some(VERSION.to_owned()),
            client_info: Some(self.settings.info.clone()),
            client_capabilities: Some(capabilities),
            ..RequestMeta::default()
        }
    }
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inner").field("settings", &self.settings).finish_non_exhaustive()
    }
}
