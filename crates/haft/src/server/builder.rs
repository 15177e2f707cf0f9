use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use haft_wire::{CacheScope, CallToolResult, Icon};
use tower_layer::Layer;
use tower_service::Service;

use super::Server;
use super::build::build;
use super::middleware::{ToolCall, ToolService};
use super::mrtr::{Clock, StateKey};
use super::problems::BuildError;
use super::sanitize::Sanitize;
use super::shared::Shared;
use super::subscriptions::Offer;
use crate::error::ToolError;
use crate::prompt::Prompt;
use crate::resource::{Resource, ResourceTemplate};
use crate::tool::{Limits, RateLimit, Tool, Toolset};

/// What happens to arguments that a tool or prompt doesn't know.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UnknownArguments {
    /// They are refused by name, and the published schemas say so (`additionalProperties: false`).
    #[default]
    Refuse,
    /// They are dropped, and the published schemas say so: their objects are open.
    Ignore,
}

pub(super) type LayerFn = Box<dyn Fn(ToolService) -> ToolService + Send>;

/// Collects tools, resources, prompts and settings. Nothing is checked before [`build`](ServerBuilder::build).
#[must_use = "a builder does nothing before `build`"]
pub struct ServerBuilder {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) title: Option<String>,
    pub(super) website: Option<String>,
    pub(super) icons: Vec<Icon>,
    pub(super) instructions: Option<String>,
    pub(super) tools: Vec<Tool>,
    pub(super) resources: Vec<Resource>,
    pub(super) templates: Vec<ResourceTemplate>,
    pub(super) prompts: Vec<Prompt>,
    pub(super) layers: Vec<LayerFn>,
    pub(super) unknown_arguments: UnknownArguments,
    pub(super) list_ttl: Duration,
    pub(super) cache_scope: CacheScope,
    pub(super) implied: Vec<(String, Vec<String>)>,
    pub(super) page_size: Option<NonZeroUsize>,
    pub(super) offer: Offer,
    pub(super) state_keys: Option<Vec<StateKey>>,
    pub(super) state_ttl: Duration,
    pub(super) replicated: bool,
    pub(super) shared: Shared,
    pub(super) clock: Clock,
    pub(super) sanitize: Sanitize,
    #[cfg(feature = "tasks")]
    pub(super) tasks: Option<super::TaskOptions>,
    pub(super) settings: Settings,
}

/// The smallest cap on a text block that a host is known to have: Gemini CLI cuts what is longer.
const CUT_BY_HOSTS: usize = 40_000;

/// What holds while a server runs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) max_line: usize,
    pub(crate) max_in_flight: usize,
    pub(crate) max_subscriptions: usize,
    pub(crate) grace: Duration,
    pub(crate) legacy: bool,
    /// What tools may take that don't say it themselves.
    pub(crate) limits: Limits,
    pub(crate) hint_past: usize,
}

impl ServerBuilder {
    pub(super) fn new(name: String, version: String) -> Self {
        Self {
            name,
            version,
            title: None,
            website: None,
            icons: Vec::new(),
            instructions: None,
            tools: Vec::new(),
            resources: Vec::new(),
            templates: Vec::new(),
            prompts: Vec::new(),
            layers: Vec::new(),
            unknown_arguments: UnknownArguments::default(),
            list_ttl: Duration::from_secs(300),
            cache_scope: CacheScope::Public,
            implied: Vec::new(),
            page_size: None,
            offer: Offer::default(),
            settings: Settings {
                max_line: 32 << 20,
                max_in_flight: 1024,
                max_subscriptions: 16_384,
                grace: Duration::from_secs(3),
                legacy: true,
                limits: Limits { rate: Some(RateLimit::per_second(20).burst(200)), ..Limits::default() },
                hint_past: CUT_BY_HOSTS,
            },
            state_keys: None,
            state_ttl: Duration::from_secs(600),
            replicated: false,
            shared: Shared::default(),
            clock: Arc::new(SystemTime::now),
            sanitize: Sanitize::new(),
            #[cfg(feature = "tasks")]
            tasks: None,
        }
    }

    /// Adds a tool. The list has the tools in the order in which they were added.
    pub fn tool(mut self, tool: Tool) -> Self {
        self.tools.push(tool);
        self
    }

    /// Adds the tools of a [`Toolset`].
    pub fn tools(mut self, toolset: impl Toolset) -> Self {
        self.tools.extend(Arc::new(toolset).tools());
        self
    }

    /// Adds a resource. The list has them in the order in which they were added.
    pub fn resource(mut self, resource: Resource) -> Self {
        self.resources.push(resource);
        self
    }

    /// Adds a resource template. A URI that fits several is read by the first that was added.
    pub fn resource_template(mut self, template: ResourceTemplate) -> Self {
        self.templates.push(template);
        self
    }

    /// Adds a prompt. The list has them in the order in which they were added.
    pub fn prompt(mut self, prompt: Prompt) -> Self {
        self.prompts.push(prompt);
        self
    }

    /// Adds the tools, resources, templates and prompts of another server, after those that are here, and
    /// what its scopes imply. Its settings are left behind.
    ///
    /// ```
    /// use haft::prelude::*;
    ///
    /// /// Use this to greet somebody.
    /// #[tool(read_only, closed_world)]
    /// async fn greet(name: String) -> String {
    ///     format!("Hello, {name}!")
    /// }
    ///
    /// # fn main() -> Result<(), haft::BuildError> {
    /// let greetings = Server::new("greetings", "1.0.0").tool(greet::tool());
    /// let server = Server::new("all", "1.0.0").merge(greetings).build()?;
    /// # let _ = server;
    /// # Ok(())
    /// # }
    /// ```
    pub fn merge(mut self, other: ServerBuilder) -> Self {
        self.tools.extend(other.tools);
        self.resources.extend(other.resources);
        self.templates.extend(other.templates);
        self.prompts.extend(other.prompts);
        self.implied.extend(other.implied);
        self
    }

    /// Lets tools be added, replaced and removed while the server runs, by its [handle](Server::handle).
    ///
    /// The server says so in its capabilities (`tools.listChanged`), and subscribers are told of every change. Clients
    /// that don't subscribe may keep the list for the [time to live](Self::list_ttl).
    ///
    /// spec: `server/tools#capabilities`
    pub fn dynamic_tools(mut self) -> Self {
        self.offer.tools = true;
        self
    }

    /// Lets clients subscribe to resources and to their list; the application tells of changes by the server's
    /// [handle](Server::handle).
    ///
    /// The server declares `resources` with `subscribe` and `listChanged`.
    ///
    /// spec: `server/resources#capabilities`
    pub fn notify_resources(mut self) -> Self {
        self.offer.resources = true;
        self
    }

    /// Lets clients subscribe to the list of prompts; the application tells of changes by the server's
    /// [handle](Server::handle).
    ///
    /// The server declares `prompts` with `listChanged`.
    ///
    /// spec: `server/prompts#capabilities`
    pub fn notify_prompts(mut self) -> Self {
        self.offer.prompts = true;
        self
    }

    /// The server's name for people.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// A page about the server.
    pub fn website(mut self, url: impl Into<String>) -> Self {
        self.website = Some(url.into());
        self
    }

    /// Adds an icon of the server. Its `src` must be an `https:` or `data:` URI.
    pub fn icon(mut self, icon: Icon) -> Self {
        self.icons.push(icon);
        self
    }

    /// How a model uses these tools together: sent with `server/discover`, and put before the model by many hosts.
    ///
    /// Say the key facts first and stay below 2,048 characters: Claude Code cuts what is beyond.
    ///
    /// ```
    /// use haft::prelude::*;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = Server::new("orders", "1.0.0")
    ///     .instructions("Order ids look like A-1001. Look an order up before you cancel it.")
    ///     .build()?;
    /// # #[cfg(feature = "client")]
    /// # {
    /// let client = haft::Client::in_memory(&server);
    /// let instructions = client.server().await?.instructions.clone();
    /// assert!(instructions.is_some_and(|text| text.contains("A-1001")));
    /// # }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// spec: `server/discover#discoverresult`
    pub fn instructions(mut self, text: impl Into<String>) -> Self {
        self.instructions = Some(text.into());
        self
    }

    /// What happens to arguments that a tool or prompt doesn't know; [`UnknownArguments::Refuse`] unless set.
    ///
    /// Some hosts add arguments of their own to every call (n8n sends `toolCallId` and `sessionId`):
    ///
    /// ```
    /// use haft::prelude::*;
    /// use serde_json::json;
    ///
    /// /// Use this to greet somebody.
    /// #[tool(read_only, closed_world)]
    /// async fn greet(name: String) -> String {
    ///     format!("Hello, {name}!")
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let arguments = json!({"name": "Ada", "toolCallId": "call_7"});
    ///
    /// let strict = Server::new("greetings", "1.0.0").tool(greet::tool()).build()?;
    /// assert!(strict.call_tool("greet", arguments.clone()).await?.text().contains("toolCallId"));
    ///
    /// let lenient = Server::new("greetings", "1.0.0")
    ///     .tool(greet::tool())
    ///     .unknown_arguments(UnknownArguments::Ignore)
    ///     .build()?;
    /// assert_eq!(lenient.call_tool("greet", arguments).await?.text(), "Hello, Ada!");
    /// # Ok(())
    /// # }
    /// ```
    pub fn unknown_arguments(mut self, what: UnknownArguments) -> Self {
        self.unknown_arguments = what;
        self
    }

    /// For how long clients may keep lists and the discovery result. 300 s unless set; cut to whole
    /// milliseconds.
    ///
    /// spec: `server/utilities/caching#time-to-live-ttl-field`
    pub fn list_ttl(mut self, ttl: Duration) -> Self {
        self.list_ttl = ttl;
        self
    }

    /// Who may share lists and the discovery result. [`CacheScope::Public`] unless set: they are the same for
    /// every caller. Where any tool has scopes they are not, and this is [`CacheScope::Private`] whatever is set.
    ///
    /// A server with [`dynamic_tools`](Self::dynamic_tools) that begins with none of them has to be private to add one.
    ///
    /// spec: `server/utilities/caching#cache-scope-field`
    pub fn cache_scope(mut self, scope: CacheScope) -> Self {
        self.cache_scope = scope;
        self
    }

    /// A broad scope comes with narrower ones: who has the first may do what any of the others allows, and what those
    /// imply in turn.
    ///
    /// ```
    /// use haft::prelude::*;
    ///
    /// /// Use this to cancel an order.
    /// #[tool(destructive, closed_world, scopes("orders:write"))]
    /// async fn cancel_order(order_id: String) -> String {
    ///     format!("{order_id} is cancelled.")
    /// }
    ///
    /// # fn main() -> Result<(), haft::BuildError> {
    /// let server = Server::new("orders", "1.0.0")
    ///     .tool(cancel_order::tool())
    ///     .scope_implies("orders:admin", ["orders:read", "orders:write"])
    ///     .build()?;
    /// # let _ = server;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// spec: `basic/authorization#step-up-authorization-flow`
    pub fn scope_implies<S: Into<String>>(
        mut self,
        broad: impl Into<String>,
        narrow: impl IntoIterator<Item = S>,
    ) -> Self {
        self.implied.push((broad.into(), narrow.into_iter().map(Into::into).collect()));
        self
    }

    /// Cuts all lists into pages of at most this many entries. One page each unless set: some hosts read only the first.
    ///
    /// spec: `server/utilities/pagination`
    pub fn page_size(mut self, entries: NonZeroUsize) -> Self {
        self.page_size = Some(entries);
        self
    }

    /// The keys that seal what a call carries from one round of questions to the next. The first seals, all of them open:
    /// to rotate, put a new key before the old one, and take the old one out once [`state_ttl`](Self::state_ttl) is over.
    ///
    /// Unless set, a server has a key of its own, drawn at random when it is built. That serves one process only: where
    /// several answer for one another, or where a call should survive a restart, give all of them the same keys.
    ///
    /// ```
    /// # use haft::prelude::*;
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let variable = |_| Ok::<_, std::env::VarError>("8f1d7b6a5c4e3d2c1b0a99887766554433221100ffeeddccbbaa998877665544".to_owned());
    /// let key: haft::StateKey = variable("STATE_KEY")?.parse()?;
    /// let server = Server::new("orders", "1.0.0").state_keys([key]).build()?;
    /// # let _ = server;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// spec: `basic/patterns/mrtr#server-requirements-basic-workflow`
    pub fn state_keys<K: Into<StateKey>>(mut self, keys: impl IntoIterator<Item = K>) -> Self {
        self.state_keys = Some(keys.into_iter().map(Into::into).collect());
        self
    }

    /// Says that several processes answer for one another, as behind a load balancer: then a server without
    /// [`state_keys`](Self::state_keys) is a problem of `build`, since what one process seals no other could open.
    ///
    /// ```
    /// use haft::Server;
    ///
    /// let problems = Server::new("orders", "1.0.0").replicated().build().unwrap_err();
    /// assert!(problems.to_string().contains("state_keys"));
    /// ```
    pub fn replicated(mut self) -> Self {
        self.replicated = true;
        self
    }

    /// A store that all processes of this server share, such as a `RedisStore`: what they have to agree on is there.
    ///
    /// What a call carries through a question is good for one request then, whichever process gets it; a client that sends it
    /// again is told to begin anew. [Rate limits](Self::rate_limit) hold for all processes together, as far as their
    /// clocks agree. While the store can't be reached, requests that carry something are refused, and each process counts
    /// calls for itself.
    #[cfg(feature = "handles")]
    pub fn shared(mut self, store: Arc<dyn haft_store::Store>) -> Self {
        self.shared = Shared::new(store, self.name.clone());
        self
    }

    /// For how long a user may take over one round of questions: what the call carries expires then, and the client has to
    /// begin again. A client with a session is told that its question is taken back. 10 minutes unless set; cut to whole
    /// seconds.
    pub fn state_ttl(mut self, ttl: Duration) -> Self {
        self.state_ttl = ttl;
        self
    }

    /// What is taken out of texts before they go to models: for servers that pass on what others wrote. Nothing unless set.
    ///
    /// [`Sanitize`] has an example.
    pub fn sanitize(mut self, rules: Sanitize) -> Self {
        self.sanitize = rules;
        self
    }

    /// Where tasks are kept, and what they may take. As [`TaskOptions::new`](crate::TaskOptions::new) says unless set, where
    /// any tool [runs as one](Tool::task); a server with [`dynamic_tools`](Self::dynamic_tools) that begins with no such
    /// tool needs this to add one.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use std::time::Duration;
    ///
    /// use haft::prelude::*;
    /// use haft::TaskOptions;
    /// use haft::store::MemoryStore;
    ///
    /// /// Use this to render a film.
    /// #[tool(additive, closed_world, task)]
    /// async fn render_film(title: String) -> String {
    ///     format!("{title} is rendered.")
    /// }
    ///
    /// # fn main() -> Result<(), haft::BuildError> {
    /// let options = TaskOptions::new().store_in(Arc::new(MemoryStore::new())).ttl(Duration::from_secs(600));
    /// let server = Server::new("films", "1.0.0").tool(render_film::tool()).tasks(options).build()?;
    /// # let _ = server;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// spec: `extensions/tasks`
    #[cfg(feature = "tasks")]
    pub fn tasks(mut self, options: super::TaskOptions) -> Self {
        self.tasks = Some(options);
        self
    }

    /// Another clock, for tests of what expires.
    #[cfg(feature = "client")]
    pub(crate) fn clock(mut self, clock: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Whether clients of the revisions before 2026-07-28 are served, which open a session with `initialize`. They are
    /// unless this is set to false; then they are told which revision to speak.
    ///
    /// Nothing in a tool depends on it: a question in mid-call waits for its answer there. What a revision has no place
    /// for is left out of its answers. Over stdio these are 2025-11-25, 2025-06-18, 2025-03-26 and 2024-11-05; over HTTP
    /// all but the last, which had another transport; there, only clients that take events can be asked anything.
    ///
    /// spec: `basic/versioning#backward-compatibility-with-initialization-based-versions`
    pub fn legacy(mut self, on: bool) -> Self {
        self.settings.legacy = on;
        self
    }

    /// The longest line that stdio takes, in bytes. 32 MiB unless set. A longer one is refused unread, in bounded
    /// memory.
    pub fn max_line(mut self, bytes: usize) -> Self {
        self.settings.max_line = bytes;
        self
    }

    /// How many requests of one connection run side by side. 1,024 unless set, at least 1. While as many are running,
    /// the next one isn't read; it is refused where a call waits for its client, whose answer has to be read.
    pub fn max_in_flight(mut self, requests: usize) -> Self {
        self.settings.max_in_flight = requests.max(1);
        self
    }

    /// How many subscriptions the server keeps open at once, for all its clients on all transports. 16,384 unless
    /// set; one more is refused. They don't count as requests in flight.
    pub fn max_subscriptions(mut self, subscriptions: usize) -> Self {
        self.settings.max_subscriptions = subscriptions;
        self
    }

    /// How often each authenticated caller may call each tool. 20 calls a second with a burst of 200 unless set. Tools may
    /// have [their own](Tool::rate_limit).
    ///
    /// Anonymous callers can't be told apart, and those on stdio or in memory are one with the server: neither is counted.
    /// Each server process counts for itself.
    pub fn rate_limit(mut self, limit: RateLimit) -> Self {
        self.settings.limits.rate = Some(limit);
        self
    }

    /// Lets everybody call as often as they like, except tools that have a [limit of their own](Tool::rate_limit).
    pub fn no_rate_limit(mut self) -> Self {
        self.settings.limits.rate = None;
        self
    }

    /// How long a call of a tool may take that has no [limit of its own](Tool::timeout), which says what happens then. As
    /// long as it likes unless set.
    ///
    /// ```
    /// use haft::prelude::*;
    /// use std::time::Duration;
    ///
    /// /// Use this to wait for the end of the world.
    /// #[tool(read_only, closed_world)]
    /// async fn wait_for_the_end() -> String {
    ///     std::future::pending().await
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = Server::new("waiting", "1.0.0")
    ///     .tool(wait_for_the_end::tool())
    ///     .tool_timeout(Duration::from_millis(20))
    ///     .build()?;
    /// let result = server.call_tool("wait_for_the_end", serde_json::json!({})).await?;
    /// assert!(result.text().starts_with("wait_for_the_end was stopped: it took longer than 20ms."));
    /// # Ok(())
    /// # }
    /// ```
    pub fn tool_timeout(mut self, limit: Duration) -> Self {
        self.settings.limits.timeout = Some(limit);
        self
    }

    /// How large a tool's result may be, in bytes of JSON, where the tool has no [limit of its own](Tool::max_result). Of
    /// any size unless set: what a host would cut is [logged](Self::hint_past) and goes out.
    pub fn max_result(mut self, bytes: usize) -> Self {
        self.settings.limits.max_result = Some(bytes);
        self
    }

    /// Past how many characters a text block is logged with a hint that hosts may cut it. 40,000 unless set, which is
    /// where the first one does; `usize::MAX` for none.
    pub fn hint_past(mut self, characters: usize) -> Self {
        self.settings.hint_past = characters;
        self
    }

    /// How long calls in flight may go on after the client has closed stdin. 3 s unless set; then they are cancelled.
    pub fn shutdown_grace(mut self, grace: Duration) -> Self {
        self.settings.grace = grace;
        self
    }

    /// Wraps every tool call in a [`tower_layer::Layer`]. The layer added last is the outermost.
    ///
    /// Middleware sees a call after its arguments were checked and a result before it is checked:
    ///
    /// ```
    /// use haft::prelude::*;
    /// use haft::{CallToolResult, ToolCall, ToolService};
    /// use std::task::{Context as Cx, Poll};
    /// use tower_service::Service;
    ///
    /// /// Refuses every call to a tool that isn't read-only, out of office hours.
    /// #[derive(Clone)]
    /// struct OfficeHours<S>(S, bool);
    ///
    /// impl<S: Service<ToolCall, Response = CallToolResult, Error = ToolError>> Service<ToolCall> for OfficeHours<S> {
    ///     type Response = CallToolResult;
    ///     type Error = ToolError;
    ///     type Future = futures_util::future::Either<
    ///         std::future::Ready<Result<CallToolResult, ToolError>>,
    ///         S::Future,
    ///     >;
    ///
    ///     fn poll_ready(&mut self, cx: &mut Cx<'_>) -> Poll<Result<(), ToolError>> {
    ///         self.0.poll_ready(cx)
    ///     }
    ///
    ///     fn call(&mut self, call: ToolCall) -> Self::Future {
    ///         if self.1 || call.tool().starts_with("get_") {
    ///             return futures_util::future::Either::Right(self.0.call(call));
    ///         }
    ///         let refusal = ToolError::new("Nobody is in the office. Try again after 9 o'clock.");
    ///         futures_util::future::Either::Left(std::future::ready(Err(refusal)))
    ///     }
    /// }
    ///
    /// /// Use this to send a parcel.
    /// #[tool(additive, closed_world)]
    /// async fn send_parcel() -> String {
    ///     "Sent.".to_owned()
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = Server::new("parcels", "1.0.0")
    ///     .tool(send_parcel::tool())
    ///     .layer(tower_layer::layer_fn(|service: ToolService| OfficeHours(service, false)))
    ///     .build()?;
    /// let result = server.call_tool("send_parcel", serde_json::json!({})).await?;
    /// assert!(result.text().contains("after 9 o'clock"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn layer<L>(mut self, layer: L) -> Self
    where
        L: Layer<ToolService> + Send + 'static,
        L::Service: Service<ToolCall, Response = CallToolResult, Error = ToolError> + Clone + Send + Sync + 'static,
        <L::Service as Service<ToolCall>>::Future: Send,
    {
        self.layers.push(Box::new(move |service| service.layered(&layer)));
        self
    }

    /// Checks everything and freezes the server.
    ///
    /// # Errors
    /// Every problem of every tool, resource, template and prompt, in one error: duplicate names and URIs, schemas that
    /// don't compile or that some host would refuse, references that lead nowhere, `x-mcp-header` against its rules,
    /// URIs that are none, templates that can't be matched, icons that hosts must refuse, state keys that are none.
    pub fn build(self) -> Result<Server, BuildError> {
        build(self)
    }
}

impl std::fmt::Debug for ServerBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerBuilder")
            .field("name", &self.name)
            .field("version", &self.version)
            .field("tools", &self.tools)
            .finish_non_exhaustive()
    }
}
