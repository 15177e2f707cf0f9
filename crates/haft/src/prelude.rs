//! What a server's author needs, in one line: `use haft::prelude::*;`.

pub use schemars::JsonSchema;
pub use serde::{Deserialize, Serialize};

pub use crate::{
    Arguments, AskError, Content, Context, Form, FromContext, IntoToolError, Params, Prompt, ProtocolError, Reply,
    RequestError, Resource, ResourceTemplate, ResultExt, Server, Tool, ToolError, Toolset, UnknownArguments,
};
#[cfg(feature = "macros")]
pub use crate::{prompt, resource, tool, toolset};
