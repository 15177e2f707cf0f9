//! Failures by reader: [`ToolError`] for the model, [`ProtocolError`] for the client, an incident in the log for the
//! operator.

mod incident;
mod protocol_error;
mod result_ext;
mod tool_error;

pub(crate) use incident::Incident;
pub use protocol_error::ProtocolError;
pub use result_ext::ResultExt;
pub(crate) use tool_error::Kind;
pub use tool_error::{IntoToolError, ToolError};
