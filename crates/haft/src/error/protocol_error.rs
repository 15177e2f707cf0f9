use haft_wire::{ErrorObject, code};
use serde_json::Value;

/// A failure for the **client**: a JSON-RPC error with a code.
///
/// Most tools never need one: what the model can put right by calling differently is a [`ToolError`](crate::ToolError).
/// It passes through `?` in a function that returns [`ToolError`](crate::ToolError) and stays what it is.
///
/// spec: `basic/index#error-codes`, `server/tools#error-handling`
#[derive(Debug, Clone)]
pub struct ProtocolError {
    object: Box<ErrorObject>,
}

impl ProtocolError {
    /// An error with a code of the application's own.
    ///
    /// The specification keeps `-32768` to `-32000` for JSON-RPC and for itself; take a code outside that range.
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        ErrorObject::new(code, message).into()
    }

    /// `-32602`: the request itself is wrong (not the arguments of a tool).
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(code::INVALID_PARAMS, message)
    }

    /// `-32601`: this server has no such method.
    pub fn method_not_found(message: impl Into<String>) -> Self {
        Self::new(code::METHOD_NOT_FOUND, message)
    }

    /// `-32603`: the server failed.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(code::INTERNAL_ERROR, message)
    }

    /// Adds the error's `data` member.
    #[must_use]
    pub fn data(mut self, data: Value) -> Self {
        self.object.data = Some(data);
        self
    }

    /// The JSON-RPC error code.
    pub fn code(&self) -> i64 {
        self.object.code
    }

    /// The message, as it goes to the client.
    pub fn message(&self) -> &str {
        &self.object.message
    }

    /// The error's `data` member.
    pub fn data_ref(&self) -> Option<&Value> {
        self.object.data.as_ref()
    }

    pub(crate) fn object(&self) -> &ErrorObject {
        &self.object
    }
}

impl From<ErrorObject> for ProtocolError {
    fn from(object: ErrorObject) -> Self {
        Self { object: Box::new(object) }
    }
}

impl std::fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} (code {})", self.object.message, self.object.code)
    }
}

impl std::error::Error for ProtocolError {}
