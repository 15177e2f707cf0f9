use std::future::Future;
use std::panic::Location;
use std::sync::Arc;

use haft_wire::{Icon, ToolAnnotations};
use serde_json::{Map, Value};

use super::limits::Limits;
use super::reply::IntoOutcome;
use super::{Cancel, Capability, Input, OutputSource, Tool, described};
use crate::server::{Context, Requirement};

/// The arguments of one call to a tool made by [`Tool::builder`], after their check.
pub type Arguments = Map<String, Value>;

/// Makes a [`Tool`] from data.
///
/// The schemas are kept byte for byte, with `$schema`, `$defs` and all; they are compiled at
/// [`build()`](crate::ServerBuilder::build) and enforced on every call. Hints may be left unset.
///
/// ```
/// use haft::prelude::*;
/// use serde_json::{Value, json};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let shout = Tool::builder("shout")
///     .description("Use this to turn a text into capital letters.")
///     .input_schema(r#"{"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}"#)
///     .read_only(true)
///     .handler(|arguments: Arguments, _context: Context| async move {
///         let text = arguments.get("text").and_then(Value::as_str).unwrap_or_default();
///         text.to_uppercase()
///     });
///
/// let server = Server::new("shouting", "1.0.0").tool(shout).build()?;
/// let result = server.call_tool("shout", json!({"text": "quiet"})).await?;
/// assert_eq!(result.text(), "QUIET");
///
/// // The schema is enforced: the function never sees a wrong argument.
/// let refused = server.call_tool("shout", json!({"text": 5})).await?;
/// assert!(refused.text().contains("/text"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing before `handler`"]
pub struct ToolBuilder {
    name: String,
    title: Option<String>,
    description: Option<String>,
    icons: Vec<Icon>,
    meta: Map<String, Value>,
    hints: ToolAnnotations,
    input: Option<String>,
    output: Option<String>,
    needs: Vec<Capability>,
    requires: Requirement,
    cancel: Option<Cancel>,
    logs: bool,
    embeds_resources: bool,
    handle: Option<fn() -> String>,
}

impl ToolBuilder {
    pub(crate) fn new(name: String) -> Self {
        Self {
            name,
            title: None,
            description: None,
            icons: Vec::new(),
            meta: Map::new(),
            hints: ToolAnnotations::default(),
            input: None,
            output: None,
            needs: Vec::new(),
            requires: Requirement::default(),
            cancel: None,
            logs: false,
            embeds_resources: false,
            handle: None,
        }
    }

    /// The name to show to people.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// What the model reads to decide whether and how to call the tool.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// The input schema: JSON text, kept byte for byte. Without one the tool takes no arguments.
    ///
    /// A `serde_json::Value` goes in by `.to_string()`.
    pub fn input_schema(mut self, json: impl Into<String>) -> Self {
        self.input = Some(json.into());
        self
    }

    /// The output schema: JSON text, kept byte for byte. Without one it comes from the type that the handler returns.
    pub fn output_schema(mut self, json: impl Into<String>) -> Self {
        self.output = Some(json.into());
        self
    }

    /// Whether the tool leaves its environment unchanged (`readOnlyHint`).
    pub fn read_only(mut self, hint: bool) -> Self {
        self.hints.read_only_hint = Some(hint);
        self
    }

    /// Whether its updates may destroy, as opposed to only add (`destructiveHint`).
    pub fn destructive(mut self, hint: bool) -> Self {
        self.hints.destructive_hint = Some(hint);
        self
    }

    /// Whether a second call with the same arguments changes nothing more (`idempotentHint`).
    pub fn idempotent(mut self, hint: bool) -> Self {
        self.hints.idempotent_hint = Some(hint);
        self
    }

    /// Whether it meets an open world of outside entities, such as the web (`openWorldHint`).
    pub fn open_world(mut self, hint: bool) -> Self {
        self.hints.open_world_hint = Some(hint);
        self
    }

    /// Adds an icon. Its `src` must be an `https:` or `data:` URI.
    pub fn icon(mut self, icon: Icon) -> Self {
        self.icons.push(icon);
        self
    }

    /// Adds a member to the definition's `_meta`.
    pub fn meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.meta.insert(key.into(), value.into());
        self
    }

    /// A client capability that is checked before each call.
    pub fn needs(mut self, capability: Capability) -> Self {
        self.needs.push(capability);
        self
    }

    /// The scopes that a caller needs, all of them. Over HTTP a call without them is refused with 401 or 403 and says
    /// which they are, and lists don't have the tool for that caller unless it is [`listed`](Self::listed). Whoever
    /// started this process has all scopes.
    ///
    /// spec: `basic/authorization#scope-challenge-handling`
    pub fn scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.requires.scopes.extend(scopes.into_iter().map(Into::into));
        self
    }

    /// Shows the tool in lists to callers without its [scopes](Self::scopes), so that a client can find out what to ask
    /// its user for.
    pub fn listed(mut self) -> Self {
        self.requires.listed = true;
        self
    }

    /// What becomes of a running call that is cancelled. Unless said: dropped where `read_only(true)`, else detached.
    pub fn on_cancel(mut self, cancel: Cancel) -> Self {
        self.cancel = Some(cancel);
        self
    }

    /// The tool sends log messages to the client: the server declares the (deprecated) `logging` capability.
    pub fn logs(mut self) -> Self {
        self.logs = true;
        self
    }

    /// The tool embeds resources in its results: the server declares the `resources` capability.
    pub fn embeds_resources(mut self) -> Self {
        self.embeds_resources = true;
        self
    }

    /// The tool creates handles of this kind: the description ends with how long they are good.
    #[cfg(feature = "handles")]
    pub fn handle<T: crate::Handled>(mut self) -> Self {
        self.handle = Some(crate::handles::sentence::<T>);
        self
    }

    /// The function, which completes the tool. What it may return: see [`IntoOutcome`].
    #[track_caller]
    pub fn handler<F, Fut, R, M>(self, function: F) -> Tool
    where
        F: Fn(Arguments, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = R> + Send + 'static,
        R: IntoOutcome<M>,
    {
        let reads = self.hints.read_only_hint == Some(true);
        let place = Location::caller();
        Tool {
            name: self.name,
            title: self.title,
            description: described(self.description, self.handle),
            icons: self.icons,
            meta: self.meta,
            hints: self.hints,
            input: self.input.map_or_else(|| Input::Params(Arc::from([])), Input::Written),
            output: self.output.map_or(OutputSource::Type(R::output), OutputSource::Written),
            allow: Vec::new(),
            needs: self.needs,
            requires: self.requires,
            cancel: self.cancel.unwrap_or(if reads { Cancel::Drop } else { Cancel::Detach }),
            logs: self.logs,
            embeds_resources: self.embeds_resources,
            limits: Limits::default(),
            task: None,
            place: format!("{}:{}", place.file(), place.line()),
            handler: Arc::new(move |call, _| {
                let (arguments, context) = call.into_parts();
                let running = function(arguments, context);
                Box::pin(async move { Ok(running.await.into_outcome()?) })
            }),
        }
    }
}
