//! The server: from a parsed request to its answer.
//!
//! [`dispatch`] takes a request to its method, [`registry`] finds the tool, [`call`] runs it and [`outcome`] makes the
//! result. [`resources`], [`prompts`] and [`completion`] have the methods of their names. All that can be decided before the first request is decided in [`build`].

mod access;
mod build;
mod builder;
mod call;
mod cancellation;
mod change;
mod completion;
mod context;
mod dispatch;
mod handle;
mod in_process;
mod limits;
mod listen;
mod listing;
mod middleware;
mod mrtr;
mod observe;
mod outbound;
mod outcome;
mod principal;
mod problems;
mod prompts;
mod registry;
mod resources;
mod sanitize;
mod scopes;
mod shared;
mod subscriptions;
#[cfg(feature = "tasks")]
mod tasks;

use std::sync::Arc;
use std::time::Duration;

use haft_wire::{CallToolResult, RequestId, RequestMeta, SubscriptionFilter, method};
use serde_json::Value;
use serde_json::value::RawValue;

pub(crate) use builder::Settings;
pub use builder::{ServerBuilder, UnknownArguments};
pub(crate) use cancellation::Cancellation;
pub use context::{Context, FromContext};
#[cfg(feature = "http")]
pub(crate) use dispatch::{Answer, Status, unsupported_version};
pub(crate) use dispatch::{Incoming, Settled, answer, cancelled_request};
pub use handle::{ChangeError, ServerHandle};
pub(crate) use listen::too_many_subscriptions;
pub use middleware::{ToolCall, ToolService};
pub use mrtr::{Ask, AskError, AskErrorKind, CreateMessage, InvalidStateKey, Questions, StateKey};
pub(crate) use mrtr::{Given, Peer, Question};
pub(crate) use outbound::Outbound;
pub use principal::{Caller, Principal};
pub use problems::{BuildError, BuildProblem};
#[cfg(feature = "http")]
pub(crate) use registry::Input;
pub use sanitize::Sanitize;
pub(crate) use scopes::Requirement;
#[cfg(feature = "http")]
pub(crate) use scopes::{Forbidden, is_token, joined};
pub(crate) use subscriptions::{Subscription, Topic};
#[cfg(feature = "tasks")]
pub use tasks::TaskOptions;

use crate::error::ProtocolError;
use change::Tools;
use mrtr::{Asking, Inputs, Sealer};
use prompts::Prompts;
use resources::Resources;
use sanitize::Sanitizer;
use scopes::Implications;
use subscriptions::Hub;

/// A server, checked and frozen. Cloning is cheap: all clones are the same server.
///
/// ```no_run
/// use haft::prelude::*;
///
/// /// Use this to greet somebody by name.
/// #[tool(read_only, closed_world)]
/// async fn greet(
///     /// The name of the person to greet.
///     name: String,
/// ) -> String {
///     format!("Hello, {name}!")
/// }
///
/// #[tokio::main]
/// async fn main() -> Result<(), haft::ServeError> {
///     Server::new("greetings", "1.0.0").tool(greet::tool()).build()?.serve_stdio().await
/// }
/// ```
#[derive(Clone)]
pub struct Server {
    inner: Arc<Inner>,
}

struct Inner {
    /// Name and version, as every result carries them.
    info: Value,
    /// The answer to `server/discover`, as it goes out.
    discover: Box<RawValue>,
    registry: Tools,
    hub: Arc<Hub>,
    /// Where the server declares resources; there may be none to read.
    resources: Option<Resources>,
    /// Where the server declares prompts.
    prompts: Option<Prompts>,
    /// Whether the server declares completions.
    completes: bool,
    sealer: Sealer,
    shared: shared::Shared,
    patience: Duration,
    /// Where texts are cleaned before they go out.
    sanitizer: Option<Sanitizer>,
    implications: Implications,
    /// Where the server declares tasks.
    #[cfg(feature = "tasks")]
    tasks: Option<tasks::Tasks>,
    settings: Settings,
    #[cfg(feature = "otel")]
    measured: observe::Measured,
}

impl Server {
    /// Starts a server of this name and version; both are shown to people, and clients don't rely on them.
    #[expect(clippy::new_ret_no_self, reason = "a server exists once it is built")]
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> ServerBuilder {
        ServerBuilder::new(name.into(), version.into())
    }

    /// Uses up the state that came with a request and was opened, where states are good for one request.
    async fn use_up(&self, state: Option<&str>) -> Result<(), ProtocolError> {
        self.inner.shared.claim(state, self.inner.patience).await
    }

    /// Calls a tool in this process: checked before and after like any other call, with no transport in between.
    ///
    /// ```
    /// use haft::prelude::*;
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
    /// let result = server.call_tool("join_words", serde_json::json!({"first": "a", "second": "b"})).await?;
    /// assert_eq!(result.text(), "a b");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// What a client would get as a JSON-RPC error: an unknown tool, or `arguments` that aren't an object.
    pub async fn call_tool(&self, name: &str, arguments: Value) -> Result<CallToolResult, ProtocolError> {
        let arguments = match arguments {
            Value::Object(arguments) => arguments,
            other => return Err(dispatch::not_an_object(&other)),
        };
        let entry = self.inner.registry.now().tool(name, |_| true)?;
        // Without capabilities there is nothing that it could ask.
        let asking = Asking::open(&self.exchange(), method::TOOLS_CALL, name.to_owned(), None, Inputs::default())?;
        let request = call::Request {
            arguments,
            id: RequestId::Int(0),
            meta: RequestMeta::default(),
            principal: Principal::Local,
            cancellation: Cancellation::default(),
            outbound: Outbound::closed(),
            asking,
        };
        call::call(self, &entry, request).await.map_err(in_process::failure)
    }

    /// What a tool takes, if there is one of this name that this caller may use.
    #[cfg(feature = "http")]
    pub(crate) fn input_of(&self, tool: &str, principal: &Principal) -> Option<Arc<registry::Input>> {
        let entry = self.inner.registry.now().tool(tool, |_| false).ok()?;
        self.inner.implications.grants(principal, &entry.requires).then(|| Arc::clone(&entry.input))
    }

    /// The scopes that anything here asks for now, each once, after these.
    #[cfg(feature = "http")]
    pub(crate) fn scopes(&self, first: &[String]) -> String {
        let registry = self.inner.registry.now();
        let resources = self.inner.resources.iter().flat_map(Resources::scopes);
        let prompts = self.inner.prompts.iter().flat_map(Prompts::scopes);
        joined(first.iter().map(String::as_str).chain(registry.scopes()).chain(resources).chain(prompts))
    }

    /// The result of `server/discover`.
    pub(crate) fn discovery(&self) -> &RawValue {
        &self.inner.discover
    }

    /// A subscription to as much of this as the server offers; none where that is nothing, or there are too many.
    pub(crate) fn subscribe(&self, filter: SubscriptionFilter) -> Option<Subscription> {
        let hub = &self.inner.hub;
        if !hub.offers_anything() {
            return None;
        }
        let subscription = hub.subscribe(&hub.honour(filter));
        if subscription.is_none() {
            tracing::warn!("a client is told of no changes: the server has as many subscriptions as it takes");
        }
        subscription
    }

    /// Whether the server declares tasks.
    #[cfg(feature = "http")]
    pub(crate) fn has_tasks(&self) -> bool {
        self.inner.has_tasks()
    }

    /// How long a client may take to answer a question.
    pub(crate) fn patience(&self) -> Duration {
        self.inner.patience
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.inner.settings
    }
}

impl Inner {
    /// Whether the server declares tasks.
    fn has_tasks(&self) -> bool {
        #[cfg(feature = "tasks")]
        return self.tasks.is_some();
        #[cfg(not(feature = "tasks"))]
        return false;
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("info", &self.inner.info).finish_non_exhaustive()
    }
}
