use haft_wire::{CreateMessageResult, Root, strict};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::ask::{Ask, AskError, AskErrorKind};
use super::question::{self, CreateMessage, Needs, Question};
use super::{Asking, Questions};
use crate::form::Form;
use crate::server::Context;

/// Asking in mid-call.
///
/// A call whose question has no answer yet **ends** there, with the question as its result; once the client has the
/// answer it sends the call again, and **the function runs again from the top**, this time past the question. So ask
/// before you act: what stands above a question happens once per round. Every question has a key; keys are unique within
/// a call, and the same key is the same question: it is answered once.
///
/// - Questions that are asked together travel together: [`ask_all`](Context::ask_all), or joined futures.
/// - A question is never an error: it stays pending, and nothing after it runs. Hence the one limit: in a `select!` with
///   a branch that is ready, that branch wins and the question isn't asked.
/// - What earlier rounds answered travels with the client, sealed and bound to this caller and these arguments. It stands:
///   another answer to the same question, sent later, is ignored.
/// - An answer that doesn't fit its form is asked for again. Decline and cancel are an [`AskError`], which `?` turns into
///   a sentence for the model.
/// - An answer belongs to its key, not to the words of the question. Put what the user was shown (a price, a list of
///   files) into [`set_state`](Context::set_state) if it may have changed by the next round.
/// - A client with a session (of a revision before 2026-07-28) answers while the call waits: the function goes on from
///   there, and doesn't run again. A function that is right in rounds is right there, too.
/// - State isn't single-use: within its lifetime a client can send the same round twice. What must happen once has to
///   be recorded where it happens.
///
/// Only the call's own future may ask: not a task that it spawns, not a plain `fn`.
///
/// spec: `basic/patterns/mrtr`
impl Context {
    /// Asks the user to fill in a form.
    ///
    /// `T` is a struct with `#[derive(Form)]`, or one field's value: text, a number, a boolean, an enum with
    /// `#[derive(Form)]`, a `Vec` of its variants. Never ask for passwords, keys or payment data: these need
    /// [`ask_url`](Context::ask_url).
    ///
    /// ```
    /// use haft::prelude::*;
    /// use serde_json::json;
    ///
    /// #[derive(Form, Debug)]
    /// enum Size {
    ///     #[form(rename = "s", title = "Small")]
    ///     Small,
    ///     #[form(rename = "l", title = "Large")]
    ///     Large,
    /// }
    ///
    /// /// Use this to order a shirt. Asks the user for the size.
    /// #[tool(additive, closed_world)]
    /// async fn order_shirt(context: Context) -> Result<String, ToolError> {
    ///     let size: Size = context.ask("size", "Which size?").await?;
    ///     Ok(format!("Ordered: {size:?}."))
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = Server::new("shop", "1.0.0").tool(order_shirt::tool()).build()?;
    /// let answers = json!({"size": {"action": "accept", "content": {"size": "l"}}});
    /// let result = server.call_tool_answering("order_shirt", json!({}), answers).await?;
    /// assert_eq!(result.text(), "Ordered: Large.");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The user declined or cancelled; the client has no forms.
    ///
    /// spec: `client/elicitation#form-mode-elicitation-requests`
    pub fn ask<T: Form>(&self, key: impl Into<String>, message: impl Into<String>) -> Ask<T> {
        Ask::new(self.asking(), Question::form::<T>(key.into(), message.into()), question::read_form::<T>)
    }

    /// Sends the user to a URL, for what must not pass through the client: credentials, payments, consent elsewhere.
    ///
    /// The answer says that the user agreed to go there, not that anything is done: look that up, and ask again under
    /// another key or tell the model to call again later. The URL must hold nothing secret and nothing personal, and
    /// whoever opens it must be made to prove that they are the user who calls.
    ///
    /// # Errors
    /// The user declined or cancelled; the client opens no URLs; `url` isn't `https:` (or `http:`, for development).
    ///
    /// spec: `client/elicitation#url-mode-elicitation-requests`
    pub fn ask_url(&self, key: impl Into<String>, message: impl Into<String>, url: impl Into<String>) -> Ask<()> {
        Ask::new(self.asking(), Question::url(key.into(), message.into(), url.into()), question::read_url)
    }

    /// Asks the client's model. The specification deprecates this; new servers call a model themselves.
    ///
    /// # Errors
    /// The client has no sampling; a message is neither text nor image nor audio.
    ///
    /// spec: `client/sampling#creating-messages`
    pub fn sample(&self, key: impl Into<String>, message: CreateMessage) -> Ask<CreateMessageResult> {
        Ask::new(self.asking(), Question::sampling(key.into(), message), question::read_message)
    }

    /// Asks which directories the client works on. The specification deprecates this; take paths as arguments.
    ///
    /// # Errors
    /// The client has no roots.
    ///
    /// spec: `client/roots#listing-roots`
    pub fn roots(&self, key: impl Into<String>) -> Ask<Vec<Root>> {
        Ask::new(self.asking(), Question::roots(key.into()), question::read_roots)
    }

    /// Puts several questions in one round: a tuple of up to eight, or a `Vec` of one kind.
    ///
    /// ```
    /// use haft::prelude::*;
    /// use serde_json::json;
    ///
    /// /// Use this to wrap a present. Asks the user how.
    /// #[tool(additive, closed_world)]
    /// async fn wrap(context: Context) -> Result<String, ToolError> {
    ///     let (ribbon, layers) = context
    ///         .ask_all((context.ask::<bool>("ribbon", "With a ribbon?"), context.ask::<u8>("layers", "How many layers?")))
    ///         .await?;
    ///     Ok(format!("{layers} layers, ribbon: {ribbon}"))
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = Server::new("shop", "1.0.0").tool(wrap::tool()).build()?;
    /// let answers = json!({
    ///     "ribbon": {"action": "accept", "content": {"ribbon": true}},
    ///     "layers": {"action": "accept", "content": {"layers": 2}},
    /// });
    /// let result = server.call_tool_answering("wrap", json!({}), answers).await?;
    /// assert_eq!(result.text(), "2 layers, ribbon: true");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The first error, in the order of the questions, once all are answered. To look at each, join the futures.
    pub async fn ask_all<Q: Questions>(&self, questions: Q) -> Result<Q::Answers, AskError> {
        questions.all().await
    }

    /// What [`set_state`](Context::set_state) kept in an earlier round, or earlier in this one. `None` in the first round,
    /// and where it doesn't make a `T` (an older version of the tool may have set it).
    pub fn state<T: DeserializeOwned>(&self) -> Option<T> {
        let state = self.asking().lock().state.clone()?;
        match serde_json::from_str(state.get()) {
            Ok(state) => Some(state),
            Err(error) => {
                tracing::warn!(tool = self.tool(), %error, "the state of an earlier round has another type");
                None
            }
        }
    }

    /// Keeps a value for the next rounds of this call. It travels with the client, sealed: no one else can read or change
    /// it, and it comes back only with the same arguments from the same caller, until it expires.
    ///
    /// Once it is set, questions take only answers that come with it.
    ///
    /// # Errors
    /// [`AskErrorKind::Misused`] where the value isn't JSON (NaN, maps whose keys aren't text).
    pub fn set_state<T: Serialize>(&self, state: &T) -> Result<(), AskError> {
        let misused = |error: &dyn std::fmt::Display| {
            AskError::new("state", AskErrorKind::Misused, format!("the state is not JSON: {error}"))
        };
        let text = strict::to_string(state).map_err(|error| misused(&error))?;
        let state = RawValue::from_string(text).map_err(|error| misused(&error))?;
        let mut round = self.asking().lock();
        (round.state, round.state_set) = (Some(state), true);
        Ok(())
    }

    /// Whether the client shows forms to its user.
    pub fn can_ask(&self) -> bool {
        self.can(Needs::Form)
    }

    /// Whether the client sends its user to URLs.
    pub fn can_ask_url(&self) -> bool {
        self.can(Needs::Url)
    }

    /// Whether the client's model can be asked.
    pub fn can_sample(&self) -> bool {
        self.can(Needs::Sampling)
    }

    /// Whether the client says which directories it works on.
    pub fn can_list_roots(&self) -> bool {
        self.can(Needs::Roots)
    }

    fn can(&self, needs: Needs) -> bool {
        needs.met_by(&self.asking().shared.client)
    }
}

impl std::fmt::Debug for Asking {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Asking").finish_non_exhaustive()
    }
}
