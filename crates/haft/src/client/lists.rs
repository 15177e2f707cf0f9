use std::collections::BTreeMap;

use haft_wire::{
    CompleteParams, CompleteResult, Completion, CompletionArgument, CompletionReference, GetPromptParams,
    GetPromptResult, Prompt, ReadResourceParams, ReadResourceResult, Resource, ResourceTemplate, method,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};

use super::error::{ClientError, ErrorKind};
use super::frames::First;
use super::link::Mirrored;
use super::rounds::How;
use super::{CallOptions, Client, Inner};
use crate::members::Members;

/// Resources, prompts and completion.
impl Client {
    /// All resources of the server, from all pages. Definitions that can't be read are logged and left out.
    ///
    /// # Errors
    /// See [`ErrorKind`].
    pub async fn list_resources(&self) -> Result<Vec<Resource>, ClientError> {
        self.inner.list(method::RESOURCES_LIST, "resources").await
    }

    /// All resource templates of the server, as [`list_resources`](Client::list_resources) has resources.
    ///
    /// # Errors
    /// See [`ErrorKind`].
    pub async fn list_resource_templates(&self) -> Result<Vec<ResourceTemplate>, ClientError> {
        self.inner.list(method::RESOURCES_TEMPLATES_LIST, "resourceTemplates").await
    }

    /// All prompts of the server, as [`list_resources`](Client::list_resources) has resources.
    ///
    /// # Errors
    /// See [`ErrorKind`].
    pub async fn list_prompts(&self) -> Result<Vec<Prompt>, ClientError> {
        self.inner.list(method::PROMPTS_LIST, "prompts").await
    }

    /// Reads a resource.
    ///
    /// # Errors
    /// See [`ErrorKind`].
    pub async fn read_resource(&self, uri: &str) -> Result<ReadResourceResult, ClientError> {
        let mirrored = named(method::RESOURCES_READ, uri);
        let how = How::of(CallOptions::default(), self.inner.settings.timeout);
        let params = ReadResourceParams::new(uri);
        let result = self.inner.request_in_rounds(params, &mirrored, &how).await?.complete(&mirrored.method)?;
        read(method::RESOURCES_READ, &result)
    }

    /// Has a prompt filled in.
    ///
    /// # Errors
    /// See [`ErrorKind`].
    pub async fn get_prompt<K: Into<String>, V: Into<String>>(
        &self,
        name: &str,
        arguments: impl IntoIterator<Item = (K, V)>,
    ) -> Result<GetPromptResult, ClientError> {
        let written = |(name, value): (K, V)| Ok((name.into(), to_raw_value(&value.into())?));
        let arguments: Result<BTreeMap<_, _>, serde_json::Error> = arguments.into_iter().map(written).collect();
        let arguments = arguments.map_err(|error| ClientError::new(ErrorKind::Encoding, error.to_string()))?;
        let arguments = Some(arguments).filter(|arguments| !arguments.is_empty());
        let params = GetPromptParams { arguments, ..GetPromptParams::new(name) };
        let mirrored = named(method::PROMPTS_GET, name);
        let how = How::of(CallOptions::default(), self.inner.settings.timeout);
        let result = self.inner.request_in_rounds(params, &mirrored, &how).await?.complete(&mirrored.method)?;
        read(method::PROMPTS_GET, &result)
    }

    /// What an argument of a prompt may be that begins with `value`.
    ///
    /// # Errors
    /// See [`ErrorKind`].
    pub async fn complete_prompt(&self, prompt: &str, argument: &str, value: &str) -> Result<Completion, ClientError> {
        let reference = CompletionReference::Prompt { name: prompt.to_owned(), title: None };
        self.inner.complete(reference, argument, value).await
    }

    /// What a variable of a resource template may be that begins with `value`.
    ///
    /// # Errors
    /// See [`ErrorKind`].
    pub async fn complete_resource(
        &self,
        uri_template: &str,
        variable: &str,
        value: &str,
    ) -> Result<Completion, ClientError> {
        let reference = CompletionReference::Resource { uri: uri_template.to_owned() };
        self.inner.complete(reference, variable, value).await
    }
}

impl Inner {
    async fn list<T: DeserializeOwned>(&self, method: &str, member: &str) -> Result<Vec<T>, ClientError> {
        let mut list = Vec::new();
        for page in self.pages(method).await? {
            let Some(page) = Members::read(&page) else {
                return Err(ClientError::invalid(format!("the result of {method} is no object")));
            };
            let Some(items) = page.get(member) else {
                return Err(ClientError::invalid(format!("the result of {method} has no `{member}`")));
            };
            let First { elements, more } = read(method, items)?;
            if more > 0 {
                tracing::warn!(method, more, "there are more definitions than are taken from one server");
            }
            for item in elements {
                match serde_json::from_str(item.get()) {
                    Ok(item) => list.push(item),
                    Err(error) => tracing::warn!(method, %error, "a definition can't be read and is left out"),
                }
            }
        }
        Ok(list)
    }

    async fn complete(
        &self,
        reference: CompletionReference,
        name: &str,
        value: &str,
    ) -> Result<Completion, ClientError> {
        let argument = CompletionArgument { name: name.to_owned(), value: value.to_owned() };
        let params = CompleteParams { reference, argument, context: None };
        let mirrored = Mirrored { method: method::COMPLETION_COMPLETE.to_owned(), ..Mirrored::default() };
        let how = How::of(CallOptions::default(), self.settings.timeout);
        let result = self.request(&params, &mirrored, &how).await?;
        Ok(read::<CompleteResult>(method::COMPLETION_COMPLETE, &result)?.completion)
    }
}

fn named(method: &str, name: &str) -> Mirrored {
    Mirrored { method: method.to_owned(), name: Some(name.to_owned()), ..Mirrored::default() }
}

fn read<'a, T: Deserialize<'a>>(method: &str, result: &'a RawValue) -> Result<T, ClientError> {
    serde_json::from_str(result.get())
        .map_err(|error| ClientError::invalid(format!("the result of {method} breaks the protocol: {error}")))
}
