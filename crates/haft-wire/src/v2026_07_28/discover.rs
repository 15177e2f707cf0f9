use serde::{Deserialize, Serialize};

use super::{CacheScope, Meta, ResultType, ServerCapabilities, result};
use crate::order;

/// The result of `server/discover`, spec: server/discover. Its parameters are only [`RequestMeta`](super::RequestMeta).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DiscoverResult {
    /// Complete.
    #[serde(default)]
    pub result_type: ResultType,
    /// The protocol versions that the server speaks.
    pub supported_versions: Vec<String>,
    /// What it offers.
    pub capabilities: ServerCapabilities,
    /// How to use the server, for a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
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
