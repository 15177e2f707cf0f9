use std::io::Write;

use serde_json::json;

use crate::program::{DAY, Lined, UNKNOWN, call, call_id, code, place, text};

#[test]
fn at_night_nobody_is_called() {
    // Four in the morning in New York.
    let mut program = Lined::start(&["--clock", "2026-12-01T09:00:00Z"]);
    let refused = program.ask(&place("+12125550100"));
    assert_eq!(code(&refused), "outside_calling_window");
    assert!(text(&refused).contains("04:00 in America/New_York"), "{}", text(&refused));
    assert!(text(&refused).contains("2026-12-01T13:00:00Z"), "{}", text(&refused));
    let list = program.ask(&call("list_calls", json!({})));
    assert_eq!(list["result"]["structuredContent"]["calls"], json!([]), "nothing was placed");
}

#[test]
fn who_asked_not_to_be_called_is_not() {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    writeln!(file, "+12125550114 # by letter").expect("written");
    let path = file.path().to_str().expect("a path");
    let mut program = Lined::start(&["--clock", DAY, "--speed", "200", "--opt-out", path]);
    assert_eq!(code(&program.ask(&place("+12125550114"))), "opted_out");
    // This one asks for it in the call.
    let id = call_id(&program.ask(&place("+12125550109")));
    program.follow(&id);
    let refused = program.ask(&place("+12125550109"));
    assert_eq!(code(&refused), "opted_out");
    assert!(text(&refused).contains("Don't try again"));
}

#[test]
fn an_account_has_an_allowance() {
    let mut program = Lined::start(&["--clock", DAY, "--calls-per-hour", "2"]);
    for _ in 0..2 {
        call_id(&program.ask(&place("+12125550112")));
    }
    let refused = program.ask(&place("+12125550112"));
    assert_eq!(code(&refused), "rate_limited");
    assert!(text(&refused).contains("2026-12-01T18:30:0"), "{}", text(&refused));
}

#[test]
fn other_refusals_say_what_to_do() {
    let mut program = Lined::start(&["--clock", DAY]);
    let premium = program.ask(&place("+19005550100"));
    assert_eq!(code(&premium), "unsupported_number");
    let fault = program.ask(&place("+12125550110"));
    assert_eq!(code(&fault), "provider_unavailable");
    let list = program.ask(&call("list_calls", json!({})));
    assert_eq!(list["result"]["structuredContent"]["calls"][0]["resolution"]["outcome"], "failed");
    for tool in ["get_call", "end_call"] {
        let refused = program.ask(&call(tool, json!({"call_id": UNKNOWN})));
        assert_eq!(code(&refused), "unknown_handle");
        assert!(text(&refused).contains("list_calls") && !text(&refused).contains(UNKNOWN), "{}", text(&refused));
    }
    let far = program.ask(&call("list_calls", json!({"cursor": "nowhere"})));
    assert_eq!(code(&far), "bad_cursor");
}

#[test]
fn what_breaks_the_schema_is_refused_before_anything_is_asked() {
    let mut program = Lined::start(&["--clock", DAY]);
    let bad = json!({"to": "212-555-0100", "objective": "short", "max_duration_minutes": 30});
    let refused = program.ask(&call("place_call", bad));
    for part in ["/to", "/objective", "/max_duration_minutes"] {
        assert!(text(&refused).contains(part), "{}", text(&refused));
    }
    let refused = program.ask(&call("get_call", json!({"call_id": UNKNOWN, "wait_seconds": 51})));
    assert!(text(&refused).contains("/wait_seconds"), "{}", text(&refused));
}
