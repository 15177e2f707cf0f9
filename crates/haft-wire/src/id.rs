use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// The id of a request: an integer or a string, spec: basic/index#requests.
///
/// The JSON type is part of the id: `1` and `"1"` are two ids. `0` and `""` are ids like any other. Integers are those
/// of an `i64`; `1.0`, `1e0` and `-0` are not integers here.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RequestId {
    /// A JSON integer.
    Int(i64),
    /// A JSON string.
    Str(String),
}

/// What ties progress notifications to a request. The same shape as a request's id, spec: basic/patterns/progress.
pub type ProgressToken = RequestId;

impl RequestId {
    /// The id that a JSON text spells, or `None` if it spells none.
    pub(crate) fn from_json(text: &[u8]) -> Option<RequestId> {
        match text.first()? {
            b'"' => serde_json::from_slice(text).ok().map(RequestId::Str),
            _ => std::str::from_utf8(text).ok().and_then(integer).map(RequestId::Int),
        }
    }
}

/// `-0` is a float to `serde_json` and an integer under its feature `arbitrary_precision`: neither here.
fn integer(text: &str) -> Option<i64> {
    if text == "-0" { None } else { text.parse().ok() }
}

impl From<i64> for RequestId {
    fn from(id: i64) -> Self {
        RequestId::Int(id)
    }
}

impl From<String> for RequestId {
    fn from(id: String) -> Self {
        RequestId::Str(id)
    }
}

impl From<&str> for RequestId {
    fn from(id: &str) -> Self {
        RequestId::Str(id.to_owned())
    }
}

/// As JSON would have it, so that `1` and `"1"` can be told apart in a log.
impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RequestId::Int(id) => id.fmt(f),
            RequestId::Str(id) => write!(f, "{id:?}"),
        }
    }
}

impl Serialize for RequestId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            RequestId::Int(id) => serializer.serialize_i64(*id),
            RequestId::Str(id) => serializer.serialize_str(id),
        }
    }
}

impl<'de> Deserialize<'de> for RequestId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // By way of `Value`, because a visitor sees numbers as maps under `arbitrary_precision`.
        let id = match Value::deserialize(deserializer)? {
            Value::String(id) => Some(RequestId::Str(id)),
            Value::Number(id) => integer(&id.to_string()).map(RequestId::Int),
            _ => None,
        };
        id.ok_or_else(|| D::Error::custom("expected a string or an integer"))
    }
}

#[cfg(test)]
mod tests {
    use super::RequestId;

    #[test]
    fn reads_both_ways_alike() {
        for (text, id) in [
            ("0", Some(RequestId::Int(0))),
            ("-1", Some(RequestId::Int(-1))),
            ("9223372036854775807", Some(RequestId::Int(i64::MAX))),
            ("-9223372036854775808", Some(RequestId::Int(i64::MIN))),
            ("9223372036854775808", None),
            ("18446744073709551615", None),
            ("1.0", None),
            ("1e0", None),
            ("-0", None),
            ("-0.0", None),
            ("\"\"", Some(RequestId::from(""))),
            ("\"1\"", Some(RequestId::from("1"))),
            ("\"\\u0061\\ud83d\\ude00\"", Some(RequestId::from("a😀"))),
            ("\"\\ud83d\"", None),
            ("null", None),
            ("true", None),
            ("[1]", None),
            ("{}", None),
        ] {
            assert_eq!(RequestId::from_json(text.as_bytes()), id, "{text}");
            assert_eq!(serde_json::from_str::<RequestId>(text).ok(), id, "{text}");
        }
    }

    #[test]
    fn type_shows_in_a_log() {
        assert_eq!(RequestId::from(1).to_string(), "1");
        assert_eq!(RequestId::from("1").to_string(), "\"1\"");
    }
}
