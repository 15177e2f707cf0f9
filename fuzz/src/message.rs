//! What comes back.

use serde_json::Value;

/// What kind of message it is, and its id.
#[derive(Debug, PartialEq)]
pub(crate) enum Answer {
    /// A result or an error, with the id of what it answers.
    Response(Option<String>),
    Notification,
    /// A question to a client with a session.
    Request,
}

/// Reads a message of the server's.
///
/// # Panics
/// When it isn't one.
pub(crate) fn read(bytes: &[u8]) -> Answer {
    let text = || String::from_utf8_lossy(bytes);
    let message: Value = serde_json::from_slice(bytes).unwrap_or_else(|error| panic!("{error}: {}", text()));
    assert_eq!(message["jsonrpc"], "2.0", "{}", text());
    let id = message.get("id").map(|id| {
        assert!(id.is_string() || id.is_i64(), "{}", text());
        id.to_string()
    });
    let (result, error) = (message.get("result"), message.get("error"));
    if message.get("method").is_some() {
        assert!(result.is_none() && error.is_none(), "{}", text());
        return if id.is_some() { Answer::Request } else { Answer::Notification };
    }
    match (result, error) {
        (Some(result), None) => assert!(result.is_object() && id.is_some(), "{}", text()),
        (None, Some(error)) => assert!(error["code"].is_i64() && error["message"].is_string(), "{}", text()),
        _ => panic!("neither a result nor an error: {}", text()),
    }
    Answer::Response(id)
}

/// Whether this is without doubt a request, and the id to answer it with.
pub(crate) fn plain_request(bytes: &[u8]) -> Option<String> {
    let message: Value = serde_json::from_slice(bytes).ok()?;
    let id = message.get("id").filter(|id| id.is_string() || id.is_i64())?;
    let plain = message["jsonrpc"] == "2.0"
        && message["method"].is_string()
        && message.get("result").is_none()
        && message.get("error").is_none();
    plain.then(|| id.to_string())
}

/// How the parser's ids read as JSON.
pub(crate) fn json(id: &haft_wire::RequestId) -> String {
    match id {
        haft_wire::RequestId::Int(id) => id.to_string(),
        haft_wire::RequestId::Str(id) => Value::from(id.as_str()).to_string(),
    }
}
