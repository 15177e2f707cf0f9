//! What a tool is: its definition together with the function behind it.

mod builder;
mod call;
mod limits;
mod reply;
mod spec;
mod task;
mod threads;

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use haft_schema::{Members, Output, Param, Problem};
use haft_wire::{CallToolResult, Icon, ToolAnnotations};
use serde_json::{Map, Value};

use crate::server::{Requirement, ToolCall};

pub use builder::{Arguments, ToolBuilder};
pub(crate) use call::Failure;
pub use call::{Call, Refused, assert_argument};
pub use limits::{Limits, RateLimit};
pub use reply::{IntoOutcome, Reply};
pub use spec::{Cancel, Capability, Hints, IconSpec, ToolSpec, tool};
pub use task::TaskSupport;

/// The function behind a tool, with its types erased. It is told which arguments make up each parameter.
pub(crate) type Handler =
    Arc<dyn Fn(ToolCall, &Arc<[Members]>) -> BoxFuture<'static, Result<CallToolResult, Refused>> + Send + Sync>;

/// A tool: what hosts see of it, and the function that runs.
///
/// [`#[tool]`](macro@crate::tool) makes one from a function; [`Tool::builder`] makes one from data. Nothing is checked
/// before [`ServerBuilder::build`](crate::ServerBuilder::build), which reports all problems of all tools at once.
///
/// spec: `server/tools#tool`
#[derive(Clone)]
pub struct Tool {
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) icons: Vec<Icon>,
    pub(crate) meta: Map<String, Value>,
    /// The four hints; the title is put beside them when the definition is written.
    pub(crate) hints: ToolAnnotations,
    pub(crate) input: Input,
    pub(crate) output: OutputSource,
    pub(crate) allow: Vec<String>,
    pub(crate) needs: Vec<Capability>,
    pub(crate) requires: Requirement,
    pub(crate) cancel: Cancel,
    pub(crate) logs: bool,
    pub(crate) embeds_resources: bool,
    pub(crate) limits: Limits,
    pub(crate) task: Option<TaskSupport>,
    pub(crate) place: String,
    pub(crate) handler: Handler,
}

/// Where the input schema comes from.
#[derive(Clone)]
pub(crate) enum Input {
    /// The parameters of a Rust function: an exact and a published schema are derived.
    Params(Arc<[Param]>),
    /// Written by hand: published byte for byte, and enforced as it is.
    Written(String),
}

type DeriveOutput = fn(&[&str]) -> Result<Option<Output>, Vec<Problem>>;

/// Where the output schema comes from.
#[derive(Clone)]
pub(crate) enum OutputSource {
    /// The function's return type.
    Type(DeriveOutput),
    /// Written by hand.
    Written(String),
}

impl Tool {
    /// A tool made from data instead of a function's signature: for proxies, generated tools and schemas by hand.
    pub fn builder(name: impl Into<String>) -> ToolBuilder {
        ToolBuilder::new(name.into())
    }

    /// The tool's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How often each authenticated caller may call this tool, in the place of the
    /// [server's limit](crate::ServerBuilder::rate_limit). A call beyond it isn't run; the model is told when to try again.
    #[must_use]
    pub fn rate_limit(mut self, limit: RateLimit) -> Self {
        self.limits.rate = Some(limit);
        self
    }

    /// How many calls of this tool may run at once, for all callers together; any number unless set.
    ///
    /// A call beyond it isn't run and doesn't wait: the model is told that the tool is busy, and may choose what to do
    /// meanwhile. A call that runs on after its cancellation or its time limit still counts.
    #[must_use]
    pub fn concurrency(mut self, calls: usize) -> Self {
        self.limits.concurrency = Some(calls);
        self
    }

    /// How long a call of this tool may take, in the place of the [server's limit](crate::ServerBuilder::tool_timeout).
    ///
    /// When the time is over, the model is told, and what runs is treated as if it were [cancelled](Cancel): a read-only
    /// tool's future is dropped, another tool's runs on to its end, unobserved. Plain functions see it by
    /// [`Context::is_cancelled`](crate::Context::is_cancelled). Time in which the user answers a question doesn't count.
    #[must_use]
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.limits.timeout = Some(limit);
        self
    }

    /// How large a result of this tool may be, in bytes of JSON, in the place of the
    /// [server's limit](crate::ServerBuilder::max_result). A larger one is withheld; the model is told to ask for less.
    #[must_use]
    pub fn max_result(mut self, bytes: usize) -> Self {
        self.limits.max_result = Some(bytes);
        self
    }

    /// Lets calls of this tool go on as tasks, for clients that know them: see [`TaskSupport`]. Needs the feature `tasks`.
    ///
    /// spec: `extensions/tasks`
    #[must_use]
    pub fn task(mut self, support: TaskSupport) -> Self {
        self.task = Some(support);
        self
    }

    pub(crate) fn allows(&self, rule: &str) -> bool {
        self.allow.iter().any(|allowed| allowed == rule)
    }
}

/// A description, and behind it what is to be said of the handles that the tool creates.
fn described(description: Option<String>, handle: Option<fn() -> String>) -> Option<String> {
    let Some(handle) = handle else { return description };
    Some(description.map_or_else(handle, |description| format!("{description}\n\n{}", handle())))
}

impl std::fmt::Debug for Tool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tool").field("name", &self.name).field("place", &self.place).finish_non_exhaustive()
    }
}

/// A set of tools that share a value, such as a database pool. Implemented by [`#[toolset]`](macro@crate::toolset).
pub trait Toolset: Send + Sync + 'static {
    /// The tools, in the order in which they are to be listed.
    fn tools(self: Arc<Self>) -> Vec<Tool>;
}
