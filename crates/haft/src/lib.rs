//! MCP tools from Rust functions: every call checked before it runs, every result before it leaves.
//!
//! A function becomes a tool definition that every AI host takes; wrong arguments are refused in words that a model can
//! act on; a result that breaks its own schema is withheld. The protocol is the Model Context Protocol, revision
//! 2026-07-28.
//!
//! ```
//! use haft::prelude::*;
//!
//! #[derive(Serialize, JsonSchema)]
//! struct Order {
//!     order_id: String,
//!     status: String,
//! }
//!
//! /// Use this when the user asks where an order is. Returns its current status.
//! #[tool(title = "Look up an order", read_only, closed_world)]
//! async fn get_order(
//!     /// Order ID, e.g. A-1001
//!     #[arg(pattern = r"^A-\d{4}$")]
//!     order_id: String,
//! ) -> Result<Order, ToolError> {
//!     match order_id.as_str() {
//!         "A-1001" => Ok(Order { order_id, status: "shipped".into() }),
//!         _ => Err(ToolError::new(format!("No order {order_id}. Ask the user to check the ID on their receipt."))),
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let server = Server::new("orders", "1.0.0").tool(get_order::tool()).build()?;
//!
//! let refused = server.call_tool("get_order", serde_json::json!({"order_id": "1001"})).await?;
//! assert_eq!(refused.is_error, Some(true));
//! assert!(refused.text().contains(r"^A-\d{4}$"));
//! # Ok(())
//! # }
//! ```
//!
//! # Logs
//!
//! haft logs by [`tracing`](https://docs.rs/tracing): one span `request` for each request, with its `method`, `id`, `name`
//! (the tool's or prompt's, or a URI), `traceparent`, `outcome` (`ok`, `tool_error`, `error`, `input_required` or `cancelled`)
//! and `duration_ms`; under it an error for each incident that a model was told of, with all its causes, and
//! what the tool itself logs. On stdio a subscriber must write to stderr: stdout is the transport.
//!
//! # Where to go
//!
//! - [`tool`](macro@tool) and [`toolset`](macro@toolset) make tools from functions, [`Tool::builder`] from data.
//! - [`prompt`](macro@prompt) and [`resource`](macro@resource) make prompts, resources and resource templates from
//!   functions; [`Prompt::builder`], [`Resource::builder`] and [`ResourceTemplate::builder`] do so from data.
//!   [`Prompt::complete`] and [`ResourceTemplate::complete`] suggest values while they are typed.
//! - [`IntoOutcome`] lists what a function may return; [`ToolError`] is how it says no.
//! - [`Context`] is what a running call knows and can tell; [`FromContext`] takes values of your own from it.
//! - [`Context::ask`] asks the user in mid-call; [`Form`] is what it can ask for.
//! - [`Server`] collects all of them, checks them at once, and serves them.
//! - [`Tool::timeout`], [`Tool::concurrency`], [`Tool::rate_limit`] and [`Tool::max_result`] bound what calls take;
//!   [`Sanitize`] cleans the texts that go to models.
//! - [`ServerHandle`] changes the tools of a server that runs, and tells its subscribers.
#![cfg_attr(
    feature = "auth",
    doc = "- [`oauth::OAuth`] gets a [`Client`] the tokens that servers over HTTP ask for, as the specification says."
)]
#![cfg_attr(feature = "http", doc = "- [`HttpServer`] and [`HttpService`] serve it over HTTP, as [`HttpOptions`] say.")]
#![cfg_attr(
    feature = "http",
    doc = "- [`Authenticate`] finds out who calls over HTTP, [`ProtectedResource`] tells clients where to get a token;"
)]
#![cfg_attr(
    feature = "http",
    doc = "  [`Bearer`] is ready-made, and so is `JwtVerifier` (feature `auth`). [`Principal`] is whom it finds."
)]
#![cfg_attr(
    feature = "handles",
    doc = "- [`Handles`] keeps what outlives a call, behind ids that tools return; [`store`] is where."
)]
#![cfg_attr(
    feature = "tasks",
    doc = "- [`Tool::task`] lets calls go on as tasks, [`TaskOptions`] say where they are kept; a [`Client`] follows them."
)]
#![cfg_attr(feature = "otel", doc = "- [`otel`] exports traces and metrics.")]

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
#[cfg(feature = "http")]
mod auth;
#[cfg(feature = "client")]
mod client;
mod completion;
mod error;
mod form;
#[cfg(feature = "handles")]
mod handles;
mod legacy;
mod members;
#[cfg(feature = "otel")]
pub mod otel;
mod params;
pub mod prelude;
mod prompt;
mod resource;
mod server;
#[cfg(any(feature = "client", feature = "tasks"))]
mod time;
mod tool;
#[cfg(feature = "client")]
mod toolbox;
mod transport;

#[cfg(feature = "auth")]
pub use auth::{Algorithm, AuthConfigError, JwtVerifier, JwtVerifierBuilder};
#[cfg(feature = "http")]
pub use auth::{AuthError, Authenticate, Bearer, ProtectedResource, bearer_token};
#[cfg(feature = "auth")]
pub use client::oauth;
#[cfg(feature = "http-client")]
pub use client::{Authorize, AuthorizeError, Authorizing, HttpTarget, Refusal};
#[cfg(feature = "client")]
pub use client::{
    CallOptions, Called, Change, CheckArguments, Client, ClientBuilder, ClientError, Elicitation, Elicited, Era,
    ErrorKind, LeftOut, News, RunningTask, Sampled, SamplingRequest, ServerDescription, Started, SubscribeTo,
    Subscription, Target, ToolList, WireEvent,
};
pub use completion::{Completions, IntoCompletions, Partial};
pub use error::{IntoRequestError, IntoToolError, ProtocolError, RequestError, ResultExt, ToolError};
pub use form::{Choice, Form, FormField};
#[cfg(feature = "macros")]
pub use haft_macros::{Form, prompt, resource, tool, toolset};
#[cfg(feature = "handles")]
pub use haft_store as store;
pub use haft_wire::{
    Annotations, CacheScope, CallToolResult, ClientCapabilities, Completion, ContentBlock as Content,
    CreateMessageResult, GetPromptResult, Icon, Implementation, LogLevel, LogMessageParams, ModelHint,
    ModelPreferences, ProgressParams, PromptArgument, PromptMessage, ReadResourceResult, RequestId, RequestMeta,
    ResourceContents, Role, Root, Task, TaskStatus, Tool as ToolDefinition,
};
#[cfg(feature = "handles")]
pub use handles::{By, Handle, HandlePage, Handled, Handles, IDEMPOTENCY_KEY, Made, Replaced};
pub use params::Params;
pub use prompt::{IntoMessages, Prompt, PromptBuilder};
pub use resource::{IntoContents, Resource, ResourceBuilder, ResourceTemplate};
#[cfg(feature = "tasks")]
pub use server::TaskOptions;
pub use server::{
    Ask, AskError, AskErrorKind, BuildError, BuildProblem, Caller, ChangeError, Context, CreateMessage, FromContext,
    InvalidStateKey, Principal, Questions, Sanitize, Server, ServerBuilder, ServerHandle, StateKey, ToolCall,
    ToolService, UnknownArguments,
};
pub use tool::{Arguments, Cancel, Capability, IntoOutcome, RateLimit, Reply, TaskSupport, Tool, ToolBuilder, Toolset};
#[cfg(feature = "client")]
pub use toolbox::{
    Api, Approval, ApprovalRequest, AskReason, AuditEntry, AuditOutcome, CallOutcome, DecidedBy, ExposedTool,
    OutcomeKind, RenderNote, Rendered, ResultOptions, ServerPolicy, Toolbox, ToolboxBuilder, ToolboxError,
    ToolboxEvent, ToolboxProblem,
};
pub use transport::ServeError;
#[cfg(feature = "http")]
pub use transport::http::{HttpBody, HttpOptions, HttpServer, HttpService, MetadataService};
