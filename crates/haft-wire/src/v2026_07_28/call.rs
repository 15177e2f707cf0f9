use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{ContentBlock, Meta, ResultType};
use crate::{ErrorObject, ReadError, fields, order};

/// Parameters of `tools/call`, without their `_meta`, spec: server/tools#calling-tools.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CallToolParams {
    /// Which tool; case matters.
    pub name: String,
    /// A JSON object, as it was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Box<RawValue>>,
    /// Answers to the input requests of an earlier result, by their keys, spec: basic/patterns/mrtr.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_responses: Option<BTreeMap<String, Box<RawValue>>>,
    /// The `requestState` of that result, unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_state: Option<String>,
}

impl CallToolParams {
    /// A call of the named tool without arguments.
    pub fn new(name: impl Into<String>) -> Self {
        CallToolParams { name: name.into(), arguments: None, input_responses: None, request_state: None }
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
        const NAME: &str = "a string, the name of a tool";
        let members: Members<'_> = fields::members(params)?;
        Ok(CallToolParams {
            name: fields::member(members.name, "name", NAME)?.ok_or_else(|| fields::missing("name", NAME))?,
            arguments: fields::object(members.arguments, "arguments")?,
            input_responses: fields::member(members.input_responses, "inputResponses", "an object")?,
            request_state: fields::member(members.request_state, "requestState", "a string")?,
        })
    }
}

/// What a tool gives back, spec: server/tools#tool-result.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallToolResult {
    /// Complete.
    #[serde(default)]
    pub result_type: ResultType,
    /// For a model or a person.
    #[serde(default)]
    pub content: Vec<ContentBlock>,
    /// For a program: any JSON value. `null` is one, and not the same as none.
    #[serde(default, deserialize_with = "fields::present", skip_serializing_if = "Option::is_none")]
    pub structured_content: Option<Box<RawValue>>,
    /// The call failed and `content` says why, to the model. Absent means that it didn't.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
    /// Has [`SERVER_INFO`](super::meta::SERVER_INFO), as a rule.
    #[serde(
        rename = "_meta",
        default,
        serialize_with = "order::optional_map",
        skip_serializing_if = "Option::is_none"
    )]
    pub meta: Option<Meta>,
}

impl CallToolResult {
    /// A result with this content only.
    pub fn new(content: impl IntoIterator<Item = ContentBlock>) -> Self {
        CallToolResult { content: content.into_iter().collect(), ..CallToolResult::default() }
    }

    /// A failure that the model is told of in these words, spec: server/tools#error-handling.
    pub fn error(text: impl Into<String>) -> Self {
        CallToolResult { is_error: Some(true), ..CallToolResult::new([ContentBlock::text(text)]) }
    }

    /// The text blocks, a line break between them.
    pub fn text(&self) -> String {
        let texts = self.content.iter().filter_map(|block| match block {
            ContentBlock::Text(text) => Some(text.text.as_str()),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }
}

/// The server needs answers before it goes on, spec: basic/patterns/mrtr#inputrequiredresult.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InputRequiredResult {
    /// Input required.
    #[serde(default = "input_required")]
    pub result_type: ResultType,
    /// What it asks, by keys of its own: requests without id and envelope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_requests: Option<BTreeMap<String, Box<RawValue>>>,
    /// To be sent back as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_state: Option<String>,
    /// Has [`SERVER_INFO`](super::meta::SERVER_INFO), as a rule.
    #[serde(
        rename = "_meta",
        default,
        serialize_with = "order::optional_map",
        skip_serializing_if = "Option::is_none"
    )]
    pub meta: Option<Meta>,
}

impl Default for InputRequiredResult {
    fn default() -> Self {
        InputRequiredResult { result_type: input_required(), input_requests: None, request_state: None, meta: None }
    }
}

fn input_required() -> ResultType {
    ResultType::InputRequired
}

/// What came back from `tools/call`.
#[derive(Debug, Clone)]
pub enum CallToolOutcome {
    /// The tool is done.
    Complete(CallToolResult),
    /// The server asks first.
    InputRequired(InputRequiredResult),
    /// A result of a type that this revision doesn't define; invalid unless an extension explains it.
    Other {
        /// Its `resultType`.
        result_type: String,
        /// All of it.
        result: Box<RawValue>,
    },
}

impl CallToolOutcome {
    /// Reads the `result` of a response.
    ///
    /// # Errors
    ///
    /// If a member has the wrong type.
    pub fn read(result: &RawValue) -> Result<Self, ReadError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Type {
            #[serde(default)]
            result_type: ResultType,
        }
        fn read<T: for<'de> Deserialize<'de>>(result: &RawValue) -> Result<T, ReadError> {
            serde_json::from_str(result.get()).map_err(|error| ReadError::new("the result of tools/call", error))
        }
        Ok(match read::<Type>(result)?.result_type {
            ResultType::Complete => CallToolOutcome::Complete(read(result)?),
            ResultType::InputRequired => CallToolOutcome::InputRequired(read(result)?),
            ResultType::Other(result_type) => CallToolOutcome::Other { result_type, result: result.to_owned() },
        })
    }
}
