//! One line of a server's output, read as strictly as the specification allows.

use std::fmt;
use std::time::Instant;

use serde_json::Value;
use serde_json::value::RawValue;

/// The id of a message as it stands on the wire: its JSON type is part of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Id {
    /// An integer.
    Int(i64),
    /// A string, possibly empty.
    Text(String),
    /// No `id` member at all, as in the answer to a line whose id couldn't be read.
    Absent,
}

impl Id {
    /// The id in `value`, if it is one that the protocol admits.
    pub fn read(value: &Value) -> Option<Self> {
        match value {
            Value::String(text) => Some(Self::Text(text.clone())),
            Value::Number(_) => value.as_i64().map(Self::Int),
            _ => None,
        }
    }

    /// As the case files write it: the word `absent` stands for no id.
    ///
    /// # Errors
    ///
    /// Something that is no id.
    pub fn from_case(value: &Value) -> Result<Self, String> {
        match value.as_str() {
            Some("absent") => Ok(Self::Absent),
            _ => Self::read(value).ok_or_else(|| format!("{value} is no id")),
        }
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(number) => write!(f, "{number}"),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Absent => f.write_str("absent"),
        }
    }
}

/// A message that a server sent.
#[derive(Debug, Clone)]
pub struct Message {
    /// When its last byte was read.
    pub at: Instant,
    /// The line without its newline.
    pub text: String,
    /// The same, parsed.
    pub value: Value,
}

impl Message {
    /// Reads one line, newline included.
    ///
    /// # Errors
    ///
    /// What [`shape`] refuses.
    pub fn read(at: Instant, line: &[u8]) -> Result<Self, String> {
        let (text, value) = shape(line)?;
        Ok(Self { at, text, value })
    }

    /// Whether it answers a request (a result or an error).
    pub fn is_response(&self) -> bool {
        self.value.get("method").is_none()
    }

    /// The id it carries.
    pub fn id(&self) -> Id {
        self.value.get("id").and_then(Id::read).unwrap_or(Id::Absent)
    }

    /// The method of a notification.
    pub fn method(&self) -> Option<&str> {
        self.value.get("method")?.as_str()
    }

    /// The `result` member.
    pub fn result(&self) -> Option<&Value> {
        self.value.get("result")
    }

    /// The `error` member's code.
    pub fn error_code(&self) -> Option<i64> {
        self.value.get("error")?.get("code")?.as_i64()
    }

    /// Whether it is a result with `isError: true`.
    pub fn is_error_result(&self) -> bool {
        self.result().and_then(|result| result.get("isError")).and_then(Value::as_bool) == Some(true)
    }

    /// What a model or a person would read: the text blocks, one after the other, or the error's message.
    pub fn readable(&self) -> String {
        if let Some(message) = self.value.pointer("/error/message").and_then(Value::as_str) {
            return message.to_owned();
        }
        let blocks = self.value.pointer("/result/content").and_then(Value::as_array).into_iter().flatten();
        blocks.filter_map(|block| block.get("text")?.as_str()).collect::<Vec<_>>().join("\n")
    }

    /// The bytes of one member of `result`, exactly as sent.
    pub fn raw_result_member(&self, name: &str) -> Option<String> {
        let members: std::collections::BTreeMap<String, Box<RawValue>> = serde_json::from_str(&self.text).ok()?;
        let result: std::collections::BTreeMap<String, Box<RawValue>> =
            serde_json::from_str(members.get("result")?.get()).ok()?;
        result.get(name).map(|raw| raw.get().to_owned())
    }
}

/// Takes a line apart if it is one well-formed message that a server may send on 2026-07-28.
///
/// # Errors
///
/// Anything else: not UTF-8, a `\r`, not an object, both or neither of `result` and `error`, an id of the wrong
/// type, an unknown member, a request (servers send none in this era), an error without code or message.
pub fn shape(line: &[u8]) -> Result<(String, Value), String> {
    let text = std::str::from_utf8(line).map_err(|error| format!("a line that is not UTF-8: {error}"))?;
    let quoted = || text.chars().take(200).collect::<String>();
    let Some(text) = text.strip_suffix('\n') else { return Err(format!("a line without a newline: {}", quoted())) };
    if text.contains('\r') {
        return Err(format!("a carriage return in the output: {}", quoted()));
    }
    let value: Value = serde_json::from_str(text).map_err(|error| format!("not JSON ({error}): {}", quoted()))?;
    let wrong = |what: &str| Err(format!("{what}: {}", quoted()));
    let Some(members) = value.as_object() else { return wrong("a line that is not a JSON object") };
    if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return wrong("no `jsonrpc: \"2.0\"`");
    }
    let known: &[&str] = match (members.get("method"), members.get("result"), members.get("error")) {
        (Some(method), None, None) => {
            if !method.is_string() || members.contains_key("id") {
                return wrong("neither a response nor a notification");
            }
            &["jsonrpc", "method", "params"]
        }
        (None, Some(result), None) => {
            if !result.is_object() || !members.contains_key("id") {
                return wrong("a result that is not an object, or has no id");
            }
            &["jsonrpc", "id", "result"]
        }
        (None, None, Some(error)) => {
            if error.get("code").and_then(Value::as_i64).is_none()
                || error.get("message").is_none_or(|m| !m.is_string())
            {
                return wrong("an error without an integer code and a message");
            }
            &["jsonrpc", "id", "error"]
        }
        _ => return wrong("not exactly one of `method`, `result` and `error`"),
    };
    if members.get("id").is_some_and(|id| Id::read(id).is_none()) {
        return wrong("an id that is neither a string nor an integer");
    }
    if let Some(unknown) = members.keys().find(|name| !known.contains(&name.as_str())) {
        return wrong(&format!("an unknown member `{unknown}`"));
    }
    Ok((text.to_owned(), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn well_formed_messages_are_taken() {
        for line in [
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":"","result":{"resultType":"complete"}}"#,
            r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"m"}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{}}"#,
        ] {
            shape(format!("{line}\n").as_bytes()).unwrap_or_else(|error| panic!("{error}"));
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for line in [
            "ready\n",
            "\n",
            "[]\n",
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\r\n",
            "{\"id\":1,\"result\":{}}\n",
            "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"m\"}}\n",
            "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"result\":{}}\n",
            "{\"jsonrpc\":\"2.0\",\"result\":{}}\n",
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[]}\n",
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{},\"error\":{\"code\":1,\"message\":\"m\"}}\n",
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":\"1\",\"message\":\"m\"}}\n",
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1}}\n",
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n",
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{},\"extra\":1}\n",
        ] {
            assert!(shape(line.as_bytes()).is_err(), "{line}");
        }
        assert!(shape(b"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"result\":{}}\n").is_err());
    }

    #[test]
    fn members_keep_their_bytes() {
        let line = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[{\"b\":1, \"a\":2.0}]}}\n";
        let message = Message::read(Instant::now(), line).expect("well formed");
        assert_eq!(message.raw_result_member("tools").as_deref(), Some("[{\"b\":1, \"a\":2.0}]"));
    }
}
