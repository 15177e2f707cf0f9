//! The extension `io.modelcontextprotocol/tasks`: a call whose answer is a task, and what is asked of tasks.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::{Meta, ResultType};
use crate::{ErrorObject, ReadError, fields, order};

/// How far a task has come, spec: extensions/tasks#task-status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// It runs.
    Working,
    /// It waits for answers of the client's.
    InputRequired,
    /// It has a result, which may be that the tool failed.
    Completed,
    /// It ended with a JSON-RPC error.
    Failed,
    /// It was stopped.
    Cancelled,
}

impl TaskStatus {
    /// Whether nothing comes after it.
    pub fn is_final(self) -> bool {
        matches!(self, TaskStatus::Completed | TaskStatus::Failed | TaskStatus::Cancelled)
    }

    /// The status as it is spelled on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            TaskStatus::Working => "working",
            TaskStatus::InputRequired => "input_required",
            TaskStatus::Completed => "completed",
            TaskStatus::Failed => "failed",
            TaskStatus::Cancelled => "cancelled",
        }
    }
}

/// A task as it is now, spec: extensions/tasks#tasks.
///
/// Which of the last three members is there depends on the status. None of them is in the answer that a task begins with.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    /// What it is asked for by. Whoever knows it may be able to see the task: keep it as a secret.
    pub task_id: String,
    /// How far it has come.
    pub status: TaskStatus,
    /// What there is to say about that, for a person or a model.
    #[serde(default, deserialize_with = "fields::lenient", skip_serializing_if = "Option::is_none")]
    pub status_message: Option<String>,
    /// When it began, as RFC 3339 has it.
    #[serde(default)]
    pub created_at: String,
    /// When it last changed.
    #[serde(default)]
    pub last_updated_at: String,
    /// For how many milliseconds from its beginning it is kept; without end where there is none.
    #[serde(default, deserialize_with = "milliseconds")]
    pub ttl_ms: Option<u64>,
    /// After how many milliseconds to ask again.
    #[serde(default, deserialize_with = "milliseconds", skip_serializing_if = "Option::is_none")]
    pub poll_interval_ms: Option<u64>,
    /// What it asks, where it waits for input: requests without id and envelope, by keys that are never used again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_requests: Option<BTreeMap<String, Box<RawValue>>>,
    /// The result of the call, where it is completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Box<RawValue>>,
    /// The error that the call ended with, where it failed.
    #[serde(default, deserialize_with = "fields::optional_struct", skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorObject>,
}

impl Task {
    /// Reads the task of a result or of a notification's parameters.
    ///
    /// # Errors
    ///
    /// If it has no id or status, or a member has the wrong type.
    pub fn read(params: &RawValue) -> Result<Self, ReadError> {
        serde_json::from_str(params.get()).map_err(|error| ReadError::new("a task", error))
    }
}

/// For `deserialize_with`: a whole number of milliseconds; what is none reads as absent.
fn milliseconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    // The cast of a float saturates at both ends.
    Ok(value.as_u64().or_else(|| value.as_f64().filter(|ms| *ms > 0.0).map(|ms| ms as u64)))
}

/// A result that is a task: of `tools/call` with [`TaskResult::created`], of `tasks/get` with [`TaskResult::now`].
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskResult {
    /// `task` where the task is the answer to another request, else complete.
    result_type: ResultType,
    #[serde(flatten)]
    task: Task,
    #[serde(rename = "_meta", serialize_with = "order::optional_map", skip_serializing_if = "Option::is_none")]
    meta: Option<Meta>,
}

impl TaskResult {
    /// The answer to a request that goes on as this task, spec: extensions/tasks#task-creation.
    pub fn created(task: Task, meta: Option<Meta>) -> Self {
        let task = Task { input_requests: None, result: None, error: None, ..task };
        TaskResult { result_type: ResultType::Other(ResultType::TASK.to_owned()), task, meta }
    }

    /// What `tasks/get` answers, spec: extensions/tasks#task-polling.
    pub fn now(task: Task, meta: Option<Meta>) -> Self {
        TaskResult { result_type: ResultType::Complete, task, meta }
    }
}

/// Parameters of `tasks/get` and `tasks/cancel`, without their `_meta`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskParams {
    /// Which task.
    pub task_id: String,
}

impl TaskParams {
    /// Reads them from a request.
    ///
    /// # Errors
    ///
    /// -32602 if `taskId` is missing or not a string.
    pub fn read(params: Option<&RawValue>) -> Result<Self, ErrorObject> {
        #[derive(Default, Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Members<'a> {
            #[serde(borrow, default)]
            task_id: Option<&'a RawValue>,
        }
        let members: Members<'_> = fields::members(params)?;
        Ok(TaskParams { task_id: task_id(members.task_id)? })
    }
}

/// Parameters of `tasks/update`, without their `_meta`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UpdateTaskParams {
    /// Which task.
    pub task_id: String,
    /// Answers to what it asks, or to some of it, by their keys.
    pub input_responses: BTreeMap<String, Box<RawValue>>,
}

impl UpdateTaskParams {
    /// Reads them from a request.
    ///
    /// # Errors
    ///
    /// -32602 if `taskId` is missing or not a string, or `inputResponses` is missing or not an object.
    pub fn read(params: Option<&RawValue>) -> Result<Self, ErrorObject> {
        #[derive(Default, Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Members<'a> {
            #[serde(borrow, default)]
            task_id: Option<&'a RawValue>,
            #[serde(borrow, default)]
            input_responses: Option<&'a RawValue>,
        }
        const RESPONSES: &str = "an object with answers by the keys of their requests";
        let members: Members<'_> = fields::members(params)?;
        let task_id = task_id(members.task_id)?;
        let responses = fields::member(members.input_responses, "inputResponses", RESPONSES)?;
        let input_responses = responses.ok_or_else(|| fields::missing("inputResponses", RESPONSES))?;
        Ok(UpdateTaskParams { task_id, input_responses })
    }
}

fn task_id(raw: Option<&RawValue>) -> Result<String, ErrorObject> {
    const ID: &str = "a string, the id of a task";
    fields::member(raw, "taskId", ID)?.ok_or_else(|| fields::missing("taskId", ID))
}

/// The result of `tasks/update` and `tasks/cancel`: it was heard. What comes of it is for `tasks/get` to say.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskAck {
    /// Complete.
    #[serde(default)]
    pub result_type: ResultType,
    /// Has [`SERVER_INFO`](super::meta::SERVER_INFO), as a rule.
    #[serde(
        rename = "_meta",
        default,
        serialize_with = "order::optional_map",
        skip_serializing_if = "Option::is_none"
    )]
    pub meta: Option<Meta>,
}

/// Parameters of `notifications/tasks`, spec: extensions/tasks#task-status-notifications.
#[derive(Debug, Clone, Serialize)]
pub struct TaskChangedParams {
    /// The task as it is now.
    #[serde(flatten)]
    pub task: Task,
    /// Has [`SUBSCRIPTION_ID`](super::meta::SUBSCRIPTION_ID).
    #[serde(rename = "_meta", serialize_with = "order::optional_map", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORKING: &str = r#"{"taskId":"t","status":"working","createdAt":"2026-07-28T10:00:00Z","lastUpdatedAt":"2026-07-28T10:00:00Z","ttlMs":60000,"pollIntervalMs":500}"#;

    fn task(text: &str) -> Task {
        Task::read(&RawValue::from_string(text.to_owned()).unwrap()).unwrap()
    }

    #[test]
    fn a_task_is_flat_and_begins_without_details() {
        let mut task = task(WORKING);
        assert_eq!(serde_json::to_string(&task).unwrap(), WORKING);
        task.result = RawValue::from_string(r#"{"n":1.50}"#.to_owned()).ok();
        let now = serde_json::to_string(&TaskResult::now(task.clone(), None)).unwrap();
        assert_eq!(
            now,
            format!(r#"{{"resultType":"complete",{},"result":{{"n":1.50}}}}"#, &WORKING[1..WORKING.len() - 1])
        );
        let created = serde_json::to_string(&TaskResult::created(task, None)).unwrap();
        assert_eq!(created, format!(r#"{{"resultType":"task",{}"#, &WORKING[1..]));
    }

    #[test]
    fn odd_times_read_as_none_and_no_ttl_is_written_as_null() {
        for text in [
            r#"{"taskId":"t","status":"failed","ttlMs":null,"pollIntervalMs":-1,"error":{"code":-32603,"message":"m"}}"#,
            r#"{"resultType":"complete","taskId":"t","status":"failed","ttlMs":"1","error":{"code":-32603,"message":"m"}}"#,
        ] {
            let task = task(text);
            assert_eq!((task.ttl_ms, task.poll_interval_ms, task.status), (None, None, TaskStatus::Failed));
            assert!(serde_json::to_string(&task).unwrap().contains(r#""ttlMs":null"#));
        }
    }

    #[test]
    fn parameters_say_what_is_wrong_with_them() {
        let raw = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
        let update = |text: &str| UpdateTaskParams::read(Some(&raw(text))).map(|_| ()).unwrap_err().message;
        assert!(update("{}").contains("params.taskId is missing"));
        assert!(update(r#"{"taskId":7}"#).contains("params.taskId must be a string"));
        assert!(update(r#"{"taskId":"t"}"#).contains("params.inputResponses is missing"));
        assert!(update(r#"{"taskId":"t","inputResponses":[]}"#).contains("inputResponses must be an object"));
        assert_eq!(TaskParams::read(Some(&raw(r#"{"taskId":"t"}"#))).unwrap().task_id, "t");
    }
}
