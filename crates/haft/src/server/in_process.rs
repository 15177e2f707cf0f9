//! Requests that come from this process: a server called as a function, for tests and for embedding.

use haft_wire::{
    CompleteParams, Completion, CompletionArgument, CompletionReference, GetPromptResult, ReadResourceResult,
    RequestId, RequestMeta,
};
use serde_json::value::to_raw_value;

use super::dispatch::{Exchange, Stop};
use super::mrtr::Inputs;
use super::{Cancellation, Outbound, Principal, Server, completion, prompts, resources};
use crate::error::ProtocolError;

/// Without a transport in between.
impl Server {
    /// Reads a resource in this process: found and checked like any other read, with no transport in between.
    ///
    /// # Errors
    /// What a client would get as a JSON-RPC error.
    pub async fn read_resource(&self, uri: &str) -> Result<ReadResourceResult, ProtocolError> {
        resources::read(self.exchange(), uri, Inputs::default()).await.map_err(failure)
    }

    /// Fills in a prompt in this process: found and checked like for any other client, with no transport in between.
    ///
    /// # Errors
    /// What a client would get as a JSON-RPC error.
    pub async fn get_prompt<K: Into<String>, V: Into<String>>(
        &self,
        name: &str,
        arguments: impl IntoIterator<Item = (K, V)>,
    ) -> Result<GetPromptResult, ProtocolError> {
        let written = |(name, value): (K, V)| Ok((name.into(), to_raw_value(&value.into())?));
        let arguments = arguments.into_iter().map(written).collect::<Result<_, serde_json::Error>>();
        let arguments = arguments.map_err(|error| ProtocolError::internal(error.to_string()))?;
        prompts::get(self.exchange(), name, arguments, Inputs::default()).await.map_err(failure)
    }

    /// Completes an argument of a prompt in this process.
    ///
    /// # Errors
    /// What a client would get as a JSON-RPC error.
    pub async fn complete_prompt(
        &self,
        prompt: &str,
        argument: &str,
        value: &str,
    ) -> Result<Completion, ProtocolError> {
        self.complete(CompletionReference::Prompt { name: prompt.to_owned(), title: None }, argument, value).await
    }

    /// Completes a variable of a resource template in this process.
    ///
    /// # Errors
    /// What a client would get as a JSON-RPC error.
    pub async fn complete_resource(
        &self,
        uri_template: &str,
        variable: &str,
        value: &str,
    ) -> Result<Completion, ProtocolError> {
        self.complete(CompletionReference::Resource { uri: uri_template.to_owned() }, variable, value).await
    }

    async fn complete(
        &self,
        reference: CompletionReference,
        name: &str,
        value: &str,
    ) -> Result<Completion, ProtocolError> {
        let argument = CompletionArgument { name: name.to_owned(), value: value.to_owned() };
        let params = CompleteParams { reference, argument, context: None };
        completion::complete(self.exchange(), params).await.map(|result| result.completion).map_err(failure)
    }

    /// A request by this process itself.
    pub(super) fn exchange(&self) -> Exchange<'_> {
        Exchange {
            server: self,
            id: &RequestId::Int(0),
            params: None,
            meta: RequestMeta::default(),
            principal: Principal::Local,
            cancellation: Cancellation::default(),
            outbound: Outbound::closed(),
            peer: None,
            observed: None,
        }
    }
}

pub(super) fn failure(stop: Stop) -> ProtocolError {
    match stop {
        Stop::Failed(error, _) => error,
        Stop::InputRequired(_) => ProtocolError::internal("this asks a client that cannot be asked"),
        Stop::Cancelled => ProtocolError::internal("the call was cancelled"),
    }
}
