use std::future::Future;
use std::panic::Location;
use std::sync::Arc;

use haft_wire::{Icon, PromptArgument};
use serde_json::{Map, Value};

use super::{IntoMessages, Prompt};
use crate::completion::{Completer, IntoCompletions, Partial, completer};
use crate::params::Params;
use crate::server::{Context, Requirement};
use crate::tool::Capability;

/// Makes a [`Prompt`].
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing before `handler`"]
pub struct PromptBuilder {
    name: String,
    title: Option<String>,
    description: Option<String>,
    arguments: Vec<PromptArgument>,
    icons: Vec<Icon>,
    meta: Map<String, Value>,
    needs: Vec<Capability>,
    logs: bool,
    completers: Vec<(String, Completer)>,
}

impl PromptBuilder {
    pub(super) fn new(name: String) -> Self {
        Self {
            name,
            title: None,
            description: None,
            arguments: Vec::new(),
            icons: Vec::new(),
            meta: Map::new(),
            needs: Vec::new(),
            logs: false,
            completers: Vec::new(),
        }
    }

    /// The name to show to people.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// What a user reads to decide whether this is what they want.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Adds an argument that the prompt can't do without.
    pub fn required(self, name: impl Into<String>, description: impl Into<String>) -> Self {
        self.argument(name.into(), description.into(), true)
    }

    /// Adds an argument that may be left out.
    pub fn optional(self, name: impl Into<String>, description: impl Into<String>) -> Self {
        self.argument(name.into(), description.into(), false)
    }

    fn argument(mut self, name: String, description: String, required: bool) -> Self {
        let description = (!description.is_empty()).then_some(description);
        self.arguments.push(PromptArgument { name, title: None, description, required: Some(required) });
        self
    }

    /// Suggests values for an argument while it is being typed. What the function may return: see
    /// [`IntoCompletions`].
    pub fn complete<F, Fut>(mut self, argument: impl Into<String>, function: F) -> Self
    where
        F: Fn(Partial, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoCompletions> + Send + 'static,
    {
        self.completers.push((argument.into(), completer(function)));
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

    /// A client capability that is checked before the function runs.
    pub fn needs(mut self, capability: Capability) -> Self {
        self.needs.push(capability);
        self
    }

    /// The function sends log messages to the client: the server declares the (deprecated) `logging` capability.
    pub fn logs(mut self) -> Self {
        self.logs = true;
        self
    }

    /// The function, which completes the prompt. What it may return: see [`IntoMessages`].
    ///
    /// It gets the required arguments in any case, and none that the prompt doesn't know. A client that gives up ends
    /// the function at its next `.await`.
    #[track_caller]
    pub fn handler<F, Fut>(self, function: F) -> Prompt
    where
        F: Fn(Params, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoMessages> + Send + 'static,
    {
        let place = Location::caller();
        let function = Arc::new(function);
        Prompt {
            name: self.name,
            title: self.title,
            description: self.description,
            arguments: self.arguments,
            icons: self.icons,
            meta: self.meta,
            needs: self.needs,
            requires: Requirement::default(),
            logs: self.logs,
            completers: self.completers,
            place: format!("{}:{}", place.file(), place.line()),
            // Called inside the future, so that whatever the function does there is contained.
            filler: Arc::new(move |params, context| {
                let function = Arc::clone(&function);
                Box::pin(async move { function(params, context).await.into_messages() })
            }),
        }
    }
}
