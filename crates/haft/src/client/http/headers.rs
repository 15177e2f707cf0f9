use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

/// A value as a header has it: as it is where it can stand there, or else in Base64.
///
/// spec: `basic/transports/streamable-http#value-encoding`
fn encoded(value: &str) -> Cow<'_, str> {
    let plain = value.bytes().all(|byte| matches!(byte, b' '..=b'~')) && value.trim_matches(' ') == value;
    if plain && !(value.starts_with("=?base64?") && value.ends_with("?=")) {
        return Cow::Borrowed(value);
    }
    Cow::Owned(format!("=?base64?{}?=", STANDARD.encode(value)))
}

/// What is put into a header, whatever it holds.
pub(in crate::client) fn value(value: &str) -> Option<HeaderValue> {
    HeaderValue::from_str(&encoded(value)).ok()
}

/// The arguments that a tool wants repeated in headers: `headers` has the pointer of each and the end of its header's
/// name.
///
/// spec: `basic/transports/streamable-http#client-behavior`
pub(in crate::client) fn of_arguments(headers: &[(String, String)], arguments: &Value) -> HeaderMap {
    let mut repeated = HeaderMap::new();
    for (pointer, suffix) in headers {
        let text = match arguments.pointer(pointer) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Bool(truth)) => truth.to_string(),
            Some(Value::Number(number)) => number.to_string(),
            _ => continue,
        };
        let name = HeaderName::try_from(format!("mcp-param-{}", suffix.to_ascii_lowercase()));
        if let (Ok(name), Some(value)) = (name, value(&text)) {
            repeated.insert(name, value);
        }
    }
    repeated
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_stand_in_a_header_is_encoded() {
        for plain in ["", "a", "a b", "~!", "=?base64?", "?="] {
            assert_eq!(encoded(plain), plain);
        }
        for (value, header) in [
            (" a", "=?base64?IGE=?="),
            ("a ", "=?base64?YSA=?="),
            ("a\tb", "=?base64?YQli?="),
            ("a\r\nb", "=?base64?YQ0KYg==?="),
            ("ä", "=?base64?w6Q=?="),
            ("=?base64?YQ==?=", "=?base64?PT9iYXNlNjQ/WVE9PT89?="),
        ] {
            assert_eq!(encoded(value), header);
        }
    }

    #[test]
    fn arguments_are_repeated_by_their_types() {
        let headers = [("/region", "Region"), ("/n", "N"), ("/on", "On"), ("/none", "None"), ("/gone", "Gone")];
        let headers: Vec<_> = headers.iter().map(|(at, name)| ((*at).to_owned(), (*name).to_owned())).collect();
        let arguments = serde_json::json!({"region": "us west", "n": 42, "on": false, "none": null});
        let repeated = of_arguments(&headers, &arguments);
        let get = |name| repeated.get(name).and_then(|value| value.to_str().ok());
        assert_eq!(get("mcp-param-region"), Some("us west"));
        assert_eq!((get("mcp-param-n"), get("mcp-param-on")), (Some("42"), Some("false")));
        assert_eq!(repeated.len(), 3);
    }
}
