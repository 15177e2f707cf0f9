//! What holds for all input.

use haft_wire::{Limits, Message, code, encode, parse};
use proptest::prelude::*;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

/// Whether `serde_json` takes the bytes for JSON text. Bytes skipped unread must be UTF-8 all the same.
fn is_json(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).is_ok_and(|text| serde_json::from_str::<IgnoredAny>(text).is_ok())
}

fn agrees(bytes: &[u8]) -> Result<(), TestCaseError> {
    let outcome = parse(bytes, &Limits::default());
    let parse_error = matches!(&outcome, Err(malformed) if malformed.error.code == code::PARSE_ERROR);
    prop_assert_eq!(!parse_error, is_json(bytes), "{:?}", String::from_utf8_lossy(bytes));
    match outcome {
        Err(malformed) if malformed.error.code == code::PARSE_ERROR => prop_assert_eq!(malformed.id, None),
        Err(malformed) => prop_assert_eq!(malformed.error.code, code::INVALID_REQUEST),
        // Whoever reads what has passed gets a value.
        Ok(Message::Request(request)) => prop_assert!(readable(request.params.as_deref())),
        Ok(Message::Notification(notification)) => prop_assert!(readable(notification.params.as_deref())),
        Ok(Message::Response(response)) => prop_assert!(readable(response.outcome.ok().as_deref())),
    }
    Ok(())
}

fn readable(raw: Option<&serde_json::value::RawValue>) -> bool {
    raw.is_none_or(|raw| serde_json::from_str::<Value>(raw.get()).is_ok())
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        // Not every double survives `serde_json` without its feature `float_roundtrip`; these do.
        (any::<i32>(), 0..8).prop_map(|(n, bits)| Value::from(f64::from(n) / f64::from(1 << bits))),
        any::<String>().prop_map(Value::from),
        "[a-z\"\\\\\u{e9}\u{1f600}\n]{0,20}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 8, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            object(inner).prop_map(Value::from),
        ]
    })
}

fn object(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Map<String, Value>> {
    proptest::collection::vec(("[a-e\u{e9}/\"]{0,3}", value), 0..20).prop_map(|members| members.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
        agrees(&bytes)?;
    }

    #[test]
    fn shreds_of_json(text in r#"([\[\]{},: "\\u0-9a-fD8eE+.ntr\-]|true|null|"a"|"id":|\\u[dD][89a-f]..){0,30}"#) {
        agrees(text.as_bytes())?;
        agrees(format!("[{text}]").as_bytes())?;
        agrees(format!("{{\"a\":\"{text}\"}}").as_bytes())?;
    }

    #[test]
    fn numbers(text in r"-?[0-9]{1,3}(\.[0-9]{0,3})?([eE][+-]?[0-9]{0,4})?") {
        agrees(format!("[{text}]").as_bytes())?;
        agrees(format!(r#"{{"jsonrpc":"2.0","id":1,"method":"a","params":{{"n":{text}}}}}"#).as_bytes())?;
    }

    #[test]
    fn damaged_messages(
        params in object(value()),
        cut in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        action in 0..4,
    ) {
        let id = 7.into();
        let mut bytes = encode::request(&id, "a", Some(&params)).unwrap();
        let at = cut.index(bytes.len());
        match action {
            0 => bytes[at] = byte,
            1 => bytes.truncate(at),
            2 => bytes.insert(at, byte),
            _ => { bytes.remove(at); }
        }
        agrees(&bytes)?;
    }

    #[test]
    fn messages_survive(params in object(value()), pretty in any::<bool>()) {
        let message = serde_json::json!({"jsonrpc": "2.0", "id": "x", "method": "a", "params": params});
        let bytes = if pretty { serde_json::to_vec_pretty(&message) } else { serde_json::to_vec(&message) }.unwrap();
        let Ok(Message::Request(request)) = parse(&bytes, &Limits::default()) else {
            return Err(TestCaseError::fail("not a request"));
        };
        let raw = request.params.unwrap();
        prop_assert_eq!(&serde_json::from_str::<Value>(raw.get()).unwrap(), &message["params"]);
        let line = encode::request(&request.id, &request.method, Some(&raw)).unwrap();
        prop_assert!(!line.contains(&b'\n'));
        prop_assert_eq!(serde_json::from_slice::<Value>(&line).unwrap(), message);
    }

    #[test]
    fn repetitions_are_found(names in proptest::collection::vec(r"[ab]|\\u006[12]|[c-z]{1,2}", 0..24)) {
        let members: Vec<_> = names.iter().map(|name| format!("\"{name}\":{{\"a\":0}}")).collect();
        let frame = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"a","params":{{{}}}}}"#, members.join(","));
        let read: std::collections::HashSet<String> =
            names.iter().map(|name| name.replace(r"\u0061", "a").replace(r"\u0062", "b")).collect();
        prop_assert_eq!(parse(frame.as_bytes(), &Limits::default()).is_ok(), read.len() == names.len());
    }
}
