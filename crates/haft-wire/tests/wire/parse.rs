//! Frames and what becomes of them, in words.

use haft_wire::{Limits, Malformed, Message, parse, too_large};

/// What `parse` made of a frame, on one line.
fn said(frame: &[u8], limits: &Limits) -> String {
    match parse(frame, limits) {
        Ok(Message::Request(request)) => {
            format!(
                "request {} {} {}",
                request.id,
                request.method,
                request.params.map_or("-".into(), |raw| raw.to_string())
            )
        }
        Ok(Message::Notification(notification)) => format!(
            "notification {} {}",
            notification.method,
            notification.params.map_or("-".into(), |raw| raw.to_string())
        ),
        Ok(Message::Response(response)) => {
            let id = response.id.map_or("-".into(), |id| id.to_string());
            match response.outcome {
                Ok(result) => format!("result {id} {result}"),
                Err(error) => format!(
                    "error {id} {} {} {}",
                    error.code,
                    error.message,
                    error.data.map_or("-".into(), |data| data.to_string())
                ),
            }
        }
        Err(malformed) => refusal(&malformed),
    }
}

fn refusal(malformed: &Malformed) -> String {
    let id = malformed.id.as_ref().map_or("-".into(), ToString::to_string);
    assert_eq!(malformed.error.data, None);
    format!("{} {id} {}", malformed.error.code, malformed.error.message)
}

#[track_caller]
fn table(rows: &[(&str, &str)]) {
    for (frame, expected) in rows {
        assert_eq!(said(frame.as_bytes(), &Limits::default()), *expected, "for {frame}");
    }
}

#[test]
fn requests() {
    table(&[
        (r#"{"jsonrpc":"2.0","id":1,"method":"a"}"#, "request 1 a -"),
        (r#"{"jsonrpc":"2.0","id":0,"method":"a","params":{}}"#, "request 0 a {}"),
        (r#"{"jsonrpc":"2.0","id":"","method":"a"}"#, r#"request "" a -"#),
        (r#"{"jsonrpc":"2.0","id":"1","method":"a"}"#, r#"request "1" a -"#),
        (r#"{"jsonrpc":"2.0","id":-9223372036854775808,"method":"a"}"#, "request -9223372036854775808 a -"),
        (r#"{"jsonrpc":"2.0","id":9223372036854775807,"method":"a"}"#, "request 9223372036854775807 a -"),
        // Escapes are read, in names too.
        (r#"{"jsonrpc":"2.\u0030","\u0069d":"\ud83d\ude00","m\u0065thod":"a\/b"}"#, "request \"😀\" a/b -"),
        // The order and unknown members don't matter, nor does a member whose name differs in case.
        (
            r#"{"params":{"id":2},"Method":"b","extra":[{"id":3}],"method":"a","ID":4,"id":1,"jsonrpc":"2.0"}"#,
            r#"request 1 a {"id":2}"#,
        ),
        // `params` is kept as it was sent.
        (
            "\u{feff} \t\r\n{ \"jsonrpc\" : \"2.0\" , \"id\" : 1 , \"method\" : \"a\" , \"params\" : { \"n\" : 1.50e+2 } } \n",
            r#"request 1 a { "n" : 1.50e+2 }"#,
        ),
        // A request may carry what only responses need.
        (r#"{"jsonrpc":"2.0","id":1,"method":"a","result":{}}"#, "request 1 a -"),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":123456789012345678901234567890,"y":1e-400,"z":0e999}}"#,
            r#"request 1 a {"x":123456789012345678901234567890,"y":1e-400,"z":0e999}"#,
        ),
    ]);
}

#[test]
fn notifications() {
    table(&[
        (r#"{"jsonrpc":"2.0","method":"a"}"#, "notification a -"),
        (r#"{"jsonrpc":"2.0","method":"a","params":{"x":1}}"#, r#"notification a {"x":1}"#),
        // Never answered, so the rest can't be complained about; and what can't be trusted isn't passed on.
        (r#"{"method":"a","params":{"x":1}}"#, "notification a -"),
        (r#"{"jsonrpc":"1.0","method":"a","params":{"x":1}}"#, "notification a -"),
        (r#"{"jsonrpc":"2.0","method":"a","params":[1]}"#, "notification a -"),
        (r#"{"jsonrpc":"2.0","method":"a","params":null}"#, "notification a -"),
        (r#"{"jsonrpc":"2.0","method":"a","params":{"x":1,"x":2}}"#, "notification a -"),
        (r#"{"jsonrpc":"2.0","method":"a","params":{"x":"\ud800"}}"#, "notification a -"),
        // Without a readable method it is nothing.
        (r#"{"jsonrpc":"2.0","method":1}"#, "-32600 - Invalid request: `method` must be a string"),
        (r#"{"jsonrpc":"2.0","method":null}"#, "-32600 - Invalid request: `method` must be a string"),
    ]);
}

#[test]
fn responses() {
    table(&[
        (r#"{"jsonrpc":"2.0","id":1,"result":{"a":1}}"#, r#"result 1 {"a":1}"#),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}"#, "error 1 -1 no -"),
        (r#"{"jsonrpc":"2.0","error":{"code":-1,"message":"no","data":null}}"#, "error - -1 no null"),
        (r#"{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"no","data":[1]}}"#, "error - -1 no [1]"),
        // The idle member may be null.
        (r#"{"jsonrpc":"2.0","id":1,"result":{},"error":null}"#, "result 1 {}"),
        (r#"{"jsonrpc":"2.0","id":1,"result":null,"error":{"code":-1,"message":"no"}}"#, "error 1 -1 no -"),
        (
            r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":-1,"message":"no"}}"#,
            "-32600 1 Invalid request: a response has either `result` or `error`",
        ),
        (r#"{"jsonrpc":"2.0","id":1,"result":null}"#, "-32600 1 Invalid request: `result` must be an object, got null"),
        (
            r#"{"jsonrpc":"2.0","id":1,"result":[]}"#,
            "-32600 1 Invalid request: `result` must be an object, got an array",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"error":"no"}"#,
            "-32600 1 Invalid request: `error` must be an object, got a string",
        ),
        (r#"{"jsonrpc":"2.0","id":1,"error":null}"#, "-32600 1 Invalid request: `error` must be an object, got null"),
        (
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":"no"}}"#,
            "-32600 1 Invalid request: `error` needs an integer `code` and a string `message`",
        ),
        (
            r#"{"jsonrpc":"2.0","result":{}}"#,
            "-32600 - Invalid request: a response with a `result` has the `id` of its request",
        ),
        (
            r#"{"jsonrpc":"2.0","id":null,"result":{}}"#,
            "-32600 - Invalid request: a response with a `result` has the `id` of its request",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1.5,"result":{}}"#,
            "-32600 - Invalid request: `id` must be a string or an integer of 64 bits",
        ),
        (r#"{"id":1,"result":{}}"#, "-32600 1 Invalid request: `jsonrpc` is missing; send \"jsonrpc\":\"2.0\""),
    ]);
}

#[test]
fn not_json() {
    table(&[
        ("", "-32700 - Parse error: the message is empty"),
        (" \t\r\n", "-32700 - Parse error: the message is empty"),
        ("hello", "-32700 - Parse error: not JSON text, expected a value at byte 0"),
        ("{", "-32700 - Parse error: not JSON text, expected a member name in double quotes at byte 1"),
        ("{'id':1}", "-32700 - Parse error: not JSON text, expected a member name in double quotes at byte 1"),
        (r#"{"id"}"#, "-32700 - Parse error: not JSON text, expected ':' at byte 5"),
        (r#"{"id":1"#, "-32700 - Parse error: not JSON text, expected ',' or '}' at byte 7"),
        (r#"{"id":1,}"#, "-32700 - Parse error: not JSON text, expected a member name in double quotes at byte 8"),
        ("[1,]", "-32700 - Parse error: not JSON text, expected a value at byte 3"),
        ("[1}", "-32700 - Parse error: not JSON text, expected ',' or ']' at byte 2"),
        ("{}{}", "-32700 - Parse error: not JSON text, expected the end of the message at byte 2"),
        ("[01]", "-32700 - Parse error: not JSON text, expected ',' or ']' at byte 2"),
        ("[1.]", "-32700 - Parse error: not JSON text, expected a digit at byte 3"),
        ("[-]", "-32700 - Parse error: not JSON text, expected a digit at byte 2"),
        ("[1e]", "-32700 - Parse error: not JSON text, expected a digit at byte 3"),
        ("[+1]", "-32700 - Parse error: not JSON text, expected a value at byte 1"),
        ("[NaN]", "-32700 - Parse error: not JSON text, expected a value at byte 1"),
        ("[tru]", "-32700 - Parse error: not JSON text, expected a value at byte 1"),
        (r#"["a"#, "-32700 - Parse error: not JSON text, expected the closing quote of a string at byte 3"),
        (r#"["\x"]"#, "-32700 - Parse error: not JSON text, expected an escape character at byte 3"),
        (r#"["\u12g4"]"#, "-32700 - Parse error: not JSON text, expected four hexadecimal digits at byte 4"),
        (
            "[\"a\nb\"]",
            "-32700 - Parse error: not JSON text, expected an escape in place of a control character at byte 3",
        ),
        ("[\u{a0}1]", "-32700 - Parse error: not JSON text, expected a value at byte 1"),
    ]);
    // The id of something that is no JSON isn't one: the client may have meant two messages.
    assert!(said(br#"{"jsonrpc":"2.0","id":1,"method":"a" "#, &Limits::default()).starts_with("-32700 - "));
}

#[test]
fn not_utf8() {
    for (frame, at) in [
        (b"[\"a\xff\"]".as_slice(), 3),
        (b"[\"\xc3\"]", 2),
        (b"[\"\xed\xa0\x80\"]", 2),
        (b"[\"0123456789abcdef\xc0\xaf0123456789\"]", 18),
        (b"{\"\xe2\x82\":1}", 2),
    ] {
        assert_eq!(
            said(frame, &Limits::default()),
            format!("-32700 - Parse error: not JSON text, expected UTF-8 at byte {at}")
        );
    }
    assert!(said(b"\xff", &Limits::default()).starts_with("-32700 - "));
}

#[test]
fn not_a_message() {
    const ID: &str = "-32600 - Invalid request: `id` must be a string or an integer of 64 bits";
    const BATCH: &str = "-32600 - Invalid request: batches are not part of the protocol; send each message by itself";
    const NEITHER: &str = "a request has a `method` (in lower case), a response `result` or `error`";
    table(&[
        ("[]", BATCH),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"a"}]"#, BATCH),
        ("null", "-32600 - Invalid request: a message is a JSON object, got null"),
        ("1", "-32600 - Invalid request: a message is a JSON object, got a number"),
        ("\"a\"", "-32600 - Invalid request: a message is a JSON object, got a string"),
        ("true", "-32600 - Invalid request: a message is a JSON object, got a boolean"),
        ("{}", &format!("-32600 - Invalid request: {NEITHER}")),
        (r#"{"jsonrpc":"2.0","id":7,"Method":"a"}"#, &format!("-32600 7 Invalid request: {NEITHER}")),
        (r#"{"id":7}"#, &format!("-32600 7 Invalid request: {NEITHER}")),
        (r#"{"jsonrpc":"2.0","id":null,"method":"a"}"#, ID),
        (r#"{"jsonrpc":"2.0","id":1.0,"method":"a"}"#, ID),
        (r#"{"jsonrpc":"2.0","id":1e0,"method":"a"}"#, ID),
        (r#"{"jsonrpc":"2.0","id":true,"method":"a"}"#, ID),
        (r#"{"jsonrpc":"2.0","id":[1],"method":"a"}"#, ID),
        (r#"{"jsonrpc":"2.0","id":{},"method":"a"}"#, ID),
        (r#"{"jsonrpc":"2.0","id":9223372036854775808,"method":"a"}"#, ID),
        (r#"{"jsonrpc":"2.0","id":7,"method":1}"#, "-32600 7 Invalid request: `method` must be a string"),
        (r#"{"jsonrpc":"2.0","id":7,"method":null}"#, "-32600 7 Invalid request: `method` must be a string"),
        (r#"{"id":7,"method":"a"}"#, "-32600 7 Invalid request: `jsonrpc` is missing; send \"jsonrpc\":\"2.0\""),
        (r#"{"jsonrpc":"1.0","id":7,"method":"a"}"#, "-32600 7 Invalid request: `jsonrpc` must be \"2.0\""),
        (r#"{"jsonrpc":2.0,"id":7,"method":"a"}"#, "-32600 7 Invalid request: `jsonrpc` must be \"2.0\""),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"a","params":[1]}"#,
            "-32600 7 Invalid request: `params` must be an object, got an array",
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"a","params":"x"}"#,
            "-32600 7 Invalid request: `params` must be an object, got a string",
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"a","params":null}"#,
            "-32600 7 Invalid request: `params` must be an object, got null",
        ),
    ]);
}

#[test]
fn said_twice() {
    table(&[
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"a","params":{"x":1,"y":{"x":2,"x":3}}}"#,
            "-32600 7 Invalid request: the member \"x\" occurs twice in one object (byte 64); send it once",
        ),
        // Compared as they read, not as they are spelled.
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"a","params":{"a/b":1,"\u0061\/b":2}}"#,
            "-32600 7 Invalid request: the member \"a/b\" occurs twice in one object (byte 55); send it once",
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"a","method":"b"}"#,
            "-32600 7 Invalid request: the member \"method\" occurs twice in one object (byte 37); send it once",
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"a","x":1,"x":1}"#,
            "-32600 7 Invalid request: the member \"x\" occurs twice in one object (byte 43); send it once",
        ),
        // Which of the two ids would it be?
        (
            r#"{"jsonrpc":"2.0","id":7,"id":8,"method":"a"}"#,
            "-32600 - Invalid request: the member \"id\" occurs twice in one object (byte 24); send it once",
        ),
        // The complaint reaches the client even if the id comes later.
        (
            r#"{"params":{"x":1,"x":2},"jsonrpc":"2.0","method":"a","id":7}"#,
            "-32600 7 Invalid request: the member \"x\" occurs twice in one object (byte 17); send it once",
        ),
        // The same name in two objects is no repetition.
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"a","params":{"x":[{"x":1},{"x":1}],"y":{"x":1}}}"#,
            r#"request 7 a {"x":[{"x":1},{"x":1}],"y":{"x":1}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"result":{"x":1,"x":2}}"#,
            "-32600 7 Invalid request: the member \"x\" occurs twice in one object (byte 40); send it once",
        ),
    ]);
}

#[test]
fn halves_of_characters() {
    let complaint = |at| {
        format!("-32600 7 Invalid request: half of a surrogate pair at byte {at} is not a character; send both halves")
    };
    for (text, at) in [
        (r"\ud800", 52),
        (r"\udc00", 52),
        (r"\ud800x", 52),
        (r"\ud800\n", 52),
        (r"\ud800\u0041", 52),
        (r"\uD83D\uD83D\uDE00", 52),
        (r"\uD83D\uDE00\uDE00", 64),
    ] {
        let frame = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"a","params":{{"x":"{text}"}}}}"#);
        assert_eq!(said(frame.as_bytes(), &Limits::default()), complaint(at), "for {text}");
        let frame = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"a","params":{{"{text}":1}}}}"#);
        assert_eq!(said(frame.as_bytes(), &Limits::default()), complaint(at - 4), "for {text} as a name");
    }
    table(&[
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"a","params":{"x":"\uD83D\uDE00 \u00e9 \\ud800"}}"#,
            r#"request 7 a {"x":"\uD83D\uDE00 \u00e9 \\ud800"}"#,
        ),
        // A half in the id leaves no id.
        (
            r#"{"jsonrpc":"2.0","id":"\ud800","method":"a"}"#,
            "-32600 - Invalid request: half of a surrogate pair at byte 23 is not a character; send both halves",
        ),
    ]);
}

#[test]
fn what_no_value_can_hold() {
    let long = "9".repeat(400);
    table(&[
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"a","params":{"x":-1e400}}"#,
            "-32600 7 Invalid request: the number at byte 51 doesn't fit a double; send it as a string",
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"a","params":{"x":1e99999999999999999999}}"#,
            "-32600 7 Invalid request: the number at byte 51 doesn't fit a double; send it as a string",
        ),
        (
            &format!(r#"{{"jsonrpc":"2.0","id":7,"method":"a","params":{{"x":{long}}}}}"#),
            "-32600 7 Invalid request: the number at byte 51 doesn't fit a double; send it as a string",
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"a","params":{"x":{"$serde_json::private::Number":"1"}}}"#,
            "-32600 7 Invalid request: the member name \"$serde_json::private::Number\" at byte 52 is reserved",
        ),
        (
            r#"{"jsonrpc":"2.0","id":7,"method":"a","params":{"\u0024serde_json::private::RawValue":"{}"}}"#,
            "-32600 7 Invalid request: the member name \"$serde_json::private::RawValue\" at byte 47 is reserved",
        ),
    ]);
}

#[test]
fn depth() {
    let limits = Limits { max_depth: 3, ..Limits::default() };
    assert_eq!(said(br#"{"jsonrpc":"2.0","id":7,"method":"a","params":{"x":[]}}"#, &limits), r#"request 7 a {"x":[]}"#);
    let complaint = "-32600 7 Invalid request: nested deeper than 3 levels (byte 52); send a flatter message";
    for inner in ["[[]]", "[{}]", "[[[[[]]]]]", r#"[{"a":1,"a":[]}]"#] {
        let frame = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"a","params":{{"x":{inner}}}}}"#);
        assert_eq!(said(frame.as_bytes(), &limits), complaint, "for {inner}");
    }
    // The id is found behind what is too deep.
    assert_eq!(
        said(br#"{"params":{"x":[[]]},"jsonrpc":"2.0","method":"a","id":7}"#, &limits),
        "-32600 7 Invalid request: nested deeper than 3 levels (byte 16); send a flatter message"
    );
    // What is too deep still has to be JSON.
    assert!(said(br#"{"params":{"x":[[}]},"id":7}"#, &limits).starts_with("-32700 - "));
    // At the default limit whatever passes can be read into a value.
    for (levels, passes) in [(126, true), (127, false)] {
        let frame = format!(
            r#"{{"jsonrpc":"2.0","id":7,"method":"a","params":{{"x":{}{}}}}}"#,
            "[".repeat(levels),
            "]".repeat(levels)
        );
        match parse(frame.as_bytes(), &Limits::default()) {
            Ok(Message::Request(request)) if passes => {
                let params = request.params.unwrap();
                serde_json::from_str::<serde_json::Value>(params.get()).unwrap();
            }
            Err(malformed) if !passes => assert!(malformed.error.message.contains("deeper than 128"), "{malformed:?}"),
            other => panic!("{levels} levels: {other:?}"),
        }
    }
}

#[test]
fn length() {
    let frame = br#"{"jsonrpc":"2.0","id":7,"method":"a"}"#;
    let limits = |max_bytes| Limits { max_bytes, ..Limits::default() };
    assert_eq!(said(frame, &limits(frame.len())), "request 7 a -");
    assert_eq!(
        said(frame, &limits(frame.len() - 1)),
        "-32600 7 Invalid request: the message is longer than 36 bytes; send a shorter one"
    );
    // An id that is cut off could be the beginning of another one.
    assert!(said(frame, &limits(23)).starts_with("-32600 - "));
    assert!(said(frame, &limits(0)).starts_with("-32600 - "));
    assert_eq!(
        refusal(&too_large(br#"{"id":"x","params":{"blob":"AAAA"#, &limits(9))),
        "-32600 \"x\" Invalid request: the message is longer than 9 bytes; send a shorter one"
    );
    assert_eq!(too_large(br#"[{"id":1,"#, &limits(9)).id, None);
    assert_eq!(too_large(br#"{"id":1,"id":2,"#, &limits(9)).id, None);
    assert_eq!(too_large(b"", &limits(9)).id, None);
}
