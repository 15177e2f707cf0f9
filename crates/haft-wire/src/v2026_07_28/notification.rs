use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{LogLevel, Meta};
use crate::{ProgressToken, RequestId, fields, order};

/// Parameters of `notifications/cancelled`, spec: basic/patterns/cancellation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CancelledParams {
    /// The request to end.
    pub request_id: RequestId,
    /// Why, for a log.
    #[serde(default, deserialize_with = "fields::lenient", skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whatever else.
    #[serde(
        rename = "_meta",
        default,
        serialize_with = "order::optional_map",
        skip_serializing_if = "Option::is_none"
    )]
    pub meta: Option<Meta>,
}

/// Parameters of `notifications/progress`, spec: basic/patterns/progress.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProgressParams {
    /// The token of the request.
    pub progress_token: ProgressToken,
    /// Grows with each notification. Written without `.0` where it is whole.
    #[serde(serialize_with = "fields::number")]
    pub progress: f64,
    /// What `progress` grows to, if known.
    #[serde(default, serialize_with = "fields::optional_number", skip_serializing_if = "Option::is_none")]
    pub total: Option<f64>,
    /// What is going on, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Whatever else.
    #[serde(
        rename = "_meta",
        default,
        serialize_with = "order::optional_map",
        skip_serializing_if = "Option::is_none"
    )]
    pub meta: Option<Meta>,
}

/// Parameters of `notifications/message`, spec: server/utilities/logging.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LogMessageParams {
    /// How severe it is.
    pub level: LogLevel,
    /// Who says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logger: Option<String>,
    /// Any JSON value.
    pub data: Box<RawValue>,
    /// Whatever else.
    #[serde(
        rename = "_meta",
        default,
        serialize_with = "order::optional_map",
        skip_serializing_if = "Option::is_none"
    )]
    pub meta: Option<Meta>,
}
