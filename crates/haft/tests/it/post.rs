//! A blocking client of HTTP: what these tests send and read are the bytes on the socket.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use haft::{HttpOptions, HttpServer, Server};
use serde_json::{Value, json};
use tokio::sync::oneshot;

/// Long past what any answer takes; a test that meets it fails.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A server on a socket, which stops when this is dropped.
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Served {
    pub(crate) fn new(server: Server, options: HttpOptions) -> Self {
        let (bound, address) = std::sync::mpsc::channel();
        let (stop, stopped) = oneshot::channel::<()>();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let http = HttpServer::bind(server, "127.0.0.1:0", options).await.unwrap();
                bound.send(http.local_addr()).unwrap();
                http.serve_until(async { drop(stopped.await) }).await.unwrap();
            });
        });
        Self { address: address.recv().unwrap(), stop: Some(stop), thread: Some(thread) }
    }

    /// Tells the server to stop, and doesn't wait until it has.
    pub(crate) fn begin_to_stop(&mut self) {
        self.stop = None;
    }

    pub(crate) fn stop(&mut self) {
        self.begin_to_stop();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }

    pub(crate) fn send(&self, bytes: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(bytes).unwrap();
        stream
    }

    /// Sends a request that closes its connection; gives the answer.
    pub(crate) fn ask(&self, request: &Post) -> Answer {
        Answer::read(self.send(&request.bytes()))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop();
    }
}

/// A request as it is written: its method and headers can be changed one by one.
#[derive(Clone)]
pub(crate) struct Post {
    line: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Post {
    /// A request with everything that it must have.
    pub(crate) fn new(method: &str, params: Value) -> Self {
        let name = params["name"].as_str().or(params["uri"].as_str()).map(str::to_owned);
        let mut post = Self::raw(crate::wire::request(1, method, params)).with("Mcp-Method", method);
        if let Some(name) = name {
            post = post.with("Mcp-Name", &name);
        }
        post
    }

    pub(crate) fn call(tool: &str, arguments: Value) -> Self {
        Self::new("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    pub(crate) fn raw(body: impl Into<Vec<u8>>) -> Self {
        let headers = [
            ("Host", "localhost"),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("MCP-Protocol-Version", "2026-07-28"),
        ];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        Self { line: "POST /mcp".to_owned(), headers, body: body.into() }
    }

    /// With an access token.
    pub(crate) fn token(self, token: &str) -> Self {
        self.and("Authorization", &format!("Bearer {token}"))
    }

    pub(crate) fn line(mut self, line: &str) -> Self {
        self.line = line.to_owned();
        self
    }

    /// With a header of this value in the place of any that is there.
    pub(crate) fn with(self, name: &str, value: &str) -> Self {
        self.without(name).and(name, value)
    }

    pub(crate) fn and(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut head =
            format!("{} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", self.line, self.body.len());
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        [head.as_bytes(), b"\r\n", &self.body].concat()
    }
}

/// An answer, taken apart.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn read(mut stream: TcpStream) -> Self {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text:?}"));
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let mut answer = Self { status, head: head.to_owned(), body: body.to_owned() };
        if answer.header("transfer-encoding") == Some("chunked") {
            answer.body = unchunked(body);
        }
        answer
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().skip(1).filter_map(|line| line.split_once(": "));
        lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.header("content-type"), Some("application/json"), "{self:?}");
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The messages of a stream of events, which has nothing else.
    pub(crate) fn events(&self) -> Vec<Value> {
        assert_eq!(self.header("content-type"), Some("text/event-stream"), "{self:?}");
        assert_eq!(self.header("x-accel-buffering"), Some("no"));
        assert!(self.header("cache-control").is_some_and(|value| value.contains("no-store")));
        let events = self.body.strip_suffix("\n\n").expect("whole events").split("\n\n");
        events
            .filter(|event| *event != ":")
            .map(|event| serde_json::from_str(event.strip_prefix("event: message\ndata: ").unwrap()).unwrap())
            .collect()
    }

    /// The code of a JSON-RPC error, and whether it answers request 1.
    pub(crate) fn error(&self) -> (u16, i64, bool) {
        let body = self.json();
        (self.status, body["error"]["code"].as_i64().unwrap_or_default(), body["id"] == 1)
    }
}

fn unchunked(mut body: &str) -> String {
    let mut whole = String::new();
    loop {
        let (length, rest) = body.split_once("\r\n").unwrap();
        let length = usize::from_str_radix(length, 16).unwrap();
        whole.push_str(&rest[..length]);
        if length == 0 {
            return whole;
        }
        body = &rest[length + 2..];
    }
}
