//! The message types of protocol revision 2026-07-28.
//!
//! What is read from the other side is read leniently where it only advises (annotations, icons, hints) and strictly
//! where something depends on it. Unknown members are ignored. Optional members are omitted when they are `None`.
//! JSON that is only passed on (schemas, structured content, arguments) stays raw, digit for digit.

mod call;
mod capabilities;
mod completion;
mod content;
mod content_build;
mod discover;
mod errors;
pub mod extension;
mod implementation;
mod input;
mod list;
mod log;
pub mod meta;
pub mod method;
mod notification;
mod prompt;
mod request_meta;
mod resource;
mod result;
mod subscription;
mod task;
mod tool;

pub use call::{CallToolOutcome, CallToolParams, CallToolResult, InputRequiredResult};
pub use capabilities::{
    ClientCapabilities, ElicitationCapability, ListChangedCapability, ResourcesCapability, SamplingCapability,
    ServerCapabilities,
};
pub use completion::{
    CompleteParams, CompleteResult, Completion, CompletionArgument, CompletionContext, CompletionReference,
};
pub use content::{
    Annotations, AudioContent, ContentBlock, EmbeddedResource, ImageContent, ResourceLink, Role, TextContent,
    UnknownBlock,
};
pub use discover::DiscoverResult;
pub use implementation::{Icon, IconTheme, Implementation};
pub use input::{
    CreateMessageParams, CreateMessageResult, ElicitAction, ElicitResult, ListRootsResult, ModelHint, ModelPreferences,
    Root, SamplingMessage,
};
pub use list::{ListParams, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult};
pub use log::{LogLevel, UnknownLogLevel};
pub use notification::{CancelledParams, LogMessageParams, ProgressParams};
pub use prompt::{GetPromptParams, GetPromptResult, ListPromptsResult, Prompt, PromptArgument, PromptMessage};
pub use request_meta::{RequestMeta, WithMeta};
pub use resource::{
    BlobResourceContents, ReadResourceParams, ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
    TextResourceContents,
};
pub use result::{CacheScope, ResultType};
pub use subscription::{
    AcknowledgedParams, ListChangedParams, ListenParams, ListenResult, ResourceUpdatedParams, SubscriptionFilter,
};
pub use task::{Task, TaskAck, TaskChangedParams, TaskParams, TaskResult, TaskStatus, UpdateTaskParams};
pub use tool::{Tool, ToolAnnotations};

/// The name of this revision, as it goes over the wire.
pub const VERSION: &str = "2026-07-28";

/// A JSON object whose members the protocol leaves open.
pub type JsonObject = serde_json::Map<String, serde_json::Value>;

/// The `_meta` of anything but a request, spec: basic/index#meta. It is written sorted by key.
pub type Meta = JsonObject;
