use serde_json::json;

use crate::program::{DAY, Lined, OBJECTIVE, call, call_id, place, text};

#[test]
fn a_call_outlives_the_process_that_led_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("calls.redb");
    let arguments = ["--clock", DAY, "--speed", "200", "--store", file.to_str().expect("a path")];
    let mut program = Lined::start(&arguments);
    let over = call_id(&program.ask(&place("+12125550101")));
    program.follow(&over);
    let live = call_id(&program.ask(&place("+12125550112")));
    // Killed: it has no time to tidy up.
    drop(program);

    let mut program = Lined::start(&arguments);
    let found = program.ask(&call("get_call", json!({"call_id": live, "wait_seconds": 20})));
    let data = &found["result"]["structuredContent"];
    assert_eq!((&data["status"], &data["resolution"]["outcome"]), (&json!("ended"), &json!("interrupted")));
    assert_eq!(data["objective"], OBJECTIVE);
    assert!(text(&found).contains("died"), "{}", text(&found));
    let list = program.ask(&call("list_calls", json!({})));
    let calls = list["result"]["structuredContent"]["calls"].as_array().expect("calls");
    let found: Vec<_> = calls.iter().map(|call| &call["call_id"]).collect();
    assert_eq!(found, [&json!(live), &json!(over)]);
}

#[test]
fn a_process_that_is_told_to_stop_ends_its_calls() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("calls.redb");
    let arguments = ["--clock", DAY, "--store", file.to_str().expect("a path")];
    let mut program = Lined::start(&arguments);
    let live = call_id(&program.ask(&place("+12125550112")));
    assert!(program.end().success(), "the end of stdin is no failure");
    let mut program = Lined::start(&arguments);
    let list = program.ask(&call("list_calls", json!({})));
    let first = &list["result"]["structuredContent"]["calls"][0];
    assert_eq!((&first["call_id"], &first["resolution"]["outcome"]), (&json!(live), &json!("interrupted")));
}

#[test]
fn a_file_that_is_no_store_is_refused_with_a_sentence() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), "not a database, but long enough to look like something".repeat(100)).expect("written");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_dialer"))
        .args(["--store", file.path().to_str().expect("a path")])
        .output()
        .expect("it runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && errors.starts_with("dialer: ") && !errors.contains("panicked"), "{errors}");
}
