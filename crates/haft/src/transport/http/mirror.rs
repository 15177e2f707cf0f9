//! Headers that repeat parts of the body, held against it: what lies between reads them, the server reads the body,
//! and both must see the same.
//!
//! spec: `basic/transports/streamable-http#server-validation`

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use haft_wire::{ErrorObject, Request, VERSION, method};
use http::HeaderMap;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Number, Value};

use crate::server::{Input, Principal, Server, unsupported_version};

const PROTOCOL_VERSION: &str = "mcp-protocol-version";
const METHOD: &str = "mcp-method";
const NAME: &str = "mcp-name";
const PARAM: &str = "mcp-param-";

/// The parts of `params` that headers repeat.
#[derive(Deserialize, Default)]
struct Mirrored<'a> {
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    uri: Option<&'a RawValue>,
    #[serde(borrow, rename = "taskId")]
    task_id: Option<&'a RawValue>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, rename = "_meta")]
    meta: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Meta<'a> {
    #[serde(borrow, rename = "io.modelcontextprotocol/protocolVersion")]
    version: Option<&'a RawValue>,
}

/// What a request is refused with, if its headers don't say what its body says.
///
/// A version that isn't spoken here is left to be refused as that: its headers may have other rules.
pub(super) fn check(
    server: &Server,
    principal: &Principal,
    headers: &HeaderMap,
    request: &Request,
) -> Result<(), ErrorObject> {
    let params = request.params.as_deref().map_or("{}", RawValue::get);
    // Members of wrong types are no strings here, and refused by the method that wants them.
    let body: Mirrored<'_> = serde_json::from_str(params).unwrap_or_default();
    let version = required(headers, "MCP-Protocol-Version", PROTOCOL_VERSION)?;
    match version_of(body.meta) {
        Some(said) if said != version => return Err(differs("MCP-Protocol-Version", version, &said)),
        Some(said) if said != VERSION => return Ok(()),
        None if version != VERSION => return Err(unsupported_version(Some(version))),
        _ => {}
    }
    let named = required(headers, "Mcp-Method", METHOD)?;
    if named != request.method {
        return Err(differs("Mcp-Method", named, &request.method));
    }
    let name = match request.method.as_str() {
        method::TOOLS_CALL | method::PROMPTS_GET => body.name,
        method::RESOURCES_READ => body.uri,
        // spec: extensions/tasks#streamable-http-routing-headers
        method::TASKS_GET | method::TASKS_UPDATE | method::TASKS_CANCEL if server.has_tasks() => body.task_id,
        _ => return Ok(()),
    };
    let header = decoded("Mcp-Name", required(headers, "Mcp-Name", NAME)?)?;
    let Some(name) = string(name) else { return Ok(()) };
    if header != name {
        return Err(differs("Mcp-Name", &header, &name));
    }
    if request.method != method::TOOLS_CALL {
        return Ok(());
    }
    // Whoever may not call a tool learns nothing of its headers: they are refused further on.
    match server.input_of(&name, principal) {
        Some(input) if !input.headers.is_empty() => check_arguments(&input, headers, body.arguments),
        _ => Ok(()),
    }
}

/// spec: `basic/transports/streamable-http#server-behavior-for-custom-headers`
fn check_arguments(input: &Input, headers: &HeaderMap, arguments: Option<&RawValue>) -> Result<(), ErrorObject> {
    let arguments: Value = arguments.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
    for (pointer, suffix) in &input.headers {
        let shown = format!("Mcp-Param-{suffix}");
        let header = single(headers, &shown, &format!("{PARAM}{}", suffix.to_ascii_lowercase()))?;
        let header = header.map(|header| decoded(&shown, header)).transpose()?;
        let value = arguments.pointer(pointer).filter(|value| !value.is_null());
        match (header, value) {
            (None, None) => {}
            (Some(header), Some(value)) if same(&header, value) => {}
            // Lists and objects have no form in a header. No such argument passes its check.
            (None, Some(Value::Array(_) | Value::Object(_))) => {}
            (None, Some(_)) => {
                return Err(mismatch(format!(
                    "the argument at {pointer} must be repeated in {shown}, which is missing"
                )));
            }
            (Some(header), None) => {
                return Err(mismatch(format!("{shown} is {}, but there is no argument at {pointer}", quoted(&header))));
            }
            (Some(header), Some(_)) => {
                let text = format!("{shown} is {}, which isn't the argument at {pointer}", quoted(&header));
                return Err(mismatch(text));
            }
        }
    }
    Ok(())
}

/// Whether a header says the value of an argument.
fn same(header: &str, value: &Value) -> bool {
    match value {
        Value::String(text) => header == text,
        Value::Bool(truth) => header == if *truth { "true" } else { "false" },
        Value::Number(number) => header.parse().is_ok_and(|header: Number| equal(&header, number)),
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}

/// By value: 42.0 equals 42.
fn equal(one: &Number, other: &Number) -> bool {
    match (integer(one), integer(other)) {
        (Some(one), Some(other)) => one == other,
        (None, None) => one.as_f64() == other.as_f64(),
        _ => false,
    }
}

/// The integer that a number is, where a double would hold it exactly or it is written as one.
fn integer(number: &Number) -> Option<i128> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let written = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
    #[expect(clippy::cast_possible_truncation, reason = "an integer within 2^53")]
    let rounded =
        || number.as_f64().filter(|value| value.fract() == 0.0 && value.abs() <= EXACT).map(|value| value as i128);
    written.or_else(rounded)
}

fn version_of(meta: Option<&RawValue>) -> Option<String> {
    let meta: Meta<'_> = serde_json::from_str(meta?.get()).ok()?;
    string(meta.version)
}

fn string(value: Option<&RawValue>) -> Option<String> {
    serde_json::from_str(value?.get()).ok()
}

fn required<'a>(headers: &'a HeaderMap, shown: &str, name: &str) -> Result<&'a str, ErrorObject> {
    single(headers, shown, name)?.ok_or_else(|| {
        mismatch(format!("the header {shown} is missing. This server speaks {VERSION}, in which each request has it"))
    })
}

/// The value of a header that may be there once, without the blanks around it.
fn single<'a>(headers: &'a HeaderMap, shown: &str, name: &str) -> Result<Option<&'a str>, ErrorObject> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(mismatch(format!("{shown} is there more than once")));
    }
    match value.to_str() {
        Ok(value) => Ok(Some(value.trim_matches([' ', '\t']))),
        Err(_) => Err(mismatch(format!("{shown} has characters other than visible ASCII; send it as =?base64?…?="))),
    }
}

/// spec: `basic/transports/streamable-http#value-encoding`
fn decoded<'a>(shown: &str, value: &'a str) -> Result<Cow<'a, str>, ErrorObject> {
    let Some(encoded) = value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) else {
        return Ok(Cow::Borrowed(value));
    };
    let text = STANDARD.decode(encoded).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    text.map(Cow::Owned).ok_or_else(|| mismatch(format!("{shown} holds no Base64 of a UTF-8 text")))
}

fn differs(header: &str, said: &str, body: &str) -> ErrorObject {
    mismatch(format!("{header} is {}, but the body says {}", quoted(said), quoted(body)))
}

fn mismatch(what: String) -> ErrorObject {
    ErrorObject::header_mismatch(format!("Header mismatch: {what}."))
}

fn quoted(text: &str) -> String {
    let shown: String = text.chars().take(128).collect();
    format!("{shown:?}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_are_compared_by_value() {
        for (header, value) in [
            ("Hello", json!("Hello")),
            ("", json!("")),
            ("true", json!(true)),
            ("42", json!(42)),
            ("42.0", json!(42)),
            ("42", json!(42.0)),
            ("-7", json!(-7)),
            ("9007199254740993", json!(9_007_199_254_740_993_u64)),
            ("2.5", json!(2.5)),
        ] {
            assert!(same(header, &value), "{header} {value}");
        }
        for (header, value) in [
            ("hello", json!("Hello")),
            ("True", json!(true)),
            ("1", json!(true)),
            ("42", json!(43)),
            ("inf", json!(1)),
            ("", json!(0)),
            ("9007199254740992", json!(9_007_199_254_740_993_u64)),
            ("9007199254740992.0", json!(9_007_199_254_740_993_u64)),
            ("{}", json!({})),
        ] {
            assert!(!same(header, &value), "{header} {value}");
        }
    }

    #[test]
    fn only_the_whole_sentinel_is_decoded() {
        let decode = |value: &'static str| decoded("H", value).map(Cow::into_owned).ok();
        assert_eq!(decode("=?base64?SGVsbG8=?="), Some("Hello".to_owned()));
        assert_eq!(decode("=?base64??="), Some(String::new()));
        for literal in ["SGVsbG8=", "=?base64?SGVsbG8=", "=?BASE64?SGVsbG8=?=", "=?base64?="] {
            assert_eq!(decode(literal), Some(literal.to_owned()));
        }
        for bad in ["=?base64?SGVsbG8?=", "=?base64?SGVs!!!bG8=?=", "=?base64?/w==?="] {
            assert_eq!(decode(bad), None, "{bad}");
        }
    }
}
