//! Failures by reader: [`ToolError`] for the model, [`ProtocolError`] for the client, an incident in the log for the
//! operator. [`RequestError`] is for functions that no model reads: of resources, prompts and completions.

mod causes;
mod incident;
mod protocol_error;
mod request_error;
mod result_ext;
mod tool_error;

pub(crate) use causes::causes;
pub(crate) use incident::Incident;
pub use protocol_error::ProtocolError;
pub(crate) use request_error::RequestErrorKind;
pub use request_error::{IntoRequestError, RequestError};
pub use result_ext::ResultExt;
pub(crate) use tool_error::Kind;
pub use tool_error::{IntoToolError, ToolError};
