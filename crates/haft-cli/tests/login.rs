//! Logging in: a server that wants a token, the page that gives one, and a browser, all of them this test.
#![allow(missing_docs)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::thread;

use serde_json::{Value, json};

const HAFT: &str = env!("CARGO_BIN_EXE_haft");

/// Reads a message of HTTP: its first line, its headers in small letters, its body.
fn read(stream: &TcpStream) -> (String, String, String) {
    let mut reader = BufReader::new(stream);
    let (mut first, mut headers) = (String::new(), String::new());
    reader.read_line(&mut first).expect("a line");
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).expect("a line");
        if line.trim().is_empty() {
            break;
        }
        headers.push_str(&line.to_ascii_lowercase());
    }
    let length = headers.lines().find_map(|line| line.strip_prefix("content-length:"));
    let mut body = vec![0; length.map_or(0, |length| length.trim().parse().expect("a number"))];
    reader.read_exact(&mut body).expect("the body");
    (first, headers, String::from_utf8(body).expect("UTF-8"))
}

/// A server with one tool, which wants a token, and its own authorization server; gives its URL.
fn serve() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let at = format!("http://{}", listener.local_addr().expect("an address"));
    let url = at.clone();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            let (first, headers, body) = read(&stream);
            let target = first.split(' ').nth(1).expect("a target").to_owned();
            let (status, header, answer) = answer(&at, &target, headers.contains("bearer the-token"), &body);
            let length = answer.len();
            let head = format!("HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n");
            drop(write!(stream, "{head}{header}Connection: close\r\n\r\n{answer}"));
        }
    });
    url
}

fn answer(at: &str, target: &str, is_authorized: bool, body: &str) -> (u16, String, String) {
    let ok = |answer: Value| (200, String::new(), answer.to_string());
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    match path {
        "/.well-known/oauth-protected-resource/mcp" => {
            ok(json!({"resource": format!("{at}/mcp"), "authorization_servers": [at]}))
        }
        "/.well-known/oauth-authorization-server" => ok(json!({
            "issuer": at, "authorization_endpoint": format!("{at}/authorize"), "token_endpoint": format!("{at}/token"),
            "registration_endpoint": format!("{at}/register"), "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none"],
        })),
        "/register" => ok(json!({"client_id": "client"})),
        "/token" => ok(json!({"access_token": "the-token", "token_type": "Bearer"})),
        "/authorize" => {
            let part = |name: &str| {
                let pair = query.split('&').find_map(|pair| pair.strip_prefix(name));
                pair.expect("it is there").replace("%3A", ":").replace("%2F", "/")
            };
            let back = format!("Location: {}?code=code&state={}\r\n", part("redirect_uri="), part("state="));
            (302, back, String::new())
        }
        "/mcp" if is_authorized => {
            let message: Value = serde_json::from_str(body).expect("JSON");
            let mut result = match message["method"].as_str() {
                Some("server/discover") => json!({"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}),
                _ => json!({"tools": [{"name": "guarded", "inputSchema": {"type": "object"}}]}),
            };
            result["resultType"] = json!("complete");
            ok(json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))
        }
        "/mcp" => (401, "WWW-Authenticate: Bearer\r\n".to_owned(), String::new()),
        _ => (404, String::new(), String::new()),
    }
}

/// Gets a page and gives its headers as they came.
fn get(url: &str) -> String {
    let (host, target) = url.strip_prefix("http://").expect("http").split_once('/').expect("a path");
    let mut stream = TcpStream::connect(host).expect("somebody listens");
    write!(stream, "GET /{target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").expect("asked");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("answered");
    text
}

fn haft(words: &[&str], tokens: &PathBuf) -> Command {
    let mut command = Command::new(HAFT);
    command.args(words).env("HAFT_TOKENS", tokens).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn who_logs_in_once_is_logged_in_until_they_log_out() {
    let tokens = std::env::temp_dir().join(format!("haft-tokens-{}.json", std::process::id()));
    let url = format!("{}/mcp", serve());
    let before = haft(&["list", &url], &tokens).output().expect("haft runs");
    assert_eq!(before.status.code(), Some(2));
    assert!(text(&before).contains(&format!("haft login {url}")), "{}", text(&before));

    let mut login = haft(&["login", &url, "--no-browser"], &tokens).spawn().expect("haft runs");
    let mut said = BufReader::new(login.stderr.take().expect("a pipe")).lines();
    let page = said.find_map(|line| line.ok().filter(|line| line.starts_with("http"))).expect("a page");
    let redirected = get(&page);
    let back = redirected.lines().find_map(|line| line.strip_prefix("Location: ")).expect("a redirect");
    assert!(get(back.trim()).contains("close this window"));
    let output = login.wait_with_output().expect("haft ends");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert_eq!(String::from_utf8_lossy(&output.stdout), format!("Logged in to {url}\n"));

    let listed = haft(&["list", &url], &tokens).output().expect("haft runs");
    assert!(text(&listed).contains("guarded"), "{}", text(&listed));
    assert!(!text(&listed).contains("the-token"));

    let out = haft(&["login", "--forget", &url], &tokens).output().expect("haft runs");
    assert_eq!(String::from_utf8_lossy(&out.stdout), format!("Logged out of {url}\n"));
    let after = haft(&["list", &url], &tokens).output().expect("haft runs");
    assert_eq!(after.status.code(), Some(2));
    for left in ["", ".lock"] {
        drop(std::fs::remove_file(format!("{}{left}", tokens.display())));
    }
}
