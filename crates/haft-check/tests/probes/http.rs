//! The same server over HTTP, with a thread for each connection.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::Value;

use crate::server::{self, State};

/// Serves until the program ends; the URL.
pub(crate) fn serve(fault: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
    let (fault, state) = (fault.to_owned(), Arc::new(Mutex::new(State::default())));
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let (fault, state) = (fault.clone(), Arc::clone(&state));
            std::thread::spawn(move || one(stream, &fault, &state));
        }
    });
    url
}

/// The head of a request: method, and headers by their names in lower case.
struct Head {
    method: String,
    headers: Vec<(String, String)>,
}

impl Head {
    fn get(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

fn one(stream: TcpStream, fault: &str, state: &Mutex<State>) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut head = Head { method: line.split(' ').next()?.to_owned(), headers: Vec::new() };
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim().split_once(':') else { break };
        head.headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = head.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let (status, kind, body) = answer(&head, &String::from_utf8_lossy(&body), fault, state);
    let session = if fault == "sessions for all" { "Mcp-Session-Id: 1\r\n" } else { "" };
    let kind = if body.is_empty() { String::new() } else { format!("Content-Type: {kind}\r\n") };
    let length = body.len();
    let head = format!("HTTP/1.1 {status} X\r\n{kind}{session}Content-Length: {length}\r\nConnection: close\r\n\r\n");
    (&stream).write_all(format!("{head}{body}").as_bytes()).ok()
}

fn answer(head: &Head, body: &str, fault: &str, state: &Mutex<State>) -> (u16, &'static str, String) {
    if head.get("origin").is_some() && fault != "any origin" {
        return (403, "text/plain", "Forbidden".to_owned());
    }
    if head.method != "POST" {
        return (405, "text/plain", String::new());
    }
    let message: Value = serde_json::from_str(body).unwrap_or_default();
    let modern = !message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"].is_null();
    let id = &message["id"];
    if modern && !fits(head, &message, fault) && fault != "any headers" {
        let status = if fault == "errors are 200" { 200 } else { 400 };
        let error = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32020,"message":"no"}}}}"#);
        return (status, "application/json", error);
    }
    let mut state = state.lock().expect("nobody panicked");
    let reply = server::answer(body, fault, &mut state);
    if message.get("id").is_none() && message.get("method").is_some() {
        return if fault == "notifications get 200" {
            (200, "application/json", "{}".to_owned())
        } else {
            (202, "", String::new())
        };
    }
    let Some(line) = reply.lines.last() else { return (202, "", String::new()) };
    let code = serde_json::from_str::<Value>(line).unwrap_or_default()["error"]["code"].as_i64();
    let refused = message["method"] != "tools/call";
    let status = match code {
        _ if fault == "errors are 200" => 200,
        Some(-32601) => 404,
        Some(-32022 | -32600 | -32700) => 400,
        Some(-32602) if refused => 400,
        _ => 200,
    };
    match fault {
        "plain text" => (status, "text/plain", line.clone()),
        "streams" => (status, "text/event-stream", format!("data: {line}\n\n")),
        _ => (status, "application/json", line.clone()),
    }
}

/// Whether the headers are those of the body.
fn fits(head: &Head, message: &Value, fault: &str) -> bool {
    // `haft_no_such_tool`
    let name = head.get("mcp-name").map(|name| match name {
        "=?base64?aGFmdF9ub19zdWNoX3Rvb2w=?=" if fault != "Base64 is not read" => "haft_no_such_tool",
        name => name,
    });
    let params = &message["params"];
    head.get("mcp-protocol-version") == params["_meta"]["io.modelcontextprotocol/protocolVersion"].as_str()
        && head.get("mcp-method") == message["method"].as_str()
        && (message["method"] != "tools/call" || name == params["name"].as_str())
}
