//! Keys of `_meta` that the protocol reserves, spec: basic/index#meta.

/// Protocol version of a request; required on each.
pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// Name and version of the client.
pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// What the client can do for this request; required on each.
pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// The least severe level of log messages that the request wants; none without it.
pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// Name and version of the server, on results.
pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
/// The `subscriptions/listen` request that a notification belongs to.
pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
/// Asks for progress notifications with this token.
pub const PROGRESS_TOKEN: &str = "progressToken";
/// W3C Trace Context.
pub const TRACEPARENT: &str = "traceparent";
/// W3C Trace Context.
pub const TRACESTATE: &str = "tracestate";
/// W3C Baggage.
pub const BAGGAGE: &str = "baggage";

/// Whether a key has the form that the protocol asks for: an optional prefix of dot-separated labels and a slash, then a
/// name. Spec: basic/index#meta.
///
/// ```
/// use haft_wire::meta::is_valid_key;
///
/// assert!(is_valid_key("com.example/trace-id") && is_valid_key("plain"));
/// assert!(!is_valid_key("com..example/x") && !is_valid_key("has space") && !is_valid_key("-x"));
/// ```
pub fn is_valid_key(key: &str) -> bool {
    let (prefix, name) = key.rsplit_once('/').map_or((None, key), |(prefix, name)| (Some(prefix), name));
    let ends = |text: &str, first: fn(&char) -> bool| {
        text.chars().next().as_ref().is_some_and(first) && text.ends_with(|c: char| c.is_ascii_alphanumeric())
    };
    let label = |label: &str| {
        ends(label, char::is_ascii_alphabetic) && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    };
    let name_is_valid = (name.is_empty() && prefix.is_some())
        || ends(name, char::is_ascii_alphanumeric)
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    prefix.is_none_or(|prefix| prefix.split('.').all(label)) && name_is_valid
}
