use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use super::{ContentBlock, JsonObject, Meta, Role};
use crate::{fields, order};

/// What a user did with a question, spec: client/elicitation#response-actions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ElicitAction {
    /// Answered it, or agreed to go to the URL.
    Accept,
    /// Said no.
    Decline,
    /// Said nothing.
    Cancel,
}

/// The answer to an `elicitation/create`, spec: client/elicitation#response-actions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ElicitResult {
    /// What the user did.
    pub action: ElicitAction,
    /// What the form holds, once it was accepted.
    #[serde(default, serialize_with = "order::optional_map", skip_serializing_if = "Option::is_none")]
    pub content: Option<JsonObject>,
}

/// Parameters of `sampling/createMessage`, spec: client/sampling#creating-messages.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateMessageParams {
    /// The conversation so far.
    pub messages: Vec<SamplingMessage>,
    /// Which model suits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_preferences: Option<ModelPreferences>,
    /// The system prompt that the server would like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// The temperature.
    #[serde(serialize_with = "fields::optional_number", skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// The most tokens of the answer.
    pub max_tokens: u32,
    /// Texts at which the answer ends.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stop_sequences: Vec<String>,
}

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SamplingMessage {
    /// Who speaks.
    pub role: Role,
    /// Text, a picture or a recording; no other block may stand here.
    pub content: ContentBlock,
}

/// Which model suits, spec: client/sampling#model-preferences. Priorities are from 0 to 1.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelPreferences {
    /// Names of models, or parts of them, the best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<ModelHint>,
    /// How much a low price matters.
    #[serde(serialize_with = "fields::optional_number", skip_serializing_if = "Option::is_none")]
    pub cost_priority: Option<f64>,
    /// How much a quick answer matters.
    #[serde(serialize_with = "fields::optional_number", skip_serializing_if = "Option::is_none")]
    pub speed_priority: Option<f64>,
    /// How much ability matters.
    #[serde(serialize_with = "fields::optional_number", skip_serializing_if = "Option::is_none")]
    pub intelligence_priority: Option<f64>,
}

/// Part of a model's name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ModelHint {
    /// It.
    pub name: String,
}

/// What the client's model said, spec: client/sampling#creating-messages.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateMessageResult {
    /// Who speaks: the assistant.
    pub role: Role,
    /// One block or several, as they came.
    #[serde(deserialize_with = "one_or_many")]
    pub content: Vec<ContentBlock>,
    /// The model's name.
    pub model: String,
    /// Why it ended, such as `endTurn` or `maxTokens`.
    #[serde(default, deserialize_with = "fields::lenient")]
    pub stop_reason: Option<String>,
}

impl CreateMessageResult {
    /// The text blocks, a line break between them.
    pub fn text(&self) -> String {
        let texts = self.content.iter().filter_map(|block| match block {
            ContentBlock::Text(text) => Some(text.text.as_str()),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }
}

fn one_or_many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<ContentBlock>, D::Error> {
    let raw = Box::<RawValue>::deserialize(deserializer)?;
    let read = if raw.get().starts_with('[') {
        serde_json::from_str(raw.get())
    } else {
        serde_json::from_str(raw.get()).map(|block| vec![block])
    };
    read.map_err(serde::de::Error::custom)
}

/// The answer to a `roots/list`, spec: client/roots#listing-roots.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ListRootsResult {
    /// The roots.
    pub roots: Vec<Root>,
}

/// A directory or file that the client works on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Root {
    /// A `file://` URI. Not verified: check it before you use it.
    pub uri: String,
    /// Its name for people.
    #[serde(default, deserialize_with = "fields::lenient", skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whatever else.
    #[serde(
        rename = "_meta",
        default,
        serialize_with = "order::optional_map",
        skip_serializing_if = "Option::is_none"
    )]
    pub meta: Option<Meta>,
}
