use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// What kind of result a result is, spec: basic/index#resulttype.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub enum ResultType {
    /// The request is done. An absent `resultType` means this.
    #[default]
    Complete,
    /// The server asks for more; send the request again with it.
    InputRequired,
    /// The type of an extension, or one that can't be understood. The result is invalid for whoever doesn't know it.
    Other(String),
}

impl ResultType {
    /// The type of an answer that is a task, of the extension [`TASKS`](super::extension::TASKS).
    pub const TASK: &'static str = "task";

    /// The type as it is spelled on the wire.
    pub fn as_str(&self) -> &str {
        match self {
            ResultType::Complete => "complete",
            ResultType::InputRequired => "input_required",
            ResultType::Other(name) => name,
        }
    }
}

impl From<String> for ResultType {
    fn from(name: String) -> Self {
        match name.as_str() {
            "complete" => ResultType::Complete,
            "input_required" => ResultType::InputRequired,
            _ => ResultType::Other(name),
        }
    }
}

impl fmt::Display for ResultType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for ResultType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for ResultType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(ResultType::from)
    }
}

/// Who may keep a result, spec: server/utilities/caching#cache-scope-field.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CacheScope {
    /// Anybody, for anybody.
    Public,
    /// The one who asked. An absent or unknown scope reads as this.
    #[default]
    Private,
}

/// For `deserialize_with`: a scope that isn't known is taken for the narrower one.
pub(super) fn scope<'de, D: Deserializer<'de>>(deserializer: D) -> Result<CacheScope, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(deserializer)?).unwrap_or_default())
}

/// For `deserialize_with`: milliseconds; what isn't a positive number reads as 0, spec: server/utilities/caching.
pub(super) fn ttl<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let value = Value::deserialize(deserializer)?;
    // The cast of a float saturates at both ends.
    Ok(value.as_u64().or_else(|| value.as_f64().map(|ttl| ttl as u64)).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::{CacheScope, ResultType};

    #[derive(Deserialize)]
    struct Hints {
        #[serde(default)]
        result_type: ResultType,
        #[serde(default, deserialize_with = "super::ttl")]
        ttl: u64,
        #[serde(default, deserialize_with = "super::scope")]
        scope: CacheScope,
    }

    #[test]
    fn odd_hints_read_as_the_careful_ones() {
        for (text, ttl, scope) in [
            ("{}", 0, CacheScope::Private),
            (r#"{"ttl":5,"scope":"public"}"#, 5, CacheScope::Public),
            (r#"{"ttl":5e2,"scope":"shared"}"#, 500, CacheScope::Private),
            (r#"{"ttl":-1,"scope":null}"#, 0, CacheScope::Private),
            (r#"{"ttl":"5","scope":1}"#, 0, CacheScope::Private),
        ] {
            let hints: Hints = serde_json::from_str(text).unwrap();
            assert_eq!((hints.ttl, hints.scope, hints.result_type), (ttl, scope, ResultType::Complete), "{text}");
        }
    }

    #[test]
    fn unknown_result_type_is_visible() {
        let hints: Hints = serde_json::from_str(r#"{"result_type":"task"}"#).unwrap();
        assert_eq!(hints.result_type, ResultType::Other("task".to_owned()));
    }
}
