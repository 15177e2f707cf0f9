//! A contract as one line.

use std::fmt::Write as _;

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::Key;

/// What callers and readers rely on.
const MEMBERS: [&str; 6] = ["annotations", "description", "inputSchema", "name", "outputSchema", "title"];

pub(super) fn contract(tools: &[(Key, Value)]) -> String {
    let mut sorted: Vec<_> = tools.iter().collect();
    sorted.sort_by(|(one, _), (other, _)| one.cmp(other));
    let mut text = String::new();
    for (_, tool) in sorted {
        for member in MEMBERS {
            if let Some(value) = tool.get(member) {
                write(&Value::from(member), &mut text);
                write(value, &mut text);
            }
        }
        text.push('\n');
    }
    let digest = Sha256::digest(text.as_bytes());
    let mut line = "sha256:".to_owned();
    for byte in digest {
        // Writing to a string can't fail.
        let _ = write!(line, "{byte:02x}");
    }
    line
}

/// A value in one spelling.
pub(super) fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

/// JSON in one spelling: members sorted by name, no blanks, `2.0` as `2`.
fn write(value: &Value, text: &mut String) {
    match value {
        Value::Array(items) => {
            text.push('[');
            for item in items {
                write(item, text);
                text.push(',');
            }
            text.push(']');
        }
        Value::Object(members) => {
            let mut names: Vec<_> = members.iter().collect();
            names.sort_by_key(|(name, _)| name.as_str());
            text.push('{');
            for (name, member) in names {
                write(&Value::from(name.as_str()), text);
                text.push(':');
                write(member, text);
                text.push(',');
            }
            text.push('}');
        }
        Value::Number(number) => {
            let _ = match (number.as_i64(), number.as_u64(), number.as_f64()) {
                (Some(integer), _, _) => write!(text, "{integer}"),
                (_, Some(integer), _) => write!(text, "{integer}"),
                (_, _, Some(float)) if float.is_finite() => write!(text, "{float}"),
                _ => write!(text, "{number}"),
            };
        }
        other => {
            let _ = write!(text, "{other}");
        }
    }
}
