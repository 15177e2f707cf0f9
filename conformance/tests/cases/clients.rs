//! Cases about clients: the server is played by this program, started again as a child process, or by a socket.

use std::io::{BufRead, Read, Write};
use std::net::TcpListener;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use haft::{CallOptions, Client, Era, ErrorKind};
use serde_json::{Value, json};

/// What a child of this program plays: which case, which of its servers, and the file that it notes all messages in.
const PLAY: &str = "CONFORMANCE_PLAYS";

/// Plays a server, if this process was started to be one.
pub(crate) fn play_if_asked() -> bool {
    let Some(role) = std::env::var(PLAY).ok().and_then(|text| serde_json::from_str::<Value>(&text).ok()) else {
        return false;
    };
    if let Err(error) = server(&role) {
        eprintln!("the played server failed: {error}");
    }
    true
}

fn server(role: &Value) -> std::io::Result<()> {
    let notes = role["notes"].as_str().unwrap_or_default();
    let output = Arc::new(Mutex::new(std::io::stdout()));
    let say = move |text: &str| {
        let mut output = output.lock().expect("nobody panics here");
        output.write_all(text.as_bytes())?;
        output.flush()
    };
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let mut file = std::fs::OpenOptions::new().append(true).create(true).open(notes)?;
        writeln!(file, "{line}")?;
        let asked: Value = serde_json::from_str(&line)?;
        let answer = |result: Value| format!("{}\n", json!({"jsonrpc": "2.0", "id": asked["id"], "result": result}));
        let refuse = |code: i64, message: &str, data: Value| {
            let error = json!({"code": code, "message": message, "data": data});
            format!("{}\n", json!({"jsonrpc": "2.0", "id": asked["id"], "error": error}))
        };
        let discovered = answer(json!({"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}));
        let method = asked["method"].as_str().unwrap_or_default();
        let (case, which) = (role["case"].as_str().unwrap_or_default(), role["server"].as_u64().unwrap_or_default());
        let tool = json!({"name": "a", "inputSchema": {"type": "object"}, "outputSchema": role["outputSchema"]});
        match (case, method) {
            ("A22", _) => {
                for junk in role["lines"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                    let valid = if method == "server/discover" { &discovered } else { &answer(json!({"tools": []})) };
                    let line = if junk == "<the valid response>" { valid.clone() } else { format!("{junk}\n") };
                    say(&line)?;
                }
            }
            ("A44", _) => {
                eprint!("{}", "x".repeat(256 << 10));
                match method {
                    "server/discover" => say(&discovered)?,
                    _ => say(&answer(json!({"tools": [{"name": "a", "inputSchema": {"type": "object"}}]})))?,
                }
            }
            ("A45", "server/discover") => match which {
                0 => {}
                1 => say(&refuse(-32601, "Method not found", Value::Null))?,
                2 => say(&refuse(-32602, "not ready", Value::Null))?,
                3 => say(&refuse(0, "?", Value::Null))?,
                4 => std::process::exit(1),
                5 => say(&refuse(-32022, "no", json!({"supported": ["2026-07-28"], "requested": "2026-07-28"})))?,
                _ => say(&discovered)?,
            },
            ("A45", "initialize") => say(&answer(json!({
                "protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "old", "version": "1"}})))?,
            (_, "server/discover") => say(&discovered)?,
            ("A36", "tools/list") => {
                let cursor = asked["params"].get("cursor").cloned().unwrap_or(json!("absent"));
                let pages = role["pages"].as_array().into_iter().flatten();
                let Some(page) = pages.into_iter().find(|page| page["cursor"] == cursor) else {
                    say(&refuse(-32602, "no such cursor", Value::Null))?;
                    continue;
                };
                let names = page["tools"].as_array().into_iter().flatten();
                let tools: Vec<Value> =
                    names.map(|name| json!({"name": name, "inputSchema": {"type": "object"}})).collect();
                let mut result = json!({"tools": tools});
                if let Some(next) = page.get("nextCursor") {
                    result["nextCursor"] = next.clone();
                }
                say(&answer(result))?;
            }
            ("list", "tools/list") => say(&answer(json!({"tools": role["tools"]})))?,
            (_, "tools/list") if role["outputSchema"].is_null() => {
                say(&answer(json!({"tools": [{"name": "a", "inputSchema": {"type": "object"}}]})))?;
            }
            (_, "tools/list") => say(&answer(json!({"tools": [tool]})))?,
            ("A29", "tools/call") if asked["params"]["arguments"]["quick"].is_null() => {
                let (say, token) = (say.clone(), asked["params"]["_meta"]["progressToken"].clone());
                std::thread::spawn(move || {
                    for progress in 1.. {
                        let params = json!({"progressToken": token, "progress": progress});
                        let line = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params});
                        if say(&format!("{line}\n")).is_err() {
                            return;
                        }
                        // The case says so: a sign of life every 100 ms.
                        std::thread::sleep(Duration::from_millis(100));
                    }
                });
            }
            ("A29", "tools/call") => say(&answer(json!({"content": [{"type": "text", "text": "quick"}]})))?,
            (_, "tools/call") => say(&answer(role["result"].clone()))?,
            _ => {}
        }
    }
    Ok(())
}

/// A child that plays `role`, and what it has been told so far.
struct Child {
    client: Client,
    notes: tempfile::TempPath,
}

impl Child {
    fn start(mut role: Value, builder: haft::ClientBuilder) -> Result<Self, String> {
        let notes = tempfile::NamedTempFile::new().map_err(|error| error.to_string())?.into_temp_path();
        role["notes"] = json!(notes.to_string_lossy());
        let mut command = Command::new(std::env::current_exe().map_err(|error| error.to_string())?);
        command.env(PLAY, role.to_string());
        let client = builder.open(command).map_err(|error| error.to_string())?;
        Ok(Self { client, notes })
    }

    fn told(&self) -> Result<Vec<Value>, String> {
        let text = std::fs::read_to_string(&self.notes).map_err(|error| error.to_string())?;
        text.lines().map(|line| serde_json::from_str(line).map_err(|error| error.to_string())).collect()
    }

    fn methods(&self) -> Result<Vec<String>, String> {
        Ok(self.told()?.iter().map(|message| message["method"].as_str().unwrap_or("(response)").to_owned()).collect())
    }
}

/// The names that a client keeps of a list, and those that it says it leaves out.
pub(crate) fn listed(tools: &Value) -> Result<(Vec<String>, Vec<String>), String> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    runtime.map_err(text)?.block_on(async {
        let child = Child::start(json!({"case": "list", "tools": tools}), Client::builder())?;
        let list = child.client.tools().await.map_err(text)?;
        let kept = list.tools.into_iter().map(|tool| tool.name).collect();
        Ok((kept, list.left_out.into_iter().filter_map(|tool| tool.name).collect()))
    })
}

/// Holds the client to one case.
pub(crate) fn run(id: &str, input: &Value) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    runtime.block_on(async {
        match id {
            "A15" => mismatch(input).await,
            "A18" => unknown_content(input).await,
            "A22" => junk(input).await,
            "A29" => timeouts(input).await,
            "A36" => pages(input).await,
            "A42" => events(input).await,
            "A44" => flood().await,
            "A45" => eras().await,
            _ => Err("there is no client for this case".to_owned()),
        }
    })
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn ensure(holds: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what()) }
}

async fn mismatch(input: &Value) -> Result<(), String> {
    for is_error in [true, false] {
        let mut result = input["server_result"].clone();
        result["isError"] = json!(is_error);
        let role = json!({"case": "A15", "outputSchema": input["outputSchema"], "result": result});
        let child = Child::start(role, Client::builder())?;
        let called = child.client.call("a", json!({})).await.map_err(text)?;
        ensure(called.text() == "table is gone", || format!("the text was {:?}", called.text()))?;
        let structured = called.structured_content.as_ref().map(|raw| raw.get());
        ensure(structured == Some(r#"{"reason":"gone"}"#), || format!("the payload was {structured:?}"))?;
        ensure(called.mismatch.is_some() != is_error, || format!("isError {is_error}: {:?}", called.mismatch))?;
    }
    Ok(())
}

async fn unknown_content(input: &Value) -> Result<(), String> {
    let child = Child::start(json!({"case": "A18", "result": input["server_result"]}), Client::builder())?;
    let called = child.client.call("a", json!({})).await.map_err(text)?;
    ensure(called.text() == "ok" && called.content.len() == 3, || format!("{:?}", called.content))
}

async fn junk(input: &Value) -> Result<(), String> {
    let child = Child::start(json!({"case": "A22", "lines": input["server_lines"]}), Client::builder())?;
    child.client.list_tools().await.map_err(text)?;
    let methods = child.methods()?;
    ensure(methods == ["server/discover", "tools/list"], || format!("the client wrote {methods:?}"))
}

async fn timeouts(input: &Value) -> Result<(), String> {
    let limit = |name: &str| Duration::from_millis(input["client"][name].as_u64().unwrap_or_default());
    let child = Child::start(json!({"case": "A29"}), Client::builder())?;
    child.client.list_tools().await.map_err(text)?;
    let options = CallOptions::default().idle_timeout(limit("idle_timeout_ms")).timeout(limit("max_timeout_ms"));
    let begun = std::time::Instant::now();
    let Err(late) = child.client.call_with("a", json!({}), options).await else {
        return Err("the call had a result".to_owned());
    };
    ensure(matches!(late.kind(), ErrorKind::Timeout), || format!("not a timeout: {late}"))?;
    ensure(begun.elapsed() >= limit("max_timeout_ms"), || format!("given up after {:?}", begun.elapsed()))?;
    let quick = child.client.call("a", json!({"quick": true})).await.map_err(text)?;
    ensure(quick.text() == "quick", || "the next call failed".to_owned())?;
    let told = child.told()?;
    let slow = told.iter().find(|message| message["method"] == "tools/call").map(|message| message["id"].clone());
    let cancelled = told.iter().find(|message| message["method"] == "notifications/cancelled");
    let cancelled = cancelled.map(|message| message["params"]["requestId"].clone());
    ensure(slow.is_some() && slow == cancelled, || format!("{slow:?} was called, {cancelled:?} cancelled"))
}

async fn pages(input: &Value) -> Result<(), String> {
    let expected: [(Option<usize>, usize); 3] = [(Some(2), 2), (None, 2), (Some(1), 1)];
    for (pages, (tools, most)) in input["servers"].as_array().into_iter().flatten().zip(expected) {
        let child = Child::start(json!({"case": "A36", "pages": pages}), Client::builder())?;
        let listed = child.client.list_tools().await;
        let count = listed.as_ref().ok().map(Vec::len);
        ensure(count == tools, || format!("{pages}: {listed:?}"))?;
        let told = child.told()?;
        let asked: Vec<_> = told.iter().filter(|message| message["method"] == "tools/list").collect();
        ensure(asked.len() == most, || format!("{pages}: {} requests", asked.len()))?;
        let second = asked.get(1).and_then(|second| second["params"]["cursor"].as_str());
        ensure(tools != Some(2) || second == Some(""), || format!("{pages}: the second cursor was {second:?}"))?;
    }
    Ok(())
}

/// A socket that answers `tools/call` with the case's stream, a byte at a time.
async fn events(input: &Value) -> Result<(), String> {
    let listener = TcpListener::bind("127.0.0.1:0").map_err(text)?;
    let address = listener.local_addr().map_err(text)?;
    let response = input["response"].clone();
    let server = std::thread::spawn(move || -> std::io::Result<()> {
        for stream in listener.incoming() {
            let mut stream = stream?;
            let asked = read_request(&mut stream)?;
            let close = "Connection: close\r\n";
            let json = |result: Value| {
                let body = json!({"jsonrpc": "2.0", "id": asked["id"], "result": result}).to_string();
                format!(
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{close}\r\n{body}",
                    body.len()
                )
            };
            match asked["method"].as_str() {
                Some("server/discover") => {
                    let result = json!({"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}});
                    stream.write_all(json(result).as_bytes())?;
                }
                Some("tools/list") => {
                    let result = json!({"tools": [{"name": "a", "inputSchema": {"type": "object"}}]});
                    stream.write_all(json(result).as_bytes())?;
                }
                _ => {
                    let kind = response["headers"]["Content-Type"].as_str().unwrap_or_default();
                    write!(
                        stream,
                        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nTransfer-Encoding: chunked\r\n{close}\r\n"
                    )?;
                    // The case writes 1 for whatever the id is.
                    let body = response["body"].as_str().unwrap_or_default();
                    let body = body.replace("\"id\":1,", &format!("\"id\":{},", asked["id"]));
                    for byte in body.bytes() {
                        stream.write_all(b"1\r\n")?;
                        stream.write_all(&[byte])?;
                        stream.write_all(b"\r\n")?;
                        stream.flush()?;
                    }
                    stream.write_all(b"0\r\n\r\n")?;
                    return Ok(());
                }
            }
        }
        Ok(())
    });
    let client = Client::connect(format!("http://{address}/mcp")).await.map_err(text)?;
    let called = client.call("a", json!({})).await.map_err(text)?;
    ensure(called.text() == "世界", || format!("the text was {:?}", called.text()))?;
    server.join().map_err(|_| "the socket's thread panicked".to_owned())?.map_err(text)
}

/// The body of one request, which has its length in its head.
fn read_request(stream: &mut std::net::TcpStream) -> std::io::Result<Value> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte)?;
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:")).unwrap_or("0");
    let mut body = vec![0; length.trim().parse().map_err(std::io::Error::other)?];
    stream.read_exact(&mut body)?;
    serde_json::from_slice(&body).map_err(Into::into)
}

async fn flood() -> Result<(), String> {
    let child = Child::start(json!({"case": "A44"}), Client::builder())?;
    for _ in 0..3 {
        ensure(child.client.refresh_tools().await.map_err(text)?.tools.len() == 1, || "no tools".to_owned())?;
    }
    let kept = child.client.stderr_tail().len();
    ensure(kept > 0 && kept <= 64 << 10, || format!("{kept} bytes of stderr are kept"))
}

async fn eras() -> Result<(), String> {
    for which in 0..7 {
        // The one that is silent needs no longer than it takes.
        let builder = Client::builder().probe_timeout(Duration::from_millis(200));
        let builder = if which == 0 { builder } else { builder.probe_timeout(Duration::from_secs(20)) };
        let child = Child::start(json!({"case": "A45", "server": which}), builder)?;
        for _ in 0..2 {
            child.client.refresh_tools().await.map_err(|error| format!("server {which}: {error}"))?;
        }
        let methods = child.methods()?;
        let count = |method: &str| methods.iter().filter(|other| *other == method).count();
        let old = which <= 4;
        ensure(count("initialize") == usize::from(old), || format!("server {which}: {methods:?}"))?;
        let probes = if which == 5 { 2 } else { 1 };
        ensure(count("server/discover") == probes, || format!("server {which}: {methods:?}"))?;
    }
    let child = Child::start(json!({"case": "A45", "server": 1}), Client::builder().era(Era::Modern))?;
    let Err(refused) = child.client.list_tools().await else {
        return Err("a modern client took an old server".to_owned());
    };
    ensure(refused.to_string().contains("2026-07-28"), || format!("the error names no version: {refused}"))
}
