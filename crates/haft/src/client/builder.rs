use std::fmt;
use std::future::Future;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::time::Duration;

use haft_wire::{Implementation, Limits, LogLevel, LogMessageParams, Root};
use tokio::io::{AsyncRead, AsyncWrite};

use super::handlers::{Elicitation, Elicited, Handlers, Sampled, SamplingRequest};
use super::inbound::{Inbound, OnLog};
use super::link::Link;
use super::negotiate::Era;
use super::stream::Streams;
use super::tools::{CheckArguments, Known};
use super::wire::{OnWire, WireEvent};
use super::{Client, ClientError, Inner, Settings, process};
use crate::server::Server;
use crate::transport::memory;

/// Where a server is.
pub struct Target(Place);

enum Place {
    Program(Command),
    Memory(Server),
    Streams(Box<dyn AsyncRead + Send + Unpin>, Box<dyn AsyncWrite + Send + Unpin>),
    #[cfg(feature = "http-client")]
    Url(String),
}

impl Target {
    /// A server at the other end of a pair of streams, such as a socket: one message a line.
    pub fn streams(
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        Self(Place::Streams(Box::new(input), Box::new(output)))
    }
}

impl From<Command> for Target {
    fn from(command: Command) -> Self {
        Self(Place::Program(command))
    }
}

impl From<&Server> for Target {
    fn from(server: &Server) -> Self {
        Self(Place::Memory(server.clone()))
    }
}

#[cfg(feature = "http-client")]
impl From<&str> for Target {
    fn from(url: &str) -> Self {
        Self(Place::Url(url.to_owned()))
    }
}

#[cfg(feature = "http-client")]
impl From<String> for Target {
    fn from(url: String) -> Self {
        Self(Place::Url(url))
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Place::Program(command) => f.debug_tuple("Target").field(&command.get_program()).finish(),
            Place::Memory(server) => f.debug_tuple("Target").field(server).finish(),
            Place::Streams(..) => f.write_str("Target(streams)"),
            #[cfg(feature = "http-client")]
            Place::Url(url) => f.debug_tuple("Target").field(url).finish(),
        }
    }
}

/// How a [`Client`] is set up. What isn't set has a default that suits a host.
///
/// A client declares the capabilities that there are handlers for, and that it knows [tasks](ClientBuilder::tasks), and no
/// others.
///
/// ```
/// use haft::prelude::*;
/// use haft::{Client, Elicited};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// /// Use this to order a shirt. Asks the user for the size.
/// #[tool(additive, closed_world)]
/// async fn order_shirt(context: Context) -> Result<String, ToolError> {
///     let size: String = context.ask("size", "Which size?").await?;
///     Ok(format!("Ordered in {size}."))
/// }
///
/// let server = Server::new("shop", "1.0.0").tool(order_shirt::tool()).build()?;
/// let client = Client::builder()
///     .on_elicitation(|asked| async move {
///         println!("{}", asked.message);
///         Elicited::Accept([("size".to_owned(), "M".into())].into_iter().collect())
///     })
///     .connect(&server)
///     .await?;
/// assert_eq!(client.call("order_shirt", serde_json::json!({})).await?.text(), "Ordered in M.");
/// # Ok(())
/// # }
/// ```
#[must_use = "a builder does nothing before it connects"]
pub struct ClientBuilder {
    settings: Settings,
    handlers: Handlers,
    on_log: Option<OnLog>,
    on_wire: OnWire,
    limits: Limits,
    #[cfg(feature = "http-client")]
    http: super::http::HttpSettings,
}

impl Default for ClientBuilder {
    fn default() -> Self {
        let settings = Settings {
            info: Implementation::new("haft", env!("CARGO_PKG_VERSION")),
            era: Era::Auto,
            timeout: Duration::from_secs(60),
            probe: Duration::from_secs(10),
            rounds: 10,
            check: CheckArguments::default(),
            log_level: None,
            tasks: true,
        };
        Self {
            settings,
            handlers: Handlers::default(),
            on_log: None,
            on_wire: OnWire::default(),
            limits: Limits::default(),
            #[cfg(feature = "http-client")]
            http: Default::default(),
        }
    }
}

impl ClientBuilder {
    /// How the client names itself to servers.
    pub fn info(mut self, name: impl Into<String>, version: impl Into<String>) -> Self {
        self.settings.info = Implementation::new(name, version);
        self
    }

    /// How long a request may take unless its options say otherwise; 60 s unless set.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.settings.timeout = timeout;
        self
    }

    /// Which revisions to speak. Unless set, whatever the server does.
    pub fn era(mut self, era: Era) -> Self {
        self.settings.era = era;
        self
    }

    /// How long a server on streams may be silent when it is asked whether it speaks 2026-07-28, before it is taken for an
    /// older one. 10 s unless set.
    pub fn probe_timeout(mut self, patience: Duration) -> Self {
        self.settings.probe = patience;
        self
    }

    /// How often a server may ask in the course of one call. 10 times unless set.
    pub fn max_rounds(mut self, rounds: usize) -> Self {
        self.settings.rounds = rounds;
        self
    }

    /// What becomes of arguments that break a tool's input schema. [`CheckArguments::Advise`] unless set.
    pub fn check_arguments(mut self, check: CheckArguments) -> Self {
        self.settings.check = check;
        self
    }

    /// The longest message that is taken from a server, in bytes. 32 MiB unless set.
    pub fn max_message(mut self, bytes: usize) -> Self {
        self.limits.max_bytes = bytes;
        #[cfg(feature = "http-client")]
        {
            self.http.max_message = Some(bytes);
        }
        self
    }

    /// Who fills in the forms that servers ask for.
    ///
    /// spec: `client/elicitation#form-mode-elicitation-requests`
    pub fn on_elicitation<F, Fut>(mut self, handler: F) -> Self
    where
        F: Fn(Elicitation) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Elicited> + Send + 'static,
    {
        self.handlers.elicit(handler, false);
        self
    }

    /// Who fills in forms and sends the user to URLs: [`Elicitation::form`] and [`Elicitation::url`] say which it is.
    ///
    /// spec: `client/elicitation#url-mode-elicitation-requests`
    pub fn on_elicitation_and_urls<F, Fut>(mut self, handler: F) -> Self
    where
        F: Fn(Elicitation) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Elicited> + Send + 'static,
    {
        self.handlers.elicit(handler, true);
        self
    }

    /// Whose model answers when servers ask for it; an error is why it doesn't.
    ///
    /// spec: `client/sampling`
    pub fn on_sampling<F, Fut>(mut self, handler: F) -> Self
    where
        F: Fn(SamplingRequest) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Sampled, String>> + Send + 'static,
    {
        self.handlers.sample(handler);
        self
    }

    /// The directories that servers are told this client works on.
    ///
    /// spec: `client/roots`
    pub fn roots(mut self, roots: impl IntoIterator<Item = Root>) -> Self {
        self.handlers.roots(roots.into_iter().collect());
        self
    }

    /// What to do with the log messages of servers, and from which level on they are wanted. The function must not
    /// block.
    ///
    /// spec: `server/utilities/logging`
    pub fn on_log(mut self, level: LogLevel, callback: impl Fn(LogMessageParams) + Send + Sync + 'static) -> Self {
        self.settings.log_level = Some(level);
        self.on_log = Some(Arc::new(callback));
        self
    }

    /// Whether the client declares that it knows tasks: then a server may go on with a call as one, and
    /// [`Client::call`] follows it to its end. It does unless this is set to false; then servers run all calls in line, if
    /// they can.
    ///
    /// spec: `extensions/tasks#capability-negotiation`
    pub fn tasks(mut self, known: bool) -> Self {
        self.settings.tasks = known;
        self
    }

    /// Who is told of each message in either direction, and of each request and answer over HTTP. The function must not
    /// block.
    pub fn on_wire(mut self, callback: impl Fn(WireEvent<'_>) + Send + Sync + 'static) -> Self {
        self.on_wire = OnWire::new(callback);
        #[cfg(feature = "http-client")]
        {
            self.http.on_wire = self.on_wire.clone();
        }
        self
    }

    /// A header for each request over HTTP.
    #[cfg(feature = "http-client")]
    pub fn header(mut self, name: http::HeaderName, value: http::HeaderValue) -> Self {
        self.http.headers.insert(name, value);
        self
    }

    /// Who authorizes requests over HTTP.
    #[cfg(feature = "http-client")]
    pub fn authorize(mut self, authorize: impl super::Authorize) -> Self {
        self.handlers.extensions(authorize.extensions());
        self.http.authorize = Some(Arc::new(authorize));
        self
    }

    /// A client that has found out what the server speaks.
    ///
    /// # Errors
    /// See [`ErrorKind`](crate::ErrorKind).
    pub async fn connect(self, target: impl Into<Target>) -> Result<Client, ClientError> {
        let client = self.open(target)?;
        client.server().await?;
        Ok(client)
    }

    /// A client that finds out with its first request. Needs a running tokio runtime.
    ///
    /// # Errors
    /// When a command can't be started, or a URL is none.
    pub fn open(self, target: impl Into<Target>) -> Result<Client, ClientError> {
        let inbound = Arc::new(Inbound::new(self.handlers.clone(), self.on_log.clone(), self.on_wire.clone()));
        let link = match target.into().0 {
            Place::Program(command) => Link::Streams(Box::new(Streams::spawn(command.into(), &inbound, self.limits)?)),
            Place::Memory(server) => {
                let (frames, incoming) = memory::connect(&server);
                Link::Streams(Box::new(Streams::new(frames, incoming, &inbound, self.limits)))
            }
            Place::Streams(input, output) => {
                let (frames, incoming) = process::lines(input, output, self.limits);
                Link::Streams(Box::new(Streams::new(frames, incoming, &inbound, self.limits)))
            }
            #[cfg(feature = "http-client")]
            Place::Url(url) => Link::Http(super::http::Http::new(&url, self.http.clone())?),
        };
        Ok(self.client(link, inbound))
    }

    /// A client of a server in this process. Needs a running tokio runtime.
    pub fn in_memory(self, server: &Server) -> Client {
        let inbound = Arc::new(Inbound::new(self.handlers.clone(), self.on_log.clone(), self.on_wire.clone()));
        let (frames, incoming) = memory::connect(server);
        let link = Link::Streams(Box::new(Streams::new(frames, incoming, &inbound, self.limits)));
        self.client(link, inbound)
    }

    fn client(self, link: Link, inbound: Arc<Inbound>) -> Client {
        let agreed = tokio::sync::Mutex::new(None);
        let (last_id, tools) = (AtomicI64::new(0), Known::default());
        Client { inner: Arc::new(Inner { link, inbound, settings: self.settings, last_id, agreed, tools }) }
    }
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder").field("settings", &self.settings).finish_non_exhaustive()
    }
}
