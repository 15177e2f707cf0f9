use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{Meta, ResultType};
use crate::{ErrorObject, fields, order};

/// What has an argument to complete, spec: server/utilities/completion#reference-types.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum CompletionReference {
    /// A prompt.
    #[serde(rename = "ref/prompt")]
    Prompt {
        /// Its name.
        name: String,
        /// Its name for people.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<String>,
    },
    /// A resource template.
    #[serde(rename = "ref/resource")]
    Resource {
        /// The template, or a URI.
        uri: String,
    },
}

/// The argument that is being typed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompletionArgument {
    /// Its name.
    pub name: String,
    /// What there is of its value.
    pub value: String,
}

/// What else is known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompletionContext {
    /// The other arguments that have a value already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<BTreeMap<String, String>>,
}

/// Parameters of `completion/complete`, without their `_meta`, spec: server/utilities/completion#requesting-completions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CompleteParams {
    /// Whose argument.
    #[serde(rename = "ref")]
    pub reference: CompletionReference,
    /// Which argument.
    pub argument: CompletionArgument,
    /// What else is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<CompletionContext>,
}

impl CompleteParams {
    /// Reads them from a request.
    ///
    /// # Errors
    ///
    /// -32602 if `ref` or `argument` is missing, or any of them is not what the protocol says.
    pub fn read(params: Option<&RawValue>) -> Result<Self, ErrorObject> {
        #[derive(Default, Deserialize)]
        struct Members<'a> {
            #[serde(borrow, default, rename = "ref")]
            reference: Option<&'a RawValue>,
            #[serde(borrow, default)]
            argument: Option<&'a RawValue>,
            #[serde(borrow, default)]
            context: Option<&'a RawValue>,
        }
        const REFERENCE: &str =
            r#"{"type": "ref/prompt", "name": a string} or {"type": "ref/resource", "uri": a string}"#;
        const ARGUMENT: &str = r#"{"name": a string, "value": a string}"#;
        const CONTEXT: &str = r#"{"arguments": an object of strings}"#;
        let members: Members<'_> = fields::members(params)?;
        Ok(CompleteParams {
            reference: fields::struct_member(members.reference, "ref", REFERENCE)?
                .ok_or_else(|| fields::missing("ref", REFERENCE))?,
            argument: fields::struct_member(members.argument, "argument", ARGUMENT)?
                .ok_or_else(|| fields::missing("argument", ARGUMENT))?,
            context: fields::struct_member(members.context, "context", CONTEXT)?,
        })
    }
}

/// Values that an argument may have.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Completion {
    /// At most [`MOST`](Completion::MOST) of them, the best first.
    pub values: Vec<String>,
    /// How many there are in all, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Whether there are more than these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has_more: Option<bool>,
}

impl Completion {
    /// No result may have more values, spec: server/utilities/completion#completion-results.
    pub const MOST: usize = 100;
}

/// The result of `completion/complete`, spec: server/utilities/completion#completeresult.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompleteResult {
    /// Complete.
    #[serde(default)]
    pub result_type: ResultType,
    /// The values.
    pub completion: Completion,
    /// Has [`SERVER_INFO`](super::meta::SERVER_INFO), as a rule.
    #[serde(
        rename = "_meta",
        default,
        serialize_with = "order::optional_map",
        skip_serializing_if = "Option::is_none"
    )]
    pub meta: Option<Meta>,
}
