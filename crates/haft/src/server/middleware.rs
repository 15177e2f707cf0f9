use std::future::poll_fn;
use std::sync::Arc;
use std::task::{self, Poll};

use futures_util::future::BoxFuture;
use haft_wire::CallToolResult;
use serde_json::{Map, Value};
use tower_layer::Layer;
use tower_service::Service;

use super::context::Context;
use super::limits::Slot;
use crate::error::ToolError;

/// One call of one tool, after its arguments were checked: what middleware sees.
#[derive(Debug, Clone)]
pub struct ToolCall {
    arguments: Map<String, Value>,
    context: Context,
    slot: Option<Slot>,
}

impl ToolCall {
    pub(crate) fn new(arguments: Map<String, Value>, context: Context, slot: Option<Slot>) -> Self {
        Self { arguments, context, slot }
    }

    /// The tool's name.
    pub fn tool(&self) -> &str {
        self.context.tool()
    }

    /// The arguments. They fit the tool's input schema.
    pub fn arguments(&self) -> &Map<String, Value> {
        &self.arguments
    }

    /// The arguments, to change. They are not checked again against the schema.
    pub fn arguments_mut(&mut self) -> &mut Map<String, Value> {
        &mut self.arguments
    }

    /// The call's context.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// What keeps the call's place while something runs for it.
    pub(crate) fn slot(&self) -> Option<Slot> {
        self.slot.clone()
    }

    pub(crate) fn into_parts(self) -> (Map<String, Value>, Context) {
        (self.arguments, self.context)
    }
}

type Run = dyn Fn(ToolCall) -> BoxFuture<'static, Result<CallToolResult, ToolError>> + Send + Sync;

/// A tool as a [`tower_service::Service`]: what a layer wraps.
///
/// See [`ServerBuilder::layer`](crate::ServerBuilder::layer).
#[derive(Clone)]
pub struct ToolService {
    run: Arc<Run>,
}

impl ToolService {
    pub(crate) fn new(
        run: impl Fn(ToolCall) -> BoxFuture<'static, Result<CallToolResult, ToolError>> + Send + Sync + 'static,
    ) -> Self {
        Self { run: Arc::new(run) }
    }

    pub(crate) fn run(&self, call: ToolCall) -> BoxFuture<'static, Result<CallToolResult, ToolError>> {
        (self.run)(call)
    }

    pub(crate) fn layered<L>(self, layer: &L) -> Self
    where
        L: Layer<ToolService>,
        L::Service: Service<ToolCall, Response = CallToolResult, Error = ToolError> + Clone + Send + Sync + 'static,
        <L::Service as Service<ToolCall>>::Future: Send,
    {
        let service = layer.layer(self);
        Self::new(move |call| {
            let mut service = service.clone();
            Box::pin(async move {
                poll_fn(|cx| service.poll_ready(cx)).await?;
                service.call(call).await
            })
        })
    }
}

impl Service<ToolCall> for ToolService {
    type Response = CallToolResult;
    type Error = ToolError;
    type Future = BoxFuture<'static, Result<CallToolResult, ToolError>>;

    fn poll_ready(&mut self, _: &mut task::Context<'_>) -> Poll<Result<(), ToolError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: ToolCall) -> Self::Future {
        self.run(call)
    }
}

impl std::fmt::Debug for ToolService {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolService").finish_non_exhaustive()
    }
}
