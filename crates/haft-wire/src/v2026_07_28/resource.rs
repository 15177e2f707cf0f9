use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use super::{Annotations, CacheScope, Icon, Meta, ResultType, result};
use crate::{ErrorObject, fields, order};

/// A resource that can be read, spec: server/resources#resource.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Resource {
    /// By which it is read.
    pub uri: String,
    /// Name for programs.
    pub name: String,
    /// Name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is, for a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its type, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Its length in bytes, if known.
    #[serde(default, deserialize_with = "fields::lenient", skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Pictures of it.
    #[serde(default, deserialize_with = "fields::lenient_list", skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
    /// Whom it is for, and how much it matters.
    #[serde(default, deserialize_with = "fields::lenient", skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// Whatever else.
    #[serde(
        rename = "_meta",
        default,
        serialize_with = "order::optional_map",
        skip_serializing_if = "Option::is_none"
    )]
    pub meta: Option<Meta>,
}

/// A pattern that names resources, spec: server/resources#resource-templates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceTemplate {
    /// RFC 6570.
    pub uri_template: String,
    /// Name for programs.
    pub name: String,
    /// Name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What these resources are, for a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Their type, if they all have the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Pictures of them.
    #[serde(default, deserialize_with = "fields::lenient_list", skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
    /// Whom they are for, and how much they matter.
    #[serde(default, deserialize_with = "fields::lenient", skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// Whatever else.
    #[serde(
        rename = "_meta",
        default,
        serialize_with = "order::optional_map",
        skip_serializing_if = "Option::is_none"
    )]
    pub meta: Option<Meta>,
}

/// What is in a resource.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum ResourceContents {
    /// Text.
    Text(TextResourceContents),
    /// Anything else.
    Blob(BlobResourceContents),
}

/// Making contents.
impl ResourceContents {
    /// Text, of the resource at `uri`.
    pub fn text(uri: impl Into<String>, text: impl Into<String>) -> Self {
        ResourceContents::Text(TextResourceContents { uri: uri.into(), mime_type: None, text: text.into(), meta: None })
    }

    /// Bytes, of the resource at `uri`. They are sent in base64.
    pub fn blob(uri: impl Into<String>, bytes: impl AsRef<[u8]>) -> Self {
        let blob = STANDARD.encode(bytes);
        ResourceContents::Blob(BlobResourceContents { uri: uri.into(), mime_type: None, blob, meta: None })
    }

    /// Sets the type, such as `text/plain`.
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        *self.mime_type_mut() = Some(mime_type.into());
        self
    }

    /// The type, if known.
    pub fn mime_type_mut(&mut self) -> &mut Option<String> {
        match self {
            ResourceContents::Text(contents) => &mut contents.mime_type,
            ResourceContents::Blob(contents) => &mut contents.mime_type,
        }
    }
}

/// What is in a resource of text.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TextResourceContents {
    /// The resource's.
    pub uri: String,
    /// Its type, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// The text.
    pub text: String,
    /// Whatever else.
    #[serde(rename = "_meta", serialize_with = "order::optional_map", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

/// What is in a resource of bytes.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BlobResourceContents {
    /// The resource's.
    pub uri: String,
    /// Its type, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// The bytes, in base64.
    pub blob: String,
    /// Whatever else.
    #[serde(rename = "_meta", serialize_with = "order::optional_map", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl<'de> Deserialize<'de> for ResourceContents {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Members {
            uri: String,
            #[serde(default)]
            mime_type: Option<String>,
            #[serde(default)]
            text: Option<String>,
            #[serde(default)]
            blob: Option<String>,
            #[serde(rename = "_meta", default)]
            meta: Option<Meta>,
        }
        let Members { uri, mime_type, text, blob, meta }: Members = fields::struct_of(deserializer)?;
        match (text, blob) {
            (Some(text), _) => Ok(ResourceContents::Text(TextResourceContents { uri, mime_type, text, meta })),
            (None, Some(blob)) => Ok(ResourceContents::Blob(BlobResourceContents { uri, mime_type, blob, meta })),
            (None, None) => Err(D::Error::custom("the contents of a resource have `text` or `blob`")),
        }
    }
}

/// Parameters of `resources/read`, without their `_meta`, spec: server/resources#reading-resources.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadResourceParams {
    /// Which resource.
    pub uri: String,
    /// Answers to the input requests of an earlier result, by their keys, spec: basic/patterns/mrtr.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_responses: Option<BTreeMap<String, Box<RawValue>>>,
    /// The `requestState` of that result, unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_state: Option<String>,
}

impl ReadResourceParams {
    /// Asks for the resource at `uri`.
    pub fn new(uri: impl Into<String>) -> Self {
        ReadResourceParams { uri: uri.into(), input_responses: None, request_state: None }
    }

    /// Reads them from a request. `null` members read as absent.
    ///
    /// # Errors
    ///
    /// -32602 if `uri` is missing or not a string, if `inputResponses` is not an object, or if `requestState` is not a
    /// string.
    pub fn read(params: Option<&RawValue>) -> Result<Self, ErrorObject> {
        #[derive(Default, Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Members<'a> {
            #[serde(borrow, default)]
            uri: Option<&'a RawValue>,
            #[serde(borrow, default)]
            input_responses: Option<&'a RawValue>,
            #[serde(borrow, default)]
            request_state: Option<&'a RawValue>,
        }
        const URI: &str = "a string, the URI of a resource";
        let members: Members<'_> = fields::members(params)?;
        Ok(ReadResourceParams {
            uri: fields::member(members.uri, "uri", URI)?.ok_or_else(|| fields::missing("uri", URI))?,
            input_responses: fields::member(members.input_responses, "inputResponses", "an object")?,
            request_state: fields::member(members.request_state, "requestState", "a string")?,
        })
    }
}

/// The result of `resources/read`, spec: server/resources#reading-resources.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadResourceResult {
    /// Complete.
    #[serde(default)]
    pub result_type: ResultType,
    /// One resource may have several contents, as a directory has files.
    pub contents: Vec<ResourceContents>,
    /// How long the result stays fresh, in milliseconds.
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
