//! Streamable HTTP, as bytes on a socket.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use haft::prelude::*;
use haft::{Cancel, HttpOptions, HttpServer, ServeError, Tool};
use serde_json::{Value, json};
use tokio::sync::oneshot;

/// Long past what any answer takes; a test that meets it fails.
const PATIENCE: Duration = Duration::from_secs(20);

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

    fn stop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }

    fn send(&self, bytes: &[u8]) -> TcpStream {
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

    fn line(mut self, line: &str) -> Self {
        self.line = line.to_owned();
        self
    }

    /// With a header of this value in the place of any that is there.
    pub(crate) fn with(self, name: &str, value: &str) -> Self {
        self.without(name).and(name, value)
    }

    fn and(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    fn without(mut self, name: &str) -> Self {
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
    head: String,
    pub(crate) body: String,
}

impl Answer {
    fn read(mut stream: TcpStream) -> Self {
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

    fn header(&self, name: &str) -> Option<&str> {
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
    fn error(&self) -> (u16, i64, bool) {
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

/// Use this to get a text back.
#[tool(read_only, closed_world)]
async fn echo(text: String) -> String {
    text
}

/// Use this to wait.
#[tool(read_only, closed_world)]
async fn wait(millis: u64, context: Context) -> String {
    context.progress(1.0, None);
    tokio::time::sleep(Duration::from_millis(millis)).await;
    format!("{:?}", context.principal())
}

/// Use this to see which headers a call needs.
#[tool(read_only, closed_world)]
async fn route(
    #[arg(header = "Region")] region: Option<String>,
    #[arg(header = "Count", range(0..=1000))] count: Option<u32>,
    #[arg(header = "Dry-Run")] dry: Option<bool>,
) -> String {
    format!("{region:?} {count:?} {dry:?}")
}

fn server() -> Server {
    Server::new("http", "1.0.0").tool(echo::tool()).tool(wait::tool()).tool(route::tool()).build().unwrap()
}

fn served() -> Served {
    Served::new(server(), HttpOptions::new())
}

#[test]
fn an_answer_is_json_unless_something_is_sent_before_it() {
    let served = served();
    let answer = served.ask(&Post::call("echo", json!({"text": "hi"})));
    assert_eq!((answer.status, answer.header("cache-control")), (200, Some("no-store")));
    assert_eq!(crate::wire::text(&answer.json()), "hi");

    let call = json!({"name": "wait", "arguments": {"millis": 1}, "_meta": {"progressToken": "p"}});
    let answer = served.ask(&Post::new("tools/call", call.clone()));
    let events = answer.events();
    assert_eq!(events.len(), 2);
    assert_eq!(events[0]["params"]["progressToken"], "p");
    assert_eq!((events[1]["id"].as_i64(), crate::wire::text(&events[1])), (Some(1), "Anonymous"));

    // A client that takes one of the two gets that one.
    let answer = served.ask(&Post::new("tools/call", call).with("Accept", "application/json"));
    assert_eq!(crate::wire::text(&answer.json()), "Anonymous");
    let answer = served.ask(&Post::call("echo", json!({"text": "hi"})).with("Accept", "text/event-stream"));
    assert_eq!(crate::wire::text(&answer.events()[0]), "hi");
}

#[test]
fn a_long_silence_becomes_a_stream_with_signs_of_life() {
    let options = HttpOptions::new().stream_after(Duration::from_millis(50)).keep_alive(Duration::from_millis(50));
    let served = Served::new(server(), options);
    let answer = served.ask(&Post::call("wait", json!({"millis": 400})));
    assert_eq!(answer.events().len(), 1);
    assert!(answer.body.matches(":\n\n").count() >= 3, "{answer:?}");
    let answer = served.ask(&Post::call("wait", json!({"millis": 200})).with("Accept", "application/json"));
    assert_eq!(crate::wire::text(&answer.json()), "Anonymous");
}

#[test]
fn statuses_say_how_far_a_request_came() {
    let served = served();
    let meta = |version: &str| {
        json!({"_meta": {
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientCapabilities": {},
        }})
    };
    for (request, expected) in [
        (Post::call("nope", json!({})), (200, -32602, true)),
        (Post::new("tools/list", json!({"cursor": "nope"})), (200, -32602, true)),
        (Post::new("unknown/method", json!({})), (404, -32601, true)),
        (Post::new("initialize", json!({})), (404, -32601, true)),
        (Post::new("ping", json!({})), (404, -32601, true)),
        (Post::new("tools/list", meta("v999")).with("MCP-Protocol-Version", "v999"), (400, -32022, true)),
        (
            Post::raw(r#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{}}"#)
                .with("Mcp-Method", "server/discover"),
            (400, -32602, true),
        ),
        (
            Post::raw(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#).with("MCP-Protocol-Version", "2025-11-25"),
            (400, -32022, true),
        ),
        (Post::raw("not json"), (400, -32700, false)),
        (Post::raw(""), (400, -32700, false)),
        (Post::raw("[]"), (400, -32600, false)),
        (Post::raw(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#), (400, -32600, true)),
        (Post::raw(r#"{"jsonrpc":"1.0","id":1,"method":"tools/list"}"#), (400, -32600, true)),
        (Post::raw("{}").with("Content-Type", "text/plain"), (415, -32600, false)),
        (Post::raw("{}").without("Content-Type"), (415, -32600, false)),
        (Post::raw("{}").with("Accept", "text/html"), (406, -32600, false)),
        (
            Post::new("subscriptions/listen", json!({"notifications": {}})).with("Accept", "application/json"),
            (406, -32600, true),
        ),
    ] {
        assert_eq!(served.ask(&request).error(), expected, "{}", String::from_utf8_lossy(&request.bytes()));
    }
    let accepted = served.ask(&Post::raw(r#"{"jsonrpc":"2.0","method":"notifications/whatever"}"#));
    assert_eq!((accepted.status, accepted.body.as_str()), (202, ""));
}

#[test]
fn only_post_is_taken_and_only_at_the_endpoint() {
    let served = served();
    for method in ["GET", "DELETE", "PUT", "OPTIONS", "BREW"] {
        let answer = served.ask(&Post::raw("").line(&format!("{method} /mcp")));
        assert_eq!((answer.status, answer.header("allow")), (405, Some("POST")), "{method}");
    }
    assert_eq!(served.ask(&Post::raw("").line("POST /")).status, 404);
    let health = served.ask(&Post::raw("").line("GET /healthz").with("Host", "whoever.example"));
    assert_eq!((health.status, health.body.as_str()), (200, "ok\n"));
}

#[test]
fn a_body_that_is_too_long_is_refused() {
    let served = served();
    let call = |length: usize| Post::call("echo", json!({"text": "x".repeat(length)}));
    assert_eq!(served.ask(&call(3 << 20)).status, 200);
    assert_eq!(served.ask(&call(5 << 20)).error(), (413, -32600, false));
    // The next one is not affected.
    assert_eq!(served.ask(&call(1)).status, 200);
}

#[test]
fn headers_say_what_the_body_says() {
    let served = served();
    let call = || Post::call("echo", json!({"text": "hi"}));
    for good in [
        call().without("mcp-method").and("mCP-METHOD", "tools/call"),
        call().with("Mcp-Name", "  echo\t"),
        call().with("Mcp-Name", "=?base64?ZWNobw==?="),
        call().with("Mcp-Param-Unknown", "whatever").and("Mcp-Session-Id", "old").and("Last-Event-ID", "7"),
    ] {
        assert_eq!(served.ask(&good).status, 200, "{}", String::from_utf8_lossy(&good.bytes()));
    }
    for bad in [
        call().without("MCP-Protocol-Version"),
        call().with("MCP-Protocol-Version", "2025-11-25"),
        call().without("Mcp-Method"),
        call().with("Mcp-Method", "tools/list"),
        call().with("Mcp-Method", "TOOLS/CALL"),
        call().and("Mcp-Method", "tools/call"),
        call().without("Mcp-Name"),
        call().with("Mcp-Name", "Echo"),
        call().with("Mcp-Name", "é"),
        call().with("Mcp-Name", "=?base64?ZWNobw?="),
        call().with("Mcp-Name", "=?base64?ZW!!bw==?="),
        Post::new("resources/read", json!({"uri": "test://a"})).with("Mcp-Name", "test://b"),
        Post::new("prompts/get", json!({"name": "a"})).without("Mcp-Name"),
        // Header and body disagree before either version is unknown.
        Post::new("tools/list", json!({"_meta": {"io.modelcontextprotocol/protocolVersion": "v999"}})),
    ] {
        let answer = served.ask(&bad);
        assert_eq!(answer.error(), (400, -32020, true), "{}", String::from_utf8_lossy(&bad.bytes()));
    }
}

#[test]
fn arguments_that_are_repeated_in_headers_are_compared() {
    let served = served();
    let with = |arguments: Value, headers: &[(&str, &str)]| {
        let post = Post::call("route", arguments);
        headers.iter().fold(post, |post, (name, value)| post.and(name, value))
    };
    for good in [
        with(json!({}), &[]),
        with(json!({"region": null, "dry": null}), &[]),
        with(json!({"region": "Hello"}), &[("Mcp-Param-Region", "=?base64?SGVsbG8=?=")]),
        with(json!({"region": "SGVsbG8="}), &[("mcp-param-REGION", "SGVsbG8=")]),
        with(json!({"region": "=?base64?SGVsbG8="}), &[("Mcp-Param-Region", "=?base64?SGVsbG8=")]),
        with(json!({"count": 42, "dry": false}), &[("Mcp-Param-Count", "42.0"), ("Mcp-Param-Dry-Run", "false")]),
        // The model is told about arguments that can't be in a header.
        with(json!({"region": ["x"]}), &[]),
    ] {
        let answer = served.ask(&good);
        assert_eq!(answer.status, 200, "{answer:?}");
        assert!(answer.json()["result"].is_object());
    }
    for bad in [
        with(json!({"region": "Hello"}), &[]),
        with(json!({"region": "Hello"}), &[("Mcp-Param-Region", "hello")]),
        with(json!({"region": "Hello"}), &[("Mcp-Param-Region", "=?base64?SGVsbG8?=")]),
        with(json!({"region": "Hello"}), &[("Mcp-Param-Region", "=?base64?SGVs!!!bG8=?=")]),
        with(json!({"region": "Hello"}), &[("Mcp-Param-Region", "Hello"), ("Mcp-Param-Region", "Hello")]),
        with(json!({"region": "é"}), &[("Mcp-Param-Region", "é")]),
        with(json!({}), &[("Mcp-Param-Region", "Hello")]),
        with(json!({"count": 42}), &[("Mcp-Param-Count", "43")]),
        with(json!({"dry": true}), &[("Mcp-Param-Dry-Run", "True")]),
    ] {
        assert_eq!(served.ask(&bad).error(), (400, -32020, true), "{}", String::from_utf8_lossy(&bad.bytes()));
    }
}

fn by_hand(schema: Value) -> Result<Server, haft::BuildError> {
    let tool = Tool::builder("by_hand")
        .input_schema(schema.to_string())
        .read_only(true)
        .handler(|_: Arguments, _: Context| async { "ran" });
    Server::new("http", "1.0.0").tool(tool).build()
}

#[test]
fn schemas_by_hand_repeat_arguments_in_headers_too() {
    let region = json!({"type": "string", "x-mcp-header": "Region"});
    let schema = json!({"type": "object", "properties": {"to": {"type": "object", "properties": {"a/b": region}}}});
    let served = Served::new(by_hand(schema).unwrap(), HttpOptions::new());
    let call = Post::call("by_hand", json!({"to": {"a/b": "eu"}}));
    assert_eq!(served.ask(&call).error(), (400, -32020, true));
    assert_eq!(served.ask(&call.with("Mcp-Param-Region", "eu")).status, 200);
}

#[test]
fn headers_that_clients_would_drop_the_tool_for_are_refused_at_build() {
    let with = |property: Value| json!({"type": "object", "properties": {"p": property}});
    let region = json!({"type": "string", "x-mcp-header": "Region"});
    for schema in [
        with(json!({"type": "string", "x-mcp-header": ""})),
        with(json!({"type": "string", "x-mcp-header": "a b"})),
        with(json!({"type": "string", "x-mcp-header": "a\r\nb"})),
        with(json!({"type": "string", "x-mcp-header": 5})),
        with(json!({"type": "number", "x-mcp-header": "N"})),
        with(json!({"type": "integer", "x-mcp-header": "N"})),
        with(json!({"type": "array", "items": region})),
        with(json!({"anyOf": [region, {"type": "null"}]})),
        with(json!({"if": true, "then": region})),
        json!({"type": "object", "properties": {"a": region, "b": {"type": "string", "x-mcp-header": "REGION"}}}),
        json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": region}}),
        json!({"type": "object", "patternProperties": {"^a$": region}}),
    ] {
        let error = by_hand(schema.clone()).map(drop).expect_err(&schema.to_string());
        assert!(error.problems().iter().any(|problem| problem.rule == "header"), "{schema}: {error}");
    }
    // A property of that name is no annotation.
    by_hand(with(json!({"type": "object", "properties": {"x-mcp-header": {"type": "number"}}}))).unwrap();
}

#[test]
fn foreign_hosts_and_origins_are_refused() {
    let served = served();
    let call = || Post::call("echo", json!({"text": "hi"}));
    let port = served.address.port();
    for good in [
        call().with("Host", &format!("127.0.0.1:{port}")),
        call().with("Origin", &format!("http://localhost:{port}")),
        call().with("Origin", "http://localhost:3000"),
    ] {
        assert_eq!(served.ask(&good).status, 200);
    }
    for (bad, option) in [
        (call().with("Host", "evil.example"), r#"HttpOptions::allow_host(\"evil.example\")"#),
        (call().with("Host", &format!("localhost.evil.example:{port}")), "HttpOptions::allow_host"),
        (call().without("Host"), "Host"),
        (call().with("Origin", "http://evil.example"), r#"HttpOptions::allow_origin(\"http://evil.example\")"#),
        (call().with("Origin", "null"), "HttpOptions::allow_origin"),
        (call().with("Origin", "null").line("OPTIONS /mcp"), "HttpOptions::allow_origin"),
    ] {
        let answer = served.ask(&bad);
        assert_eq!(answer.status, 403, "{answer:?}");
        assert!(answer.body.contains(option), "{answer:?}");
        assert_eq!(answer.json()["error"]["code"], -32600);
    }
    let options = HttpOptions::new().allow_host("mcp.example.com").allow_origin("https://app.example.com");
    let served = Served::new(server(), options);
    for (host, status) in [
        ("mcp.example.com", 200),
        ("mcp.example.com:443", 200),
        ("MCP.EXAMPLE.COM", 200),
        ("mcp.example.com.evil.example", 403),
        ("localhost", 403),
    ] {
        assert_eq!(served.ask(&call().with("Host", host)).status, status, "{host}");
    }
    let page = call().with("Host", "mcp.example.com").with("Origin", "https://app.example.com");
    let answer = served.ask(&page);
    assert_eq!((answer.status, answer.header("access-control-allow-origin")), (200, None));
}

#[tokio::test]
async fn a_public_bind_needs_the_names_that_the_server_is_called_by() {
    let refused = server().serve_http("0.0.0.0:0").await.unwrap_err();
    assert!(matches!(refused, ServeError::PublicBind(_)));
    assert!(refused.to_string().contains("HttpOptions::allow_host"), "{refused}");
    let options = HttpOptions::new().allow_host("mcp.example.com");
    assert!(HttpServer::bind(server(), "0.0.0.0:0", options).await.is_ok());
}

#[test]
fn browsers_are_told_what_a_page_may_do() {
    let served = Served::new(
        server(),
        HttpOptions::new().cors(true).allow_host("localhost").allow_origin("https://app.example.com"),
    );
    let preflight = Post::raw("")
        .line("OPTIONS /mcp")
        .and("Origin", "https://app.example.com")
        .and("Access-Control-Request-Method", "POST")
        .and("Access-Control-Request-Headers", "content-type,MCP-Protocol-Version,mcp-param-region,x-evil");
    let answer = served.ask(&preflight);
    assert_eq!((answer.status, answer.body.as_str()), (204, ""));
    assert_eq!(answer.header("access-control-allow-origin"), Some("https://app.example.com"));
    assert_eq!(answer.header("access-control-allow-methods"), Some("POST"));
    let granted = answer.header("access-control-allow-headers");
    assert_eq!(granted, Some("content-type, mcp-protocol-version, mcp-param-region"));
    assert_eq!(served.ask(&preflight.with("Origin", "https://evil.example")).status, 403);

    let call = Post::call("echo", json!({"text": "hi"})).with("Origin", "https://app.example.com");
    for call in [call.clone(), call.without("Mcp-Name")] {
        let answer = served.ask(&call);
        assert_eq!(answer.header("access-control-allow-origin"), Some("https://app.example.com"));
        assert_eq!(answer.header("access-control-expose-headers"), Some("www-authenticate"));
        assert!(answer.head.to_ascii_lowercase().contains("vary: origin"));
    }
}

/// Counts when it is dropped.
struct Guard(Arc<AtomicUsize>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// A tool that begins, waits and counts its ends; `finished` counts those that came of themselves.
fn endless(cancel: Cancel) -> (Server, [Arc<AtomicUsize>; 3]) {
    let counts: [Arc<AtomicUsize>; 3] = Default::default();
    let [started, dropped, finished] = counts.clone();
    let tool = Tool::builder("endless").on_cancel(cancel).handler(move |_: Arguments, context: Context| {
        let (started, guard, finished) = (Arc::clone(&started), Guard(Arc::clone(&dropped)), Arc::clone(&finished));
        async move {
            started.fetch_add(1, Ordering::SeqCst);
            context.progress(1.0, None);
            tokio::time::sleep(Duration::from_millis(if cancel == Cancel::Detach { 500 } else { 60_000 })).await;
            finished.fetch_add(1, Ordering::SeqCst);
            drop(guard);
            "done"
        }
    });
    (Server::new("http", "1.0.0").tool(tool).build().unwrap(), counts)
}

fn until(what: &str, within: Duration, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < within, "{what} within {within:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_closed_connection_cancels_its_request_within_a_second() {
    let (server, [started, dropped, _]) = endless(Cancel::Drop);
    let served = Served::new(server, HttpOptions::new());
    let silent = Post::call("endless", json!({}));
    let streaming = Post::new("tools/call", json!({"name": "endless", "_meta": {"progressToken": 1}}));
    for (round, request) in [silent, streaming].into_iter().enumerate() {
        let stream = served.send(&request.bytes());
        until("the call starts", PATIENCE, || started.load(Ordering::SeqCst) == round + 1);
        assert_eq!(dropped.load(Ordering::SeqCst), round);
        drop(stream);
        until("the guard is dropped", Duration::from_secs(1), || dropped.load(Ordering::SeqCst) == round + 1);
    }
}

#[test]
fn a_write_that_has_begun_outlives_its_connection() {
    let (server, [started, _, finished]) = endless(Cancel::Detach);
    let served = Served::new(server, HttpOptions::new());
    let stream = served.send(&Post::call("endless", json!({})).bytes());
    until("the call starts", PATIENCE, || started.load(Ordering::SeqCst) == 1);
    drop(stream);
    until("the write ends", PATIENCE, || finished.load(Ordering::SeqCst) == 1);
}

#[test]
fn a_request_past_its_deadline_is_cancelled_and_answered() {
    let (server, [_, dropped, _]) = endless(Cancel::Drop);
    let served = Served::new(server, HttpOptions::new().deadline(Duration::from_millis(50)));
    assert_eq!(served.ask(&Post::call("endless", json!({}))).error(), (200, -32603, true));
    until("the guard is dropped", Duration::from_secs(1), || dropped.load(Ordering::SeqCst) == 1);
}

#[test]
fn one_request_too_many_is_refused() {
    let served = Served::new(server(), HttpOptions::new().max_in_flight(1));
    let waiting = served.send(&Post::call("wait", json!({"millis": 700})).bytes());
    std::thread::sleep(Duration::from_millis(200));
    let busy = served.ask(&Post::call("echo", json!({"text": "hi"})));
    assert_eq!((busy.status, busy.header("retry-after")), (503, Some("1")));
    assert_eq!(Answer::read(waiting).status, 200);
    assert_eq!(served.ask(&Post::call("echo", json!({"text": "hi"}))).status, 200);
}

#[test]
fn the_same_id_on_three_connections_is_three_requests() {
    let served = served();
    let start = Instant::now();
    let slow = served.send(&Post::call("wait", json!({"millis": 1500})).bytes());
    let streams: Vec<_> =
        ["a", "b"].map(|text| (text, served.send(&Post::call("echo", json!({"text": text})).bytes()))).into();
    for (text, stream) in streams {
        let answer = Answer::read(stream).json();
        assert_eq!((crate::wire::text(&answer), answer["id"].as_i64()), (text, Some(1)));
    }
    assert!(start.elapsed() < Duration::from_millis(1400), "nobody waits for the slow one");
    assert_eq!(crate::wire::text(&Answer::read(slow).json()), "Anonymous");
}

#[test]
fn a_server_that_stops_finishes_what_is_in_flight() {
    let mut served = served();
    let address = served.address;
    let waiting = served.send(&Post::call("wait", json!({"millis": 400})).bytes());
    std::thread::sleep(Duration::from_millis(100));
    served.stop();
    assert_eq!(crate::wire::text(&Answer::read(waiting).json()), "Anonymous");
    assert_eq!(TcpStream::connect(address).unwrap_err().kind(), ErrorKind::ConnectionRefused);
}

#[test]
fn a_server_that_stops_cancels_what_takes_longer_than_its_grace() {
    let (server, [started, dropped, _]) = endless(Cancel::Drop);
    let mut served = Served::new(server, HttpOptions::new().shutdown_grace(Duration::from_millis(50)));
    let _waiting = served.send(&Post::call("endless", json!({})).bytes());
    until("the call starts", PATIENCE, || started.load(Ordering::SeqCst) == 1);
    served.stop();
    until("the guard is dropped", Duration::from_secs(1), || dropped.load(Ordering::SeqCst) == 1);
}
