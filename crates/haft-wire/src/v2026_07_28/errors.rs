use serde_json::{Map, Value};

use super::ClientCapabilities;
use crate::{ErrorObject, code};

/// Errors with the `data` that this revision gives them, spec: basic/index#error-codes.
impl ErrorObject {
    /// -32021: the request needs capabilities that the client didn't declare. `missing` has only those.
    pub fn missing_capability(message: impl Into<String>, missing: &ClientCapabilities) -> Self {
        let missing = serde_json::to_value(missing).unwrap_or_else(|_| Value::Object(Map::new()));
        Self::new(code::MISSING_REQUIRED_CLIENT_CAPABILITY, message).with_data(object("requiredCapabilities", missing))
    }

    /// -32022: the server speaks `supported`, best first, but not what the request names.
    pub fn unsupported_version(requested: &str, supported: &[&str]) -> Self {
        let mut data = object("supported", supported.into());
        data.insert("requested".to_owned(), requested.into());
        Self::new(
            code::UNSUPPORTED_PROTOCOL_VERSION,
            format!("Unsupported protocol version; send one of {}", supported.join(", ")),
        )
        .with_data(data)
    }
}

fn object(name: &str, value: Value) -> Map<String, Value> {
    Map::from_iter([(name.to_owned(), value)])
}
