//! Servers that mean harm: each costs bounded time and memory. The client runs in a process of its own, which says how much
//! memory it took at its peak.

mod http;
mod lines;

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use haft::{Api, CallOptions, Client, ClientError, Elicited, Target, Toolbox};
use serde_json::{Value, json};

/// How long the client waits for one answer, where one comes and where none does; and how long it may live in all: in a debug
/// build, on a busy machine.
const PATIENT: Duration = Duration::from_secs(60);
const HASTY: Duration = Duration::from_secs(3);
const SOON: Duration = Duration::from_secs(150);
/// What the client may take: a few of the longest messages (32 MiB), or one that is read.
const MEMORY: u64 = 420 << 10;

/// Where the client of another process finds its server.
const PLACE: &str = "HAFT_TEST_HOSTILE";

/// What came of talking to a server: a line for each thing that was tried.
struct Outcome {
    said: String,
    peak: u64,
}

impl Outcome {
    #[track_caller]
    fn has(&self, parts: &[&str]) {
        for part in parts {
            assert!(self.said.contains(part), "{part} in {}", self.said);
        }
        assert!(self.peak < MEMORY, "{} KiB at the peak: {}", self.peak, self.said);
    }
}

/// Runs the client of [`the_client_of_another_process`] against a server at `place`.
fn try_at(place: &str, patience: Duration) -> Outcome {
    let begun = Instant::now();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "hostile::the_client_of_another_process", "--nocapture", "--test-threads=1"])
        .env(PLACE, format!("{} {place}", patience.as_secs()))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(begun.elapsed() < SOON, "took {:?}: {said}", begun.elapsed());
    let peak = said.lines().find_map(|line| line.strip_prefix("peak ")?.parse().ok()).unwrap();
    Outcome { said, peak }
}

/// The test that is the client, where it is asked to be. Its standard output is read by the test that started it.
#[tokio::test]
#[allow(clippy::print_stdout)]
async fn the_client_of_another_process() {
    let Ok(place) = std::env::var(PLACE) else { return };
    let words: Vec<&str> = place.split(' ').collect();
    let &[patience, kind, at] = words.as_slice() else { unreachable!("{place}") };
    let patience = Duration::from_secs(patience.parse().unwrap());
    let builder =
        Client::builder().timeout(patience).probe_timeout(PATIENT).on_elicitation(|_| async { Elicited::Decline });
    let target = match kind {
        "lines" => {
            let stream = tokio::net::TcpStream::connect(at).await.unwrap();
            stream.set_nodelay(true).unwrap();
            let (input, output) = stream.into_split();
            Target::streams(input, output)
        }
        _ => Target::from(at),
    };
    let client = builder.open(target).unwrap();
    let short = |error: &ClientError| {
        let text = error.to_string();
        assert!(text.len() < 20_000);
        format!("{:?}: {}", error.kind(), text.chars().take(300).collect::<String>())
    };
    let listed = client.tools().await;
    match &listed {
        Ok(list) => {
            println!("tools {} left out {:?}", list.tools.len(), list.left_out.first().map(|left| &left.reason));
        }
        Err(error) => println!("no tools {}", short(error)),
    }
    let options = CallOptions::default().on_progress(|_| {});
    match client.call_with("t", json!({"a": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"}), options).await {
        Ok(called) => {
            let mismatch: Option<String> = called.mismatch.as_ref().map(|text| text.chars().take(200).collect());
            println!("called {} bytes, {mismatch:?}", called.text().len());
        }
        Err(error) => println!("not called {}", short(&error)),
    }
    if listed.is_ok() {
        let toolbox = Toolbox::builder().server("s", client).list_timeout(PATIENT).build().await.unwrap();
        for api in [Api::Anthropic, Api::OpenAiResponses, Api::Gemini] {
            let rendered = toolbox.render(api);
            println!(
                "{api:?} {} left out {:?}",
                rendered.tools.len(),
                rendered.left_out.first().map(|note| &note.reason)
            );
        }
        assert!(toolbox.search("find the tool", 5).len() <= 5);
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0 kB");
    println!("\npeak {}", peak.trim().trim_end_matches(" kB"));
}

/// What a server does about each message but `server/discover`.
trait Script: Fn(&Value, &mut TcpStream) -> io::Result<()> + Send + Sync + 'static {}

impl<F: Fn(&Value, &mut TcpStream) -> io::Result<()> + Send + Sync + 'static> Script for F {}

/// A server of messages in lines, which plays a script.
fn over_lines(patience: Duration, script: impl Script) -> Outcome {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            stream.set_nodelay(true).unwrap();
            let messages = BufReader::new(stream.try_clone().unwrap()).lines();
            for line in messages.map_while(Result::ok) {
                let message: Value = serde_json::from_str(&line).unwrap();
                let played = match message["method"].as_str() {
                    Some("server/discover") => send(&mut stream, &discovered(&message)),
                    Some(_) if message["id"].is_null() => Ok(()),
                    _ => script(&message, &mut stream),
                };
                if played.is_err() {
                    break;
                }
            }
        }
    });
    try_at(&format!("lines {at}"), patience)
}

/// A server over HTTP, which plays a script after `server/discover`: each connection is closed with the answer.
fn over_http(patience: Duration, script: impl Script) -> Outcome {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    let script = Arc::new(script);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let script = Arc::clone(&script);
            thread::spawn(move || {
                let Some(message) = posted(&stream) else { return };
                let played = match message["method"].as_str() {
                    Some("server/discover") => json_answer(&mut stream, &discovered(&message).to_string()),
                    _ => script(&message, &mut stream),
                };
                // The client may have gone, as it should.
                drop(played);
            });
        }
    });
    try_at(&format!("http http://{at}/mcp"), patience)
}

/// Reads a POST and gives its message.
pub(super) fn posted(stream: &TcpStream) -> Option<Value> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
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

fn send(stream: &mut TcpStream, message: &Value) -> io::Result<()> {
    stream.write_all(format!("{message}\n").as_bytes())
}

pub(super) fn json_answer(stream: &mut TcpStream, body: &str) -> io::Result<()> {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close";
    stream.write_all(format!("{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).as_bytes())
}

fn events(stream: &mut TcpStream) -> io::Result<()> {
    write!(stream, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
}

fn answer(asked: &Value, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": asked["id"], "result": result})
}

fn discovered(asked: &Value) -> Value {
    answer(
        asked,
        json!({"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
            "ttlMs": -1, "cacheScope": "private"}),
    )
}

fn tools(asked: &Value, tools: Vec<Value>) -> Value {
    answer(asked, json!({"resultType": "complete", "tools": tools, "ttlMs": 1e300, "cacheScope": 7}))
}

fn plain(asked: &Value) -> Value {
    match asked["method"].as_str() {
        Some("tools/list") => tools(asked, vec![json!({"name": "t", "inputSchema": {"type": "object"}})]),
        _ => answer(asked, json!({"resultType": "complete", "content": [{"type": "text", "text": "done"}]})),
    }
}

/// As many bytes, a MiB at a time, while they are taken.
fn pour(stream: &mut TcpStream, byte: u8, mebibytes: usize) -> io::Result<()> {
    let piece = vec![byte; 1 << 20];
    (0..mebibytes).try_for_each(|_| stream.write_all(&piece))
}
