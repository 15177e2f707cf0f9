//! Completion of what a user is typing: an argument of a prompt, a variable of a resource template.

use std::future::Future;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use haft_wire::Completion;

use crate::error::{IntoRequestError, RequestError};
use crate::params::Params;
use crate::server::Context;

type Running = BoxFuture<'static, Result<Completions, RequestError>>;

/// The function that completes one argument, with its types erased.
#[derive(Clone)]
pub(crate) struct Completer {
    run: Arc<dyn Fn(Partial, Context) -> Running + Send + Sync>,
}

impl Completer {
    pub(crate) fn run(&self, partial: Partial, context: Context) -> Running {
        (self.run)(partial, context)
    }
}

impl std::fmt::Debug for Completer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Completer").finish_non_exhaustive()
    }
}

/// Erases the function's types. It is called inside the future, so that whatever it does there is contained.
pub(crate) fn completer<F, Fut>(function: F) -> Completer
where
    F: Fn(Partial, Context) -> Fut + Send + Sync + 'static,
    Fut: Future<Output: IntoCompletions> + Send + 'static,
{
    let function = Arc::new(function);
    Completer {
        run: Arc::new(move |partial, context| {
            let function = Arc::clone(&function);
            Box::pin(async move { function(partial, context).await.into_completions() })
        }),
    }
}

/// What a user has typed so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Partial {
    value: String,
    resolved: Params,
}

impl Partial {
    pub(crate) fn new(value: String, resolved: Params) -> Self {
        Self { value, resolved }
    }

    /// What there is of the value; empty before the first key.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// The other arguments, where the client says that they have a value already.
    pub fn resolved(&self) -> &Params {
        &self.resolved
    }

    /// Of these candidates, those that begin with what was typed, then those that have it elsewhere. Case doesn't
    /// matter; within each group the order stays.
    ///
    /// ```
    /// use haft::prelude::*;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let review = Prompt::builder("review")
    ///     .required("language", "The language that the code is written in")
    ///     .complete("language", |partial, _context| async move {
    ///         partial.filter(["Rust", "Python", "TypeScript", "JavaScript"])
    ///     })
    ///     .handler(|params, _context| async move { format!("Review this {} code.", params.text("language")) });
    ///
    /// let server = Server::new("reviews", "1.0.0").prompt(review).build()?;
    /// let completion = server.complete_prompt("review", "language", "script").await?;
    /// assert_eq!(completion.values, ["TypeScript", "JavaScript"]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn filter<S: Into<String>>(&self, candidates: impl IntoIterator<Item = S>) -> Vec<String> {
        let typed = self.value.to_lowercase();
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for candidate in candidates {
            let candidate = candidate.into();
            match candidate.to_lowercase().find(&typed) {
                Some(0) => first.push(candidate),
                Some(_) => second.push(candidate),
                None => {}
            }
        }
        first.append(&mut second);
        first
    }
}

/// Suggested values, the best first.
///
/// At most 100 are sent. Unless said by [`Completions::total`], there are as many as were given.
///
/// spec: `server/utilities/completion#completion-results`
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Completions {
    values: Vec<String>,
    total: Option<u64>,
}

impl Completions {
    /// These values.
    pub fn new<S: Into<String>>(values: impl IntoIterator<Item = S>) -> Self {
        Self { values: values.into_iter().map(Into::into).collect(), total: None }
    }

    /// How many there are in all, where these are only the first of them.
    #[must_use]
    pub fn total(mut self, total: u64) -> Self {
        self.total = Some(total);
        self
    }

    /// As they go out.
    pub(crate) fn into_wire(mut self) -> Completion {
        let given = u64::try_from(self.values.len()).unwrap_or(u64::MAX);
        self.values.truncate(Completion::MOST);
        let sent = u64::try_from(self.values.len()).unwrap_or(u64::MAX);
        let total = self.total.unwrap_or(given).max(given);
        Completion { values: self.values, total: Some(total), has_more: Some(total > sent) }
    }
}

/// What a function that completes an argument may return: [`Completions`], a `Vec` of strings, or a `Result` of either.
#[diagnostic::on_unimplemented(
    message = "an argument cannot be completed with `{Self}`",
    label = "not a list of suggested values",
    note = "choices: `Vec<String>`, `Vec<&'static str>`, `Completions`, or `Result<any of these, RequestError>`"
)]
pub trait IntoCompletions {
    /// The suggestions.
    ///
    /// # Errors
    /// The function's own error.
    fn into_completions(self) -> Result<Completions, RequestError>;
}

impl IntoCompletions for Completions {
    fn into_completions(self) -> Result<Completions, RequestError> {
        Ok(self)
    }
}

impl IntoCompletions for Vec<String> {
    fn into_completions(self) -> Result<Completions, RequestError> {
        Ok(Completions::new(self))
    }
}

impl IntoCompletions for Vec<&'static str> {
    fn into_completions(self) -> Result<Completions, RequestError> {
        Ok(Completions::new(self))
    }
}

impl<T: IntoCompletions, E: IntoRequestError> IntoCompletions for Result<T, E> {
    fn into_completions(self) -> Result<Completions, RequestError> {
        self.map_err(IntoRequestError::into_request_error)?.into_completions()
    }
}
