use serde::{Deserialize, Serialize};

use super::JsonObject;
use crate::{fields, order};

/// What a client can do in the course of a request, declared with each one, spec: basic/index#meta.
///
/// Capabilities that this revision doesn't know are ignored. Those of extensions are in `extensions`, by the name of
/// the extension.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClientCapabilities {
    /// Asks its user, spec: client/elicitation.
    #[serde(default, deserialize_with = "fields::optional_struct", skip_serializing_if = "Option::is_none")]
    pub elicitation: Option<ElicitationCapability>,
    /// Asks its model, spec: client/sampling.
    #[serde(default, deserialize_with = "fields::optional_struct", skip_serializing_if = "Option::is_none")]
    pub sampling: Option<SamplingCapability>,
    /// Says which directories it works on, spec: client/roots.
    #[serde(default, serialize_with = "order::optional_map", skip_serializing_if = "Option::is_none")]
    pub roots: Option<JsonObject>,
    /// Whatever is not standard.
    #[serde(default, serialize_with = "order::optional_map", skip_serializing_if = "Option::is_none")]
    pub experimental: Option<JsonObject>,
    /// Extensions, by name.
    #[serde(default, serialize_with = "order::optional_map", skip_serializing_if = "Option::is_none")]
    pub extensions: Option<JsonObject>,
}

impl ClientCapabilities {
    /// Whether the client shows forms. One that declares elicitation without a mode does.
    pub fn elicits_forms(&self) -> bool {
        self.elicitation.as_ref().is_some_and(|modes| modes.form.is_some() || modes.url.is_none())
    }

    /// Whether the client opens URLs for its user.
    pub fn elicits_urls(&self) -> bool {
        self.elicitation.as_ref().is_some_and(|modes| modes.url.is_some())
    }

    /// Whether the client declares this extension, with whatever settings.
    pub fn has_extension(&self, name: &str) -> bool {
        self.extensions.as_ref().and_then(|extensions| extensions.get(name)).is_some_and(|settings| !settings.is_null())
    }
}

/// The modes in which a client asks its user.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ElicitationCapability {
    /// With a form.
    #[serde(default, serialize_with = "order::optional_map", skip_serializing_if = "Option::is_none")]
    pub form: Option<JsonObject>,
    /// By sending them to a URL.
    #[serde(default, serialize_with = "order::optional_map", skip_serializing_if = "Option::is_none")]
    pub url: Option<JsonObject>,
}

/// What a client's sampling can do.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SamplingCapability {
    /// `includeContext`.
    #[serde(default, serialize_with = "order::optional_map", skip_serializing_if = "Option::is_none")]
    pub context: Option<JsonObject>,
    /// `tools` and `toolChoice`.
    #[serde(default, serialize_with = "order::optional_map", skip_serializing_if = "Option::is_none")]
    pub tools: Option<JsonObject>,
}

/// What a server offers, spec: server/discover.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerCapabilities {
    /// Tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<ListChangedCapability>,
    /// Resources.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<ResourcesCapability>,
    /// Prompts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompts: Option<ListChangedCapability>,
    /// Completion of arguments.
    #[serde(default, serialize_with = "order::optional_map", skip_serializing_if = "Option::is_none")]
    pub completions: Option<JsonObject>,
    /// Log messages.
    #[serde(default, serialize_with = "order::optional_map", skip_serializing_if = "Option::is_none")]
    pub logging: Option<JsonObject>,
    /// Whatever is not standard.
    #[serde(default, serialize_with = "order::optional_map", skip_serializing_if = "Option::is_none")]
    pub experimental: Option<JsonObject>,
    /// Extensions, by name.
    #[serde(default, serialize_with = "order::optional_map", skip_serializing_if = "Option::is_none")]
    pub extensions: Option<JsonObject>,
}

/// A list that the server offers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListChangedCapability {
    /// Whether it tells subscribers when the list changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list_changed: Option<bool>,
}

/// The resources that a server offers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourcesCapability {
    /// Whether it tells subscribers when a resource changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subscribe: Option<bool>,
    /// Whether it tells subscribers when the list changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list_changed: Option<bool>,
}
