use std::future::Future;
use std::sync::Arc;

use haft_wire::{ClientCapabilities, Implementation, LogLevel, RequestId, RequestMeta, strict};
use serde::Serialize;
use serde_json::value::RawValue;

use super::call::Operation;
use super::cancellation::Cancellation;
use super::handle::ServerHandle;
use super::mrtr::Asking;
use super::outbound::Outbound;
use super::principal::Principal;
use crate::error::IntoToolError;

/// What a running call knows of the request that it answers, and what it can tell the client meanwhile.
///
/// A parameter of this type is filled in by the server. Cloning is cheap; a clone may outlive the call, after which it
/// sends nothing.
#[derive(Clone)]
pub struct Context {
    inner: Arc<Inner>,
}

struct Inner {
    server: ServerHandle,
    operation: Operation,
    id: RequestId,
    meta: RequestMeta,
    principal: Principal,
    cancellation: Cancellation,
    outbound: Outbound,
    asking: Asking,
}

impl Context {
    pub(super) fn new(
        operation: Operation,
        id: RequestId,
        meta: RequestMeta,
        principal: Principal,
        cancellation: Cancellation,
        outbound: Outbound,
        asking: Asking,
    ) -> Self {
        let server = asking.server().handle();
        Self { inner: Arc::new(Inner { server, operation, id, meta, principal, cancellation, outbound, asking }) }
    }

    pub(super) fn asking(&self) -> &Asking {
        &self.inner.asking
    }

    /// The server that this runs in: to change its tools and to tell its subscribers.
    ///
    /// ```
    /// use haft::prelude::*;
    ///
    /// /// Use this to add a tool that repeats what it is told.
    /// #[tool(additive, closed_world)]
    /// async fn learn_to_echo(ctx: Context) -> Result<&'static str, ToolError> {
    ///     let echo = Tool::builder("echo")
    ///         .input_schema(r#"{"type": "object", "properties": {"text": {"type": "string"}}}"#)
    ///         .handler(|arguments: Arguments, _: Context| async move { arguments["text"].to_string() });
    ///     ctx.server().add_tool(echo)?;
    ///     Ok("There is a tool `echo` now.")
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = Server::new("learner", "1.0.0").dynamic_tools().tool(learn_to_echo::tool()).build()?;
    /// server.call_tool("learn_to_echo", serde_json::json!({})).await?;
    /// assert_eq!(server.call_tool("echo", serde_json::json!({"text": "hi"})).await?.text(), "\"hi\"");
    /// # Ok(())
    /// # }
    /// ```
    pub fn server(&self) -> &ServerHandle {
        &self.inner.server
    }

    /// What is running: the name of the tool, the URI of the resource, the name of the prompt; in a completion, the
    /// prompt or the URI template whose argument is completed.
    pub fn name(&self) -> &str {
        &self.inner.operation.name
    }

    /// The method of the request, such as `tools/call` or `resources/read`.
    pub fn method(&self) -> &'static str {
        self.inner.operation.method
    }

    /// The name of the tool that is running: what [`Context::name`] is in a tool.
    pub fn tool(&self) -> &str {
        self.name()
    }

    /// The id of the request, as the client chose it.
    pub fn request_id(&self) -> &RequestId {
        &self.inner.id
    }

    /// Who is calling, as far as the transport knows.
    pub fn principal(&self) -> &Principal {
        &self.inner.principal
    }

    /// Who the client says it is. Not verified: for display and logs only.
    pub fn client_info(&self) -> Option<&Implementation> {
        self.inner.meta.client_info.as_ref()
    }

    /// What the client says it can do, for this request.
    pub fn client_capabilities(&self) -> Option<&ClientCapabilities> {
        self.inner.meta.client_capabilities.as_ref()
    }

    /// The request's `_meta`.
    pub fn meta(&self) -> &RequestMeta {
        &self.inner.meta
    }

    /// Reports progress, if the client asked for it: how far, and out of how much where that is known.
    ///
    /// Values must rise; one that doesn't, or isn't finite, is left out. Progress never waits: a client that reads too
    /// slowly misses some of it.
    ///
    /// spec: `basic/patterns/progress`
    pub fn progress(&self, progress: f64, total: Option<f64>) {
        self.inner.outbound.progress(self.inner.meta.progress_token.as_ref(), progress, total, None);
    }

    /// [`Context::progress`] with a sentence for people. A task has no progress; there the sentence says how far it is
    /// (`statusMessage`).
    pub fn progress_message(&self, progress: f64, total: Option<f64>, message: &str) {
        self.inner.outbound.progress(self.inner.meta.progress_token.as_ref(), progress, total, Some(message));
        if let Some(peer) = self.inner.asking.peer() {
            peer.say(message);
        }
    }

    /// Sends a log message to the client, if it asked for messages of this level, and to `tracing` in any case.
    ///
    /// The tool has to say `#[tool(logs)]`, a resource or a prompt `logs()`, since a server declares the capability up front. The specification
    /// deprecates this feature; `tracing` alone serves operators better.
    ///
    /// spec: `server/utilities/logging`
    pub fn log(&self, level: LogLevel, data: impl Serialize) {
        let data = match strict::to_string(&data).map(RawValue::from_string) {
            Ok(Ok(data)) => data,
            Ok(Err(error)) => return tracing::error!(name = self.name(), %error, "a log message is not JSON"),
            Err(error) => return tracing::error!(name = self.name(), %error, "a log message cannot be serialised"),
        };
        self.trace(level, &data);
        let Some(least) = self.inner.meta.log_level else { return };
        if !self.inner.operation.logs {
            tracing::warn!(
                method = self.method(),
                name = self.name(),
                "this logs to the client and doesn't say `logs` where it is defined; the message stays here"
            );
        } else if level >= least {
            self.inner.outbound.log(level, self.name(), data);
        }
    }

    fn trace(&self, level: LogLevel, data: &RawValue) {
        let (name, data) = (self.name(), data.get());
        if level >= LogLevel::Error {
            tracing::error!(name, data, "log of a call");
        } else if level >= LogLevel::Warning {
            tracing::warn!(name, data, "log of a call");
        } else if level >= LogLevel::Info {
            tracing::info!(name, data, "log of a call");
        } else {
            tracing::debug!(name, data, "log of a call");
        }
    }

    /// The client need not hold its connection for the answer: over HTTP, one with a session of revision 2025-11-25 is let
    /// go and comes back for it. Nothing happens elsewhere.
    ///
    /// For calls that take so long that what lies between would cut them off.
    ///
    /// spec: 2025-11-25 `basic/transports#sending-messages-to-the-server`
    pub fn let_connection_go(&self) {
        if let Some(peer) = self.inner.asking.peer() {
            peer.let_go();
        }
    }

    /// Whether nobody waits for this call any more: the client has given up, or its
    /// [time limit](crate::Tool::timeout) is over. Plain functions poll it.
    pub fn is_cancelled(&self) -> bool {
        self.inner.cancellation.is_abandoned()
    }

    /// Waits until nobody waits for this call any more.
    pub async fn cancelled(&self) {
        self.inner.cancellation.abandoned().await;
    }

    /// The trace context that came with the request, in W3C form.
    pub fn traceparent(&self) -> Option<&str> {
        self.inner.meta.traceparent.as_deref()
    }
}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context").field("name", &self.name()).field("id", self.request_id()).finish_non_exhaustive()
    }
}

/// A value that a function takes from the request instead of from its arguments, marked `#[extract]`.
///
/// ```
/// use haft::prelude::*;
///
/// struct ClientName(String);
///
/// impl FromContext for ClientName {
///     type Rejection = ToolError;
///
///     async fn from_context(context: &Context) -> Result<Self, ToolError> {
///         let info = context.client_info().ok_or_else(|| ToolError::new("This tool needs a client with a name."))?;
///         Ok(Self(info.name.clone()))
///     }
/// }
///
/// /// Use this to learn under which name this client is known.
/// #[tool(read_only, closed_world)]
/// async fn whoami(#[extract] name: ClientName) -> String {
///     name.0
/// }
/// # assert_eq!(whoami::tool().name(), "whoami");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be extracted from a call",
    note = "implement `haft::FromContext` for `{Self}`, or leave `#[extract]` out if the model is to give it"
)]
pub trait FromContext: Sized {
    /// What the caller reads when there is no such value.
    type Rejection: IntoToolError;

    /// Takes the value from the context.
    ///
    /// # Errors
    /// The rejection, which becomes the call's answer.
    fn from_context(context: &Context) -> impl Future<Output = Result<Self, Self::Rejection>> + Send;
}
