use std::process::Command;

use serde_json::json;

use crate::program::{DAY, Http, call, call_id, place};

#[test]
fn one_command_serves_http_and_names_its_token() {
    let server = Http::start(&["--clock", DAY, "--speed", "200"]);
    let placed = server.ask(&server.token, &place("+12125550100"));
    assert_eq!(placed.status, 200);
    let id = call_id(&placed.json());
    let waited = server.ask(&server.token, &call("get_call", json!({"call_id": id, "wait_seconds": 20})));
    assert_ne!(waited.json()["result"]["structuredContent"]["status"], "dialing");
    assert_eq!(server.ask("", &place("+12125550100")).status, 401);
    assert_eq!(server.post("/elsewhere", "", b"").status, 404);
}

#[test]
fn what_cannot_be_served_is_said_and_nothing_starts() {
    for (arguments, says) in [
        (&["--http", "0.0.0.0:0"][..], "--allow-host"),
        (&["--http", "127.0.0.1:0", "--accounts", "/does/not/exist"], "/does/not/exist"),
        (&["--opt-out", "/does/not/exist"], "/does/not/exist"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_dialer")).args(arguments).output().expect("it runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && errors.contains(says), "{arguments:?}: {errors}");
    }
}
