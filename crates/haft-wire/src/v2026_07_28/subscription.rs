use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{Meta, ResultType};
use crate::{ErrorObject, fields, order};

/// What a subscriber wants to be told of, spec: basic/patterns/subscriptions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionFilter {
    /// Changes of the list of tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools_list_changed: Option<bool>,
    /// Changes of the list of prompts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompts_list_changed: Option<bool>,
    /// Changes of the list of resources.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources_list_changed: Option<bool>,
    /// Changes of the resources with these URIs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource_subscriptions: Option<Vec<String>>,
    /// Changes of the tasks with these ids, of the extension [`TASKS`](super::extension::TASKS).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_ids: Option<Vec<String>>,
}

/// Parameters of `subscriptions/listen`, without their `_meta`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ListenParams {
    /// What to send.
    pub notifications: SubscriptionFilter,
}

impl ListenParams {
    /// Reads them from a request.
    ///
    /// # Errors
    ///
    /// -32602 if `notifications` is missing or not a filter.
    pub fn read(params: Option<&RawValue>) -> Result<Self, ErrorObject> {
        #[derive(Default, Deserialize)]
        struct Members<'a> {
            #[serde(borrow, default)]
            notifications: Option<&'a RawValue>,
        }
        const FILTER: &str = "an object such as {\"toolsListChanged\":true}";
        let members: Members<'_> = fields::members(params)?;
        let notifications = fields::object(members.notifications, "notifications")?
            .ok_or_else(|| fields::missing("notifications", FILTER))?;
        let notifications = fields::member(Some(&notifications), "notifications", FILTER)?;
        Ok(ListenParams { notifications: notifications.unwrap_or_default() })
    }
}

/// Parameters of `notifications/subscriptions/acknowledged`, the first message of a subscription.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AcknowledgedParams {
    /// What the server is going to send, out of what was asked for.
    pub notifications: SubscriptionFilter,
    /// Has [`SUBSCRIPTION_ID`](super::meta::SUBSCRIPTION_ID).
    #[serde(
        rename = "_meta",
        default,
        serialize_with = "order::optional_map",
        skip_serializing_if = "Option::is_none"
    )]
    pub meta: Option<Meta>,
}

/// Parameters of `notifications/{tools,prompts,resources}/list_changed`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ListChangedParams {
    /// Has [`SUBSCRIPTION_ID`](super::meta::SUBSCRIPTION_ID).
    #[serde(
        rename = "_meta",
        default,
        serialize_with = "order::optional_map",
        skip_serializing_if = "Option::is_none"
    )]
    pub meta: Option<Meta>,
}

/// Parameters of `notifications/resources/updated`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResourceUpdatedParams {
    /// The resource that changed; it may be part of the one that was subscribed to.
    pub uri: String,
    /// Has [`SUBSCRIPTION_ID`](super::meta::SUBSCRIPTION_ID).
    #[serde(
        rename = "_meta",
        default,
        serialize_with = "order::optional_map",
        skip_serializing_if = "Option::is_none"
    )]
    pub meta: Option<Meta>,
}

/// The result of `subscriptions/listen`, sent when the stream ends.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListenResult {
    /// Complete.
    #[serde(default)]
    pub result_type: ResultType,
    /// Has [`SUBSCRIPTION_ID`](super::meta::SUBSCRIPTION_ID).
    #[serde(
        rename = "_meta",
        default,
        serialize_with = "order::optional_map",
        skip_serializing_if = "Option::is_none"
    )]
    pub meta: Option<Meta>,
}
