//! What a prompt is: its definition together with the function that fills it in.

mod builder;
mod messages;

use std::sync::Arc;

use futures_util::future::BoxFuture;
use haft_wire::{GetPromptResult, Icon, PromptArgument};
use serde_json::{Map, Value};

use crate::completion::{Completer, IntoCompletions, Partial, completer};
use crate::error::RequestError;
use crate::params::Params;
use crate::server::{Context, Requirement};
use crate::tool::Capability;

pub use builder::PromptBuilder;
pub use messages::IntoMessages;

/// The function behind a prompt, with its types erased.
pub(crate) type Filler =
    Arc<dyn Fn(Params, Context) -> BoxFuture<'static, Result<GetPromptResult, RequestError>> + Send + Sync>;

/// A prompt: messages that a user can choose, often as a slash command, and fill in.
///
/// ```
/// use haft::prelude::*;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let review = Prompt::builder("code_review")
///     .description("Asks for a review of some code.")
///     .required("code", "The code to review")
///     .optional("focus", "What to look at most")
///     .handler(|params, _context| async move {
///         let focus = params.get("focus").unwrap_or("anything that is wrong");
///         format!("Review this code. Look for {focus}.\n\n{}", params.text("code"))
///     });
///
/// let server = Server::new("reviews", "1.0.0").prompt(review).build()?;
/// let result = server.get_prompt("code_review", [("code", "1 + 1")]).await?;
/// assert_eq!(result.messages.len(), 1);
///
/// // Arguments are checked before the function runs.
/// let refused = server.get_prompt("code_review", [("cod", "1 + 1")]).await.unwrap_err();
/// assert!(refused.message().contains("`code` is missing"));
/// # Ok(())
/// # }
/// ```
///
/// [`#[prompt]`](macro@crate::prompt) makes one from a function. Nothing about it is checked before [`ServerBuilder::build`](crate::ServerBuilder::build).
///
/// spec: `server/prompts#prompt`
#[derive(Clone)]
pub struct Prompt {
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) arguments: Vec<PromptArgument>,
    pub(crate) icons: Vec<Icon>,
    pub(crate) meta: Map<String, Value>,
    pub(crate) needs: Vec<Capability>,
    pub(crate) requires: Requirement,
    pub(crate) logs: bool,
    pub(crate) completers: Vec<(String, Completer)>,
    pub(crate) place: String,
    pub(crate) filler: Filler,
}

impl Prompt {
    /// Starts a prompt of this name: 1 to 128 letters, digits, `_`, `-` or `.` (ASCII), since hosts make commands of it.
    pub fn builder(name: impl Into<String>) -> PromptBuilder {
        PromptBuilder::new(name.into())
    }

    /// Suggests values for an argument while it is being typed, as [`PromptBuilder::complete`] does: for prompts made by
    /// [`#[prompt]`](macro@crate::prompt).
    #[must_use]
    pub fn complete<F, Fut>(mut self, argument: impl Into<String>, function: F) -> Self
    where
        F: Fn(Partial, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoCompletions> + Send + 'static,
    {
        self.completers.push((argument.into(), completer(function)));
        self
    }

    /// The scopes that a caller needs, all of them, as for a [tool](crate::ToolBuilder::scopes): without them it is not in
    /// lists, and a request for it is refused with 401 or 403.
    ///
    /// spec: `basic/authorization#scope-challenge-handling`
    #[must_use]
    pub fn scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.requires.scopes.extend(scopes.into_iter().map(Into::into));
        self
    }

    /// Shows it in lists to callers without its scopes.
    #[must_use]
    pub fn listed(mut self) -> Self {
        self.requires.listed = true;
        self
    }

    /// The prompt's name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl std::fmt::Debug for Prompt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prompt").field("name", &self.name).field("place", &self.place).finish_non_exhaustive()
    }
}
