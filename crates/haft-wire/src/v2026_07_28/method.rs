//! Names of methods.

/// What the server is and speaks.
pub const DISCOVER: &str = "server/discover";
/// The tools.
pub const TOOLS_LIST: &str = "tools/list";
/// Calls a tool.
pub const TOOLS_CALL: &str = "tools/call";
/// The resources.
pub const RESOURCES_LIST: &str = "resources/list";
/// The patterns by which resources are named.
pub const RESOURCES_TEMPLATES_LIST: &str = "resources/templates/list";
/// Reads a resource.
pub const RESOURCES_READ: &str = "resources/read";
/// The prompts.
pub const PROMPTS_LIST: &str = "prompts/list";
/// One prompt, filled in.
pub const PROMPTS_GET: &str = "prompts/get";
/// Completes an argument.
pub const COMPLETION_COMPLETE: &str = "completion/complete";
/// Opens a stream of notifications.
pub const SUBSCRIPTIONS_LISTEN: &str = "subscriptions/listen";
/// How a task is, of the extension `io.modelcontextprotocol/tasks`.
pub const TASKS_GET: &str = "tasks/get";
/// Answers what a task asks.
pub const TASKS_UPDATE: &str = "tasks/update";
/// Stops a task.
pub const TASKS_CANCEL: &str = "tasks/cancel";
/// Within an input request: asks the user.
pub const ELICITATION_CREATE: &str = "elicitation/create";
/// Within an input request: asks the client's model.
pub const SAMPLING_CREATE_MESSAGE: &str = "sampling/createMessage";
/// Within an input request: asks for the client's roots.
pub const ROOTS_LIST: &str = "roots/list";
/// Ends a request that is in flight.
pub const NOTIFICATION_CANCELLED: &str = "notifications/cancelled";
/// How far a request has come.
pub const NOTIFICATION_PROGRESS: &str = "notifications/progress";
/// A log message.
pub const NOTIFICATION_MESSAGE: &str = "notifications/message";
/// The list of tools is another one now.
pub const NOTIFICATION_TOOLS_LIST_CHANGED: &str = "notifications/tools/list_changed";
/// The list of resources is another one now.
pub const NOTIFICATION_RESOURCES_LIST_CHANGED: &str = "notifications/resources/list_changed";
/// A resource has changed.
pub const NOTIFICATION_RESOURCES_UPDATED: &str = "notifications/resources/updated";
/// The list of prompts is another one now.
pub const NOTIFICATION_PROMPTS_LIST_CHANGED: &str = "notifications/prompts/list_changed";
/// A task has changed.
pub const NOTIFICATION_TASKS: &str = "notifications/tasks";
/// First message of a subscription's stream.
pub const NOTIFICATION_SUBSCRIPTIONS_ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";
