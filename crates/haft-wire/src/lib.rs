//! Messages of the Model Context Protocol: bytes to messages and back.
//!
//! This crate knows JSON-RPC 2.0 as MCP narrows it and the message types of one protocol revision
//! per module. It does no I/O and runs no async code: a transport hands it one frame (a line of stdio, a body of
//! HTTP) and writes the bytes that it gives back.
//!
//! ```
//! use haft_wire::{Limits, Message, encode};
//!
//! let frame = br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"add","arguments":{"a":1}}}"#;
//! let Ok(Message::Request(request)) = haft_wire::parse(frame, &Limits::default()) else { panic!("a request") };
//! assert_eq!(request.method, "tools/call");
//! // `params` stays the text that came in until the method that wants it decodes it.
//! assert_eq!(request.params.as_ref().map(|p| p.get()), Some(r#"{"name":"add","arguments":{"a":1}}"#));
//!
//! let reply = encode::result(&request.id, &serde_json::json!({ "resultType": "complete" }))?;
//! assert_eq!(reply, br#"{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete"}}"#);
//! # Ok::<(), haft_wire::EncodeError>(())
//! ```
//!
//! # What it promises
//!
//! - [`parse`] looks at every byte: text that is not JSON, repeated member names, lone surrogates, excessive
//!   nesting and numbers that don't fit a double are refused with the JSON-RPC error to answer, never passed on
//!   for somebody else to read in a second way. It never panics and never recurses.
//! - [`encode`] writes one line, and an error where a value holds NaN or an infinity, which JSON can't say and which
//!   `serde_json` alone would turn into `null`.
//! - Bytes in and bytes out are the same whichever features of `serde_json` another crate of the program turns on
//!   (`preserve_order`, `arbitrary_precision`).
//!
//! # Where things are
//!
//! | module | |
//! |---|---|
//! | [`parse`], [`Message`] | bytes to requests, notifications and responses |
//! | [`encode`] | messages to bytes |
//! | [`strict`] | JSON text of any `Serialize`, without silent `null`s |
//! | [`code`], [`ErrorObject`] | JSON-RPC errors |
//! | [`v2026_07_28`] | the types of the current revision, re-exported here |

pub mod code;
pub mod encode;
mod error;
mod fields;
mod id;
mod limits;
mod message;
mod order;
mod scan;
pub mod strict;
pub mod v2026_07_28;

pub use encode::EncodeError;
pub use error::{ErrorObject, ReadError};
pub use id::{ProgressToken, RequestId};
pub use limits::Limits;
pub use message::{Malformed, Message, Notification, Request, Response, parse, too_large};
pub use strict::{StrictError, StrictErrorKind};
pub use v2026_07_28::{
    AcknowledgedParams, Annotations, AudioContent, BlobResourceContents, CacheScope, CallToolOutcome, CallToolParams,
    CallToolResult, CancelledParams, ClientCapabilities, CompleteParams, CompleteResult, Completion,
    CompletionArgument, CompletionContext, CompletionReference, ContentBlock, CreateMessageParams, CreateMessageResult,
    DiscoverResult, ElicitAction, ElicitResult, ElicitationCapability, EmbeddedResource, GetPromptParams,
    GetPromptResult, Icon, IconTheme, ImageContent, Implementation, InputRequiredResult, JsonObject,
    ListChangedCapability, ListChangedParams, ListParams, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListRootsResult, ListToolsResult, ListenParams, ListenResult, LogLevel, LogMessageParams,
    Meta, ModelHint, ModelPreferences, ProgressParams, Prompt, PromptArgument, PromptMessage, ReadResourceParams,
    ReadResourceResult, RequestMeta, Resource, ResourceContents, ResourceLink, ResourceTemplate, ResourceUpdatedParams,
    ResourcesCapability, ResultType, Role, Root, SamplingCapability, SamplingMessage, ServerCapabilities,
    SubscriptionFilter, Task, TaskAck, TaskChangedParams, TaskParams, TaskResult, TaskStatus, TextContent,
    TextResourceContents, Tool, ToolAnnotations, UnknownBlock, UnknownLogLevel, UpdateTaskParams, VERSION, WithMeta,
    extension, meta, method,
};
