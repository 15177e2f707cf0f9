//! Starts `dialer` and talks to it, by lines or by HTTP.

use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

/// A time at which people may be called all over the Americas.
pub(crate) const DAY: &str = "2026-12-01T18:00:00Z";
/// An id that nobody has.
pub(crate) const UNKNOWN: &str = "call_aaaaaaaaaaaaaaaaaaaaaaaaaa";
pub(crate) const OBJECTIVE: &str = "Ask when they open on Saturday.";

/// A process, killed when it is dropped.
pub(crate) struct Program {
    child: Child,
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn start(arguments: &[&str]) -> Program {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dialer"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Program { child: command.spawn().expect("the program starts") }
}

/// A request of the current revision.
pub(crate) fn request(method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

pub(crate) fn call(tool: &str, arguments: Value) -> Value {
    request("tools/call", json!({"name": tool, "arguments": arguments}))
}

pub(crate) fn place(to: &str) -> Value {
    call("place_call", json!({"to": to, "objective": OBJECTIVE}))
}

/// The id of a call that was placed.
pub(crate) fn call_id(answer: &Value) -> String {
    answer["result"]["structuredContent"]["call_id"].as_str().unwrap_or_else(|| panic!("no call: {answer}")).to_owned()
}

/// What the model reads first.
pub(crate) fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {answer}"))
}

/// The code of a refusal.
pub(crate) fn code(answer: &Value) -> &str {
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    answer["result"]["_meta"]["dev.haft/code"].as_str().unwrap_or_else(|| panic!("no code: {answer}"))
}

/// A process that is talked to by lines.
pub(crate) struct Lined {
    program: Program,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Lined {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let mut program = start(arguments);
        let input = program.child.stdin.take().expect("piped");
        let output = BufReader::new(program.child.stdout.take().expect("piped")).lines();
        Self { program, input, output }
    }

    pub(crate) fn ask(&mut self, request: &Value) -> Value {
        writeln!(self.input, "{request}").expect("it reads");
        let line = self.output.next().expect("it answers").expect("it answers in text");
        serde_json::from_str(&line).expect("it answers in JSON")
    }

    /// Closes its input and waits until it has ended.
    pub(crate) fn end(self) -> ExitStatus {
        let Self { mut program, input, output } = self;
        drop((input, output));
        program.child.wait().expect("it ends")
    }

    /// Waits for the end of a call, as a client would.
    pub(crate) fn follow(&mut self, call_id: &str) -> Value {
        let mut seen = json!("dialing");
        for _ in 0..20 {
            let arguments = json!({"call_id": call_id, "wait_seconds": 20, "seen_status": seen});
            let answer = self.ask(&call("get_call", arguments));
            let data = &answer["result"]["structuredContent"];
            if data["resolution"]["outcome"] != "pending" {
                return answer;
            }
            seen = data["status"].clone();
        }
        panic!("{call_id} has no end")
    }
}

/// A process that is talked to by HTTP.
pub(crate) struct Http {
    _program: Program,
    address: String,
    /// Of the one account, where there is no file.
    pub(crate) token: String,
    _errors: Lines<BufReader<ChildStderr>>,
}

/// A response as it came.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Response {
    pub(crate) status: u16,
    /// Without the date.
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Response {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Http {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let mut program = start(&[&["--http", "127.0.0.1:0"], arguments].concat());
        let mut errors = BufReader::new(program.child.stderr.take().expect("piped")).lines();
        let mut token = String::new();
        loop {
            let line = errors.next().expect("it says where it listens").expect("it says so in text");
            if let Some((_, said)) = line.split_once("ends: ") {
                token = said.to_owned();
            }
            if let Some(address) = line.strip_prefix("listening on http://").and_then(|url| url.strip_suffix("/mcp")) {
                return Self { address: address.to_owned(), token, _program: program, _errors: errors };
            }
        }
    }

    /// A call by whoever has this token.
    pub(crate) fn ask(&self, token: &str, request: &Value) -> Response {
        let method = request["method"].as_str().expect("a method");
        let mut headers = format!(
            "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n"
        );
        if let Some(name) = request["params"]["name"].as_str() {
            headers += &format!("Mcp-Name: {name}\r\n");
        }
        if !token.is_empty() {
            headers += &format!("Authorization: Bearer {token}\r\n");
        }
        self.post("/mcp", &headers, request.to_string().as_bytes())
    }

    pub(crate) fn post(&self, path: &str, headers: &str, body: &[u8]) -> Response {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a timeout");
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
             Connection: close\r\n{headers}\r\n",
            self.address,
            body.len()
        );
        stream.write_all(head.as_bytes()).expect("it reads");
        // Whoever refuses a body needn't read it.
        let _ = stream.write_all(body);
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("it answers");
        let answer = String::from_utf8(answer).expect("it answers in text");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
        let status = head.get(9..12).and_then(|status| status.parse().ok()).expect("a status");
        let lines = head.lines().filter(|line| !line.starts_with("date:"));
        Response { status, head: lines.collect::<Vec<_>>().join("\n"), body: body.to_owned() }
    }
}
