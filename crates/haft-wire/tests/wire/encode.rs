//! Messages and their bytes.

use haft_wire::{ErrorObject, RequestId, encode};
use serde_json::json;
use serde_json::value::RawValue;

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

#[test]
fn bytes_of_each_kind() {
    let (one, name) = (RequestId::from(1), RequestId::from("a\"b"));
    assert_eq!(
        text(encode::result(&one, &json!({"resultType": "complete"})).unwrap()),
        r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete"}}"#
    );
    assert_eq!(text(encode::result(&name, &json!({})).unwrap()), r#"{"jsonrpc":"2.0","id":"a\"b","result":{}}"#);
    assert_eq!(
        text(encode::error(Some(&one), &ErrorObject::new(-32601, "no"))),
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#
    );
    assert_eq!(
        text(encode::error(None, &ErrorObject::new(-32700, "no").with_data(json!(null)))),
        r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"no","data":null}}"#
    );
    assert_eq!(
        text(encode::request(&one, "a", Some(&json!({"x": 1}))).unwrap()),
        r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":1}}"#
    );
    assert_eq!(text(encode::request(&one, "a", None::<&()>).unwrap()), r#"{"jsonrpc":"2.0","id":1,"method":"a"}"#);
    assert_eq!(text(encode::notification("a\nb", None::<&()>).unwrap()), r#"{"jsonrpc":"2.0","method":"a\nb"}"#);
    assert_eq!(
        text(encode::notification("a", Some(&json!({}))).unwrap()),
        r#"{"jsonrpc":"2.0","method":"a","params":{}}"#
    );
}

#[test]
fn always_one_line() {
    let raw: Box<RawValue> = serde_json::from_str("{\r\n  \"a\": \"x\\ny\",\n  \"b\": [\n1\n]\n}").unwrap();
    let line = text(encode::result(&RequestId::from(1), &raw).unwrap());
    assert!(!line.contains(['\n', '\r']), "{line}");
    let read: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(read["result"], json!({"a": "x\ny", "b": [1]}));
}

#[test]
fn raw_values_keep_their_digits() {
    let raw: Box<RawValue> = serde_json::from_str(r#"{"n":123456789012345678901234567890,"x":1.50e+02}"#).unwrap();
    assert_eq!(
        text(encode::result(&RequestId::from(1), &[raw]).unwrap()),
        r#"{"jsonrpc":"2.0","id":1,"result":[{"n":123456789012345678901234567890,"x":1.50e+02}]}"#
    );
}

#[test]
fn nan_is_an_error_with_its_place() {
    let params = std::collections::BTreeMap::from([("a/b", vec![1.0, f64::INFINITY])]);
    let error = encode::request(&RequestId::from(1), "a", Some(&params)).unwrap_err();
    assert_eq!(error.path(), "/a~1b/1");
    assert_eq!(
        error.to_string(),
        "the message can't be written as JSON: NaN or an infinity, which JSON has no number for (at /a~1b/1)"
    );
}

#[test]
fn error_data_is_sorted() {
    let error = ErrorObject::unsupported_version("1900-01-01", &["2026-07-28", "2025-11-25"]);
    assert_eq!(
        text(encode::error(None, &error)),
        r#"{"jsonrpc":"2.0","error":{"code":-32022,"message":"Unsupported protocol version; send one of 2026-07-28, 2025-11-25","data":{"requested":"1900-01-01","supported":["2026-07-28","2025-11-25"]}}}"#
    );
}
