//! What a hostile server says, on its way to a terminal: every character of it that steers or hides is escaped, and no line
//! of it can be taken for one of the command's own.
#![allow(missing_docs)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Output, Stdio};
use std::thread;

use serde_json::{Value, json};

const HAFT: &str = env!("CARGO_BIN_EXE_haft");

/// Clears the screen, sets the title, turns text round, hides some, ends lines in every way, and goes back over them.
const EVIL: &str =
    "A\u{1b}[2J\u{1b}]0;title\u{7}\u{9b}31m\u{202e}B\u{200b}\u{e0041}\u{2066}C\u{2028}D\rE\u{85}F\u{8}\u{feff}G";

/// The same, with a line that looks like one of the command's.
fn evil() -> String {
    format!("{EVIL}\nforged: all is well\r\nforged again")
}

/// Reads a POST and gives its message.
fn posted(stream: &TcpStream) -> Option<Value> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let line = line.to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}

/// A server all of whose texts are evil; gives its URL.
fn serve() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            let Some(message) = posted(&stream) else { continue };
            let answer = answer(&message);
            let body: String = answer.iter().map(|event| format!("data: {event}\n\n")).collect();
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close";
            let evil = "X-Evil: \u{202e}\u{e0041}\r\nSet-Cookie: id=the-secret";
            drop(write!(stream, "{head}\r\n{evil}\r\n\r\n{body}"));
        }
    });
    url
}

fn answer(asked: &Value) -> Vec<Value> {
    let result = |result: Value| json!({"jsonrpc": "2.0", "id": asked["id"], "result": result});
    let failed = |code: i64| json!({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": code, "message": evil()}});
    let note = |method: &str, params: Value| json!({"jsonrpc": "2.0", "method": method, "params": params});
    match asked["method"].as_str() {
        Some("server/discover") => vec![result(json!({
            "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
            "instructions": evil(), "_meta": {"io.modelcontextprotocol/serverInfo": {"name": evil(), "version": evil()}},
        }))],
        Some("tools/list") => vec![result(json!({"resultType": "complete", "tools": [
            {"name": evil(), "title": evil(), "description": evil(), "inputSchema": {"type": "object", "required": [evil()],
                "properties": {evil(): {"type": evil(), "description": evil()}}}},
            {"name": evil(), "inputSchema": {"type": "object"}},
            {"name": "left out", "inputSchema": evil()},
            {"name": "good", "inputSchema": {"type": "object"}},
        ]}))],
        Some("tools/call") if asked["params"]["name"] == "good" => {
            let token = &asked["params"]["_meta"]["progressToken"];
            let link = json!({"type": "resource_link", "name": evil(), "uri": evil(), "mimeType": evil()});
            vec![
                note("notifications/progress", json!({"progressToken": token, "progress": 1, "message": evil()})),
                note("notifications/message", json!({"level": "error", "data": evil()})),
                result(json!({"resultType": "complete", "content": [
                    {"type": "text", "text": EVIL}, link,
                    {"type": "image", "data": "AAAA", "mimeType": evil()},
                    {"type": evil(), "what": evil()},
                    {"type": "resource", "resource": {"uri": evil(), "text": EVIL, "mimeType": evil()}},
                ], "structuredContent": {evil(): evil()}})),
            ]
        }
        Some("subscriptions/listen") => {
            let meta = json!({"io.modelcontextprotocol/subscriptionId": asked["id"]});
            vec![
                note("notifications/subscriptions/acknowledged", json!({"_meta": meta, "notifications": {}})),
                note("notifications/resources/updated", json!({"_meta": meta, "uri": evil()})),
                result(json!({"resultType": "complete"})),
            ]
        }
        _ => vec![failed(-32603)],
    }
}

fn run(words: &[&str]) -> Output {
    let tokens = std::env::temp_dir().join(format!("haft-hostile-{}.json", std::process::id()));
    Command::new(HAFT).args(words).env("HAFT_TOKENS", tokens).stdin(Stdio::null()).output().expect("haft runs")
}

/// All that a run wrote, which must be tame.
#[track_caller]
fn tame(words: &[&str]) -> String {
    let output = run(words);
    let text = String::from_utf8([output.stdout, output.stderr].concat()).expect("UTF-8");
    for c in text.chars() {
        let hides = matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
            | '\u{e0000}'..='\u{e0fff}');
        assert!(!hides && (c == '\n' || !c.is_control()), "{c:?} in {text:?}");
    }
    assert!(!text.lines().any(|line| line.starts_with("forged")), "a line was forged: {text}");
    assert!(text.contains("u{1b}") || text.contains("u001b"), "nothing evil came: {text}");
    text
}

#[test]
fn a_list() {
    let url = serve();
    let text = tame(&["list", &url]);
    assert!(text.contains("haft: left out is left out: its input schema is no object"), "{text}");
    tame(&["list", &url, "--format", "json"]);
}

#[test]
fn a_result_and_an_error() {
    let url = serve();
    tame(&["call", &url, "good"]);
    let json = tame(&["call", &url, "good", "--format", "json"]);
    let result: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(result["content"][0]["text"], EVIL, "escaped, and still the same");
    tame(&["call", &url, "bad"]);
}

#[test]
fn news_and_findings() {
    let url = serve();
    tame(&["watch", &url, "--count", "1", "--resource", "r"]);
    tame(&["watch", &url, "--count", "1", "--resource", "r", "--format", "json"]);
    for format in ["text", "json", "sarif", "markdown", "junit"] {
        tame(&["check", &url, "--host", "all", "--format", format]);
    }
}

#[test]
fn the_wire_without_what_lets_somebody_in() {
    let url = serve();
    let header = "Authorization: Bearer the-secret";
    let text = tame(&["call", &url, "good", "--verbose", "--header", header, "--header", "X-Mine: the-secret"]);
    for part in [
        "→ POST http://",
        "→   mcp-method: tools/call",
        "→   authorization: [redacted]",
        "← 200 OK",
        "←   set-cookie: [redacted]",
        "→ {\"jsonrpc\":\"2.0\"",
        "← {\"",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!text.contains("the-secret"), "{text}");
}

#[cfg(unix)]
#[test]
fn the_last_words_of_a_server_and_a_line_without_end() {
    let words = "printf 'A\\033[2J\\nforged: all is well\\n\\342\\200\\256' >&2; read line; exit 3";
    let text = tame(&["list", "--", "sh", "-c", words]);
    assert!(text.contains("  forged: all is well"), "{text}");
    // 80 MiB without a line feed, and a memory that may grow to a part of it only.
    let flood = "read line; head -c 83886080 /dev/zero | tr '\\0' x; sleep 60";
    let limited =
        format!("ulimit -v 4000000; exec \"$0\" list --timeout 3 -- sh -c '{}'", flood.replace('\'', "'\\''"));
    let output = Command::new("sh").args(["-c", &limited, HAFT]).output().expect("sh runs");
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
}
