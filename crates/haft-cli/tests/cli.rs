//! The command as a user runs it: words in, text and exit code out.
#![allow(missing_docs)]

use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

const HAFT: &str = env!("CARGO_BIN_EXE_haft");

/// Runs `haft WORDS -- haft demo --serve`: the orders server is the one to talk to.
fn against_orders(words: &[&str]) -> Output {
    run(&[words, &["--", HAFT, "demo", "--serve"]].concat())
}

fn run(words: &[&str]) -> Output {
    Command::new(HAFT).args(words).output().expect("haft runs")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

#[test]
fn list_shows_names_hints_and_arguments_without_colours_in_a_pipe() {
    let output = against_orders(&["list"]);
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output);
    for part in ["get_order  Look up an order  read-only", "cancel_order", "destructive", "order_id: string  Order ID"]
    {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains('\u{1b}'), "{text:?}");
}

#[test]
fn list_as_json_is_the_list_itself() {
    let listed: Value = serde_json::from_str(&stdout(&against_orders(&["list", "--format", "json"]))).expect("JSON");
    assert_eq!(listed["tools"][0]["name"], "get_order");
    assert_eq!(listed["tools"][0]["inputSchema"]["properties"]["order_id"]["pattern"], r"^A-\d{4}$");
}

#[test]
fn a_server_is_found_by_its_name_in_a_file_of_hosts() {
    let file = std::env::temp_dir().join(format!("haft-servers-{}.json", std::process::id()));
    let servers = json!({"mcpServers": {"orders": {"command": "${HAFT_OF_THE_TEST}", "args": ["demo", "--serve"]}}});
    std::fs::write(&file, servers.to_string()).expect("a file");
    let named = |name: &str| {
        let words =
            ["call", "get_order", "order_id=A-1001", "--config", file.to_str().expect("text"), "--server", name];
        Command::new(HAFT).args(words).env("HAFT_OF_THE_TEST", HAFT).output().expect("haft runs")
    };
    let (found, unknown) = (named("orders"), named("nobody"));
    std::fs::remove_file(&file).expect("gone");
    assert_eq!(found.status.code(), Some(0), "{}", stderr(&found));
    assert!(stdout(&found).starts_with("{\"order_id\":\"A-1001\""), "{}", stdout(&found));
    assert_eq!(unknown.status.code(), Some(2));
    assert!(stderr(&unknown).contains("there are: "), "{}", stderr(&unknown));
}

#[test]
fn call_prints_what_the_model_reads_then_the_structure() {
    for words in
        [&["call", "get_order", "order_id=A-1001"][..], &["call", "get_order", "--json", r#"{"order_id":"A-1001"}"#]]
    {
        let output = against_orders(words);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let text = stdout(&output);
        let (model, structure) = text.split_once("structured content:\n").expect("both halves");
        assert_eq!(model, "{\"order_id\":\"A-1001\",\"status\":\"shipped\"}\n");
        let structure: Value = serde_json::from_str(structure).expect("JSON");
        assert_eq!(structure, json!({"order_id": "A-1001", "status": "shipped"}));
    }
}

#[test]
fn an_error_result_exits_with_one_and_no_answer_with_two() {
    let refused = against_orders(&["call", "get_order", "order_id=1001"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stdout(&refused).contains(r"must match the pattern ^A-\d{4}$"), "{}", stdout(&refused));

    let unknown = against_orders(&["call", "refund_order"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(stderr(&unknown).contains("Unknown tool: refund_order"), "{}", stderr(&unknown));

    let missing = run(&["list", "--", "/no/such/program"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(stderr(&missing).contains("/no/such/program could not be started"), "{}", stderr(&missing));
}

#[cfg(unix)]
#[test]
fn a_server_that_dies_is_shown_with_its_last_words() {
    let output = run(&["list", "--", "sh", "-c", "echo 'no database' >&2; read line; exit 3"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("no database"), "{}", stderr(&output));
}

#[test]
fn a_server_exits_when_its_stdin_closes_though_nobody_reads_its_answers() {
    let mut server = Command::new(HAFT)
        .args(["demo", "--serve"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("haft runs");
    let unread = server.stdout.take();
    let mut stdin = server.stdin.take().expect("a pipe");
    // Answers of more than a pipe holds.
    for id in 0..200 {
        let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                          "io.modelcontextprotocol/clientCapabilities": {}});
        let request = json!({"jsonrpc": "2.0", "id": id, "method": "tools/list", "params": {"_meta": meta}});
        writeln!(stdin, "{request}").expect("the server reads");
    }
    drop(stdin);
    let (exited, exit) = mpsc::channel();
    thread::spawn(move || exited.send(server.wait()));
    let status = exit.recv_timeout(Duration::from_secs(30)).expect("it exits").expect("a status");
    assert_eq!(status.code(), Some(0));
    drop(unread);
}

#[test]
fn words_that_are_no_arguments_are_refused() {
    let output = against_orders(&["call", "get_order", "A-1001"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("name=value"), "{}", stderr(&output));
}

#[test]
fn demo_shows_each_kind_of_answer() {
    let output = run(&["demo"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    for part in [
        "get_order  Look up an order",
        r#"{"order_id":"A-1001","status":"shipped"}"#,
        r"- /order_id: must match the pattern ^A-\d{4}$",
        "No order A-9999. Ask the user to check the ID on their receipt.",
        "Unknown tool: refund_order",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let json: Value = serde_json::from_str(&stdout(&run(&["demo", "--format", "json"]))).expect("JSON");
    assert_eq!(json["calls"].as_array().map(Vec::len), Some(4));
}
