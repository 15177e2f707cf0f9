use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{Icon, Meta};
use crate::{fields, order};

/// The definition of a tool, spec: server/tools#tool.
///
/// The schemas are raw: nothing of them is lost or put in another order on the way through. They are JSON, but nobody
/// has looked at whether they are schemas.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tool {
    /// Name for programs and models; case matters.
    pub name: String,
    /// Name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it does, for a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What it takes: a JSON Schema with `"type": "object"`.
    pub input_schema: Box<RawValue>,
    /// What its structured content is like: a JSON Schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Box<RawValue>>,
    /// What to expect of it. Hints only; from a server that isn't trusted, not even that.
    #[serde(default, deserialize_with = "fields::lenient", skip_serializing_if = "Option::is_none")]
    pub annotations: Option<ToolAnnotations>,
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

impl Tool {
    /// The name to show to people: `title`, else the title among the annotations, else `name`.
    pub fn display_name(&self) -> &str {
        let annotated = || self.annotations.as_ref().and_then(|annotations| annotations.title.as_deref());
        self.title.as_deref().or_else(annotated).unwrap_or(&self.name)
    }
}

/// How a tool behaves. A hint that is absent or no boolean reads as `None`; the defaults then are those of the
/// specification (not read-only, destructive, not idempotent, open world).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolAnnotations {
    /// Name for people; `Tool::title` goes before it.
    #[serde(default, deserialize_with = "fields::lenient", skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// It changes nothing.
    #[serde(default, deserialize_with = "fields::lenient", skip_serializing_if = "Option::is_none")]
    pub read_only_hint: Option<bool>,
    /// It may destroy something, not only add.
    #[serde(default, deserialize_with = "fields::lenient", skip_serializing_if = "Option::is_none")]
    pub destructive_hint: Option<bool>,
    /// To call it twice with the same arguments does no more than to call it once.
    #[serde(default, deserialize_with = "fields::lenient", skip_serializing_if = "Option::is_none")]
    pub idempotent_hint: Option<bool>,
    /// It deals with a world that isn't closed, such as the web.
    #[serde(default, deserialize_with = "fields::lenient", skip_serializing_if = "Option::is_none")]
    pub open_world_hint: Option<bool>,
}
