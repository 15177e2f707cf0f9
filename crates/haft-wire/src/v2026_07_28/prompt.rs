use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{CacheScope, ContentBlock, Icon, Meta, ResultType, Role, result};
use crate::{ErrorObject, fields, order};

/// A prompt that a user can choose, spec: server/prompts#prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prompt {
    /// Name for programs.
    pub name: String,
    /// Name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is good for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What it is filled in with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<PromptArgument>,
    /// Pictures of it.
    #[serde(default, deserialize_with = "fields::lenient_list", skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
    /// Whatever else.
    #[serde(
        rename = "_meta",
        default,
        serialize_with = "order::optional_map",
        skip_serializing_if = "Option::is_none"
    )]
    pub meta: Option<Meta>,
}

/// An argument of a prompt. Its values are strings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptArgument {
    /// Name for programs.
    pub name: String,
    /// Name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What to give.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether the prompt can't do without it. Absent means that it can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
}

/// One message of a prompt, spec: server/prompts#promptmessage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PromptMessage {
    /// Who speaks.
    pub role: Role,
    /// What they say: one block.
    pub content: ContentBlock,
}

impl PromptMessage {
    /// What the user says. A string is a text block.
    pub fn user(content: impl Into<ContentBlock>) -> Self {
        PromptMessage { role: Role::User, content: content.into() }
    }

    /// What the model says. A string is a text block.
    pub fn assistant(content: impl Into<ContentBlock>) -> Self {
        PromptMessage { role: Role::Assistant, content: content.into() }
    }
}

/// Parameters of `prompts/get`, without their `_meta`, spec: server/prompts#getting-a-prompt.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GetPromptParams {
    /// Which prompt; case matters.
    pub name: String,
    /// Its arguments, as they were sent. By the protocol their values are strings; whoever fills in the prompt checks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<BTreeMap<String, Box<RawValue>>>,
    /// Answers to the input requests of an earlier result, by their keys, spec: basic/patterns/mrtr.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_responses: Option<BTreeMap<String, Box<RawValue>>>,
    /// The `requestState` of that result, unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_state: Option<String>,
}

impl GetPromptParams {
    /// Asks for the named prompt, without arguments.
    pub fn new(name: impl Into<String>) -> Self {
        GetPromptParams { name: name.into(), arguments: None, input_responses: None, request_state: None }
    }

    /// Reads them from a request. `null` members read as absent.
    ///
    /// # Errors
    ///
    /// -32602 if `name` is missing or not a string, if `arguments` or `inputResponses` is not an object, or if
    /// `requestState` is not a string.
    pub fn read(params: Option<&RawValue>) -> Result<Self, ErrorObject> {
        #[derive(Default, Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Members<'a> {
            #[serde(borrow, default)]
            name: Option<&'a RawValue>,
            #[serde(borrow, default)]
            arguments: Option<&'a RawValue>,
            #[serde(borrow, default)]
            input_responses: Option<&'a RawValue>,
            #[serde(borrow, default)]
            request_state: Option<&'a RawValue>,
        }
        const NAME: &str = "a string, the name of a prompt";
        let members: Members<'_> = fields::members(params)?;
        Ok(GetPromptParams {
            name: fields::member(members.name, "name", NAME)?.ok_or_else(|| fields::missing("name", NAME))?,
            arguments: fields::member(members.arguments, "arguments", "an object")?,
            input_responses: fields::member(members.input_responses, "inputResponses", "an object")?,
            request_state: fields::member(members.request_state, "requestState", "a string")?,
        })
    }
}

/// The result of `prompts/get`, spec: server/prompts#getting-a-prompt.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GetPromptResult {
    /// Complete.
    #[serde(default)]
    pub result_type: ResultType,
    /// What the prompt is good for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The messages, to be put before the model in this order.
    pub messages: Vec<PromptMessage>,
    /// Has [`SERVER_INFO`](super::meta::SERVER_INFO), as a rule.
    #[serde(
        rename = "_meta",
        default,
        serialize_with = "order::optional_map",
        skip_serializing_if = "Option::is_none"
    )]
    pub meta: Option<Meta>,
}

impl GetPromptResult {
    /// A result with these messages only.
    pub fn new(messages: impl IntoIterator<Item = PromptMessage>) -> Self {
        GetPromptResult { messages: messages.into_iter().collect(), ..GetPromptResult::default() }
    }
}

/// The result of `prompts/list`, spec: server/prompts#listing-prompts.
///
/// `T` is a prompt's definition; a server that has their text ready sends `&RawValue`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListPromptsResult<T = Prompt> {
    /// Complete.
    #[serde(default)]
    pub result_type: ResultType,
    /// One page of prompts.
    pub prompts: Vec<T>,
    /// The cursor of the next page, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// How long the page stays fresh, in milliseconds.
    #[serde(default, deserialize_with = "result::ttl")]
    pub ttl_ms: u64,
    /// Who may keep it.
    #[serde(default, deserialize_with = "result::scope")]
    pub cache_scope: CacheScope,
    /// Has [`SERVER_INFO`](super::meta::SERVER_INFO), as a rule.
    #[serde(
        rename = "_meta",
        default,
        serialize_with = "order::optional_map",
        skip_serializing_if = "Option::is_none"
    )]
    pub meta: Option<Meta>,
}
