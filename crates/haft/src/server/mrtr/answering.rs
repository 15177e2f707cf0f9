use haft_wire::{CallToolResult, ClientCapabilities, ElicitationCapability, method};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

use super::{Answers, Asking, Inputs};
use crate::error::ProtocolError;
use crate::server::dispatch::{self, Exchange, Stop};
use crate::server::{Server, call, in_process};

/// Rounds after which a call that still asks is taken for one that never ends.
const MAX_ROUNDS: usize = 100;

impl Server {
    /// [`call_tool`](Server::call_tool) as a client that can be asked everything: `answers` has, by the keys of the
    /// questions, what it answers. Each round is a request of its own, as it would be over a transport.
    ///
    /// For tests of tools that ask:
    ///
    /// ```
    /// use haft::prelude::*;
    /// use serde_json::json;
    ///
    /// /// Use this to order a shirt.
    /// #[tool(additive, closed_world)]
    /// async fn order_shirt(context: Context) -> Result<String, ToolError> {
    ///     let size: String = context.ask("size", "Which size?").await?;
    ///     Ok(format!("Ordered in {size}."))
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = Server::new("shop", "1.0.0").tool(order_shirt::tool()).build()?;
    /// let answers = json!({"size": {"action": "accept", "content": {"size": "M"}}});
    /// let result = server.call_tool_answering("order_shirt", json!({}), answers).await?;
    /// assert_eq!(result.text(), "Ordered in M.");
    ///
    /// let result = server.call_tool_answering("order_shirt", json!({}), json!({"size": {"action": "decline"}})).await?;
    /// assert!(result.text().starts_with("The user declined"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As `call_tool`'s; besides, a question that `answers` has nothing for, or nothing that fits.
    pub async fn call_tool_answering(
        &self,
        name: &str,
        arguments: Value,
        answers: Value,
    ) -> Result<CallToolResult, ProtocolError> {
        let Value::Object(arguments) = arguments else { return Err(dispatch::not_an_object(&arguments)) };
        let mut inputs = Inputs::default();
        let mut asked: Vec<String> = Vec::new();
        for _ in 0..MAX_ROUNDS {
            let required = match self.round(name, &arguments, inputs).await {
                Ok(result) => return Ok(result),
                Err(Stop::InputRequired(required)) => required,
                Err(other) => return Err(in_process::failure(other)),
            };
            let mut responses = Answers::new();
            for (key, request) in required.input_requests.unwrap_or_default() {
                let answer =
                    answers.get(&key).filter(|_| !asked.contains(&key)).and_then(|answer| to_raw_value(answer).ok());
                let Some(answer) = answer else { return Err(unanswered(&key, &request)) };
                asked.push(key.clone());
                responses.insert(key, answer);
            }
            inputs = Inputs { responses: Some(responses), state: required.request_state };
        }
        Err(ProtocolError::internal(format!("{name} still asks after {MAX_ROUNDS} rounds")))
    }

    async fn round(&self, name: &str, arguments: &Map<String, Value>, inputs: Inputs) -> Result<CallToolResult, Stop> {
        let entry = self.inner.registry.now().tool(name, |_| true)?;
        let everything = ClientCapabilities {
            elicitation: Some(ElicitationCapability { form: Some(Map::new()), url: Some(Map::new()) }),
            sampling: Some(Default::default()),
            roots: Some(Map::new()),
            ..ClientCapabilities::default()
        };
        let mut exchange = self.exchange();
        exchange.meta.client_capabilities = Some(everything);
        let bound = to_raw_value(arguments).ok();
        let state = inputs.state.clone();
        let asking = Asking::open(&exchange, method::TOOLS_CALL, name.to_owned(), bound, inputs)?;
        exchange.server.use_up(state.as_deref()).await?;
        let Exchange { id, meta, principal, cancellation, outbound, .. } = exchange;
        let arguments = arguments.clone();
        let request = call::Request { arguments, id: id.clone(), meta, principal, cancellation, outbound, asking };
        call::call(self, &entry, request).await
    }
}

fn unanswered(key: &str, request: &RawValue) -> ProtocolError {
    ProtocolError::invalid_params(format!("the question {key:?} has no answer that fits: {request}"))
}
