use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{CacheScope, Meta, Resource, ResourceTemplate, ResultType, Tool, result};
use crate::{ErrorObject, fields, order};

/// Parameters of all list methods, without their `_meta`, spec: server/utilities/pagination.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ListParams {
    /// Which page; the first if absent. Opaque to the client; an empty one is a cursor too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

impl ListParams {
    /// Reads them from a request.
    ///
    /// # Errors
    ///
    /// -32602 if `cursor` is not a string.
    pub fn read(params: Option<&RawValue>) -> Result<Self, ErrorObject> {
        #[derive(Default, Deserialize)]
        struct Members<'a> {
            #[serde(borrow, default)]
            cursor: Option<&'a RawValue>,
        }
        let members: Members<'_> = fields::members(params)?;
        Ok(ListParams { cursor: fields::member(members.cursor, "cursor", "a string")? })
    }
}

/// The result of `tools/list`, spec: server/tools#listing-tools.
///
/// `T` is a tool's definition. A server that has the text of its definitions ready sends `&RawValue`; a client that
/// wants one bad definition not to spoil the others reads `Box<RawValue>` and then each [`Tool`].
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListToolsResult<T = Tool> {
    /// Complete.
    #[serde(default)]
    pub result_type: ResultType,
    /// One page of definitions.
    pub tools: Vec<T>,
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

/// The result of `resources/list`, spec: server/resources#listing-resources.
///
/// `T` is a resource's definition; a server that has their text ready sends `&RawValue`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListResourcesResult<T = Resource> {
    /// Complete.
    #[serde(default)]
    pub result_type: ResultType,
    /// One page of resources.
    pub resources: Vec<T>,
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

/// The result of `resources/templates/list`, spec: server/resources#resource-templates.
///
/// `T` is a template's definition; a server that has their text ready sends `&RawValue`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListResourceTemplatesResult<T = ResourceTemplate> {
    /// Complete.
    #[serde(default)]
    pub result_type: ResultType,
    /// One page of templates.
    pub resource_templates: Vec<T>,
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
