//! What a server's author needs, in one line: `use haft::prelude::*;`.

pub use schemars::JsonSchema;
pub use serde::{Deserialize, Serialize};

#[cfg(feature = "macros")]
pub use crate::{tool, toolset};
pub use crate::{
    Arguments, Content, Context, FromContext, IntoToolError, ProtocolError, Reply, ResultExt, Server, Tool, ToolError,
    Toolset, UnknownArguments,
};
