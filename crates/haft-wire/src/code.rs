//! Error codes of JSON-RPC 2.0 and of the protocol, spec: basic/index#error-codes.

/// The frame is not JSON text.
pub const PARSE_ERROR: i64 = -32700;
/// The frame is JSON, but not a message that may be sent.
pub const INVALID_REQUEST: i64 = -32600;
/// The receiver doesn't know the method.
pub const METHOD_NOT_FOUND: i64 = -32601;
/// The method is known, its parameters are not what it takes. Unknown tools, invalid cursors and missing `_meta`
/// members are this too.
pub const INVALID_PARAMS: i64 = -32602;
/// The receiver failed.
pub const INTERNAL_ERROR: i64 = -32603;
/// An HTTP header and the body that it mirrors disagree.
pub const HEADER_MISMATCH: i64 = -32020;
/// The request needs a capability that the client didn't declare with it.
pub const MISSING_REQUIRED_CLIENT_CAPABILITY: i64 = -32021;
/// The server doesn't speak the protocol version that the request names.
pub const UNSUPPORTED_PROTOCOL_VERSION: i64 = -32022;
/// "Resource not found" of revisions up to 2025-11-25. Sent to clients of these only.
pub const LEGACY_RESOURCE_NOT_FOUND: i64 = -32002;
