//! Frames that are made to hurt.

use std::time::{Duration, Instant};

use haft_wire::{Limits, code, parse};

/// Far more than these take in an unoptimized build, far less than anything quadratic would.
const PATIENCE: Duration = Duration::from_secs(10);

fn refused(frame: &str) -> i64 {
    let start = Instant::now();
    let code = parse(frame.as_bytes(), &Limits::default()).unwrap_err().error.code;
    assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
    code
}

#[test]
fn deep_input_needs_no_stack() {
    let levels = 100_000;
    let arrays = format!(
        r#"{{"jsonrpc":"2.0","id":7,"method":"a","params":{{"x":{}{}}}}}"#,
        "[".repeat(levels),
        "]".repeat(levels)
    );
    let objects = format!(
        r#"{{"jsonrpc":"2.0","id":7,"method":"a","params":{}1{}}}"#,
        r#"{"a":"#.repeat(levels),
        "}".repeat(levels)
    );
    // A test has a stack of 2 MiB; make it a small one.
    std::thread::Builder::new()
        .stack_size(256 * 1024)
        .spawn(move || {
            assert_eq!(refused(&arrays), code::INVALID_REQUEST);
            assert_eq!(refused(&objects), code::INVALID_REQUEST);
            assert_eq!(refused(&"[".repeat(levels)), code::PARSE_ERROR);
            assert_eq!(refused(&"{\"a\":".repeat(levels)), code::PARSE_ERROR);
        })
        .unwrap()
        .join()
        .unwrap();
}

#[test]
fn many_members_take_no_quadratic_time() {
    let members: String = (0..200_000).map(|n| format!(r#""k{n}":0,"#)).collect();
    let frame = |last: &str| format!(r#"{{"jsonrpc":"2.0","id":7,"method":"a","params":{{{members}{last}}}}}"#);
    let start = Instant::now();
    assert!(parse(frame(r#""k":0"#).as_bytes(), &Limits::default()).is_ok());
    assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
    assert_eq!(refused(&frame(r#""k0":0"#)), code::INVALID_REQUEST);
    assert_eq!(refused(&frame(r#""k199999":0"#)), code::INVALID_REQUEST);
    // Escaped throughout.
    assert_eq!(refused(&frame(r#""\u006b199999":0"#)), code::INVALID_REQUEST);
}

#[test]
fn a_repetition_is_found_among_few_and_many() {
    for count in 1..40 {
        for repeated in 0..count {
            let members: String = (0..count).map(|n| format!(r#""k{n}":{{"k{n}":0}},"#)).collect();
            let frame = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"a","params":{{{members}"k{repeated}":0}}}}"#);
            assert_eq!(refused(&frame), code::INVALID_REQUEST);
            let frame = frame.replace(&format!(r#""k{repeated}":0}}}}"#), r#""other":0}}"#);
            assert!(parse(frame.as_bytes(), &Limits::default()).is_ok(), "{frame}");
        }
    }
}

#[test]
fn every_place_in_a_string_is_looked_at() {
    // Strings are scanned eight bytes at a time.
    for length in 0..40 {
        for at in 0..length {
            let mut text = vec![b'x'; length];
            for (bad, message) in [(0x1f, "control character"), (b'\\', "escape character"), (0xff, "UTF-8")] {
                text[at] = bad;
                let mut frame = b"[\"".to_vec();
                frame.extend_from_slice(&text);
                frame.extend_from_slice(b"\"]");
                let error = parse(&frame, &Limits::default()).unwrap_err().error;
                assert_eq!(error.code, code::PARSE_ERROR);
                let place = if bad == b'\\' && at + 1 == length { "closing quote" } else { message };
                assert!(error.message.contains(place), "{at} of {length}: {}", error.message);
            }
        }
    }
}
