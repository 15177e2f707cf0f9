//! Streamable HTTP, as bytes on a socket.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use haft::prelude::*;
use haft::{Cancel, HttpOptions, HttpServer, ServeError, Tool};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::post::{Answer, PATIENCE, Post, Served};

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
            (400, -32600, true),
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

/// A page.
#[resource("page://{name}", mime_type = "text/plain")]
async fn page(name: String) -> String {
    name
}

/// Asks for a page.
#[prompt]
async fn ask_for(name: String) -> String {
    name
}

#[test]
fn resources_and_prompts_are_named_in_headers_too() {
    let server = Server::new("http", "1.0.0").resource_template(page::resource_template()).prompt(ask_for::prompt());
    let served = Served::new(server.build().unwrap(), HttpOptions::new());
    let read = Post::new("resources/read", json!({"uri": "page://%C3%B6"}));
    assert_eq!(served.ask(&read).json()["result"]["contents"][0]["text"], "ö");
    let encoded = read.clone().with("Mcp-Name", "=?base64?cGFnZTovLyVDMyVCNg==?=");
    assert_eq!(served.ask(&encoded).status, 200);
    let get = Post::new("prompts/get", json!({"name": "ask_for", "arguments": {"name": "a"}}));
    assert_eq!(served.ask(&get).status, 200);
    for bad in [read.with("Mcp-Name", "page://%C3%B7"), get.with("Mcp-Name", "=?base64?QQ==?=")] {
        assert_eq!(served.ask(&bad).error(), (400, -32020, true));
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
        with(json!({"type": "array", "items": {"type": "array", "items": region}})),
        with(json!({"allOf": [{"if": true, "else": region}]})),
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
    assert_eq!(answer.header("access-control-allow-methods"), Some("POST, GET, DELETE"));
    let granted = answer.header("access-control-allow-headers");
    assert_eq!(granted, Some("content-type, mcp-protocol-version, mcp-param-region"));
    assert_eq!(served.ask(&preflight.with("Origin", "https://evil.example")).status, 403);

    let call = Post::call("echo", json!({"text": "hi"})).with("Origin", "https://app.example.com");
    for call in [call.clone(), call.without("Mcp-Name")] {
        let answer = served.ask(&call);
        assert_eq!(answer.header("access-control-allow-origin"), Some("https://app.example.com"));
        assert_eq!(answer.header("access-control-expose-headers"), Some("www-authenticate, mcp-session-id"));
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

/// A server with a tool that ends when it is told to, how often that was called, and how to tell it.
fn held() -> (Server, Arc<AtomicUsize>, Arc<Notify>) {
    let (started, go) = (Arc::new(AtomicUsize::new(0)), Arc::new(Notify::new()));
    let (count, gate) = (Arc::clone(&started), Arc::clone(&go));
    let tool = Tool::builder("hold").handler(move |_: Arguments, _: Context| {
        let (count, gate) = (Arc::clone(&count), Arc::clone(&gate));
        async move {
            count.fetch_add(1, Ordering::SeqCst);
            gate.notified().await;
            "let go"
        }
    });
    (Server::new("http", "1.0.0").tool(tool).tool(echo::tool()).build().unwrap(), started, go)
}

#[test]
fn one_request_too_many_is_refused() {
    let (server, started, go) = held();
    let served = Served::new(server, HttpOptions::new().max_in_flight(1));
    let waiting = served.send(&Post::call("hold", json!({})).bytes());
    until("the call starts", PATIENCE, || started.load(Ordering::SeqCst) == 1);
    let busy = served.ask(&Post::call("echo", json!({"text": "hi"})));
    assert_eq!((busy.status, busy.header("retry-after")), (503, Some("1")));
    go.notify_one();
    assert_eq!(Answer::read(waiting).status, 200);
    until("the place is free", PATIENCE, || served.ask(&Post::call("echo", json!({"text": "hi"}))).status == 200);
}

#[test]
fn the_same_id_on_three_connections_is_three_requests() {
    let (server, started, go) = held();
    let served = Served::new(server, HttpOptions::new());
    let slow = served.send(&Post::call("hold", json!({})).bytes());
    until("the call starts", PATIENCE, || started.load(Ordering::SeqCst) == 1);
    let streams: Vec<_> =
        ["a", "b"].map(|text| (text, served.send(&Post::call("echo", json!({"text": text})).bytes()))).into();
    // Answered while the first one waits.
    for (text, stream) in streams {
        let answer = Answer::read(stream).json();
        assert_eq!((crate::wire::text(&answer), answer["id"].as_i64()), (text, Some(1)));
    }
    go.notify_one();
    assert_eq!(crate::wire::text(&Answer::read(slow).json()), "let go");
}

#[test]
fn a_server_that_stops_finishes_what_is_in_flight() {
    let (server, started, go) = held();
    let mut served = Served::new(server, HttpOptions::new());
    let address = served.address;
    let waiting = served.send(&Post::call("hold", json!({})).bytes());
    until("the call starts", PATIENCE, || started.load(Ordering::SeqCst) == 1);
    served.begin_to_stop();
    let refused = || TcpStream::connect(address).is_err_and(|error| error.kind() == ErrorKind::ConnectionRefused);
    until("no more connections are accepted", PATIENCE, refused);
    go.notify_one();
    assert_eq!(crate::wire::text(&Answer::read(waiting).json()), "let go");
    served.stop();
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

#[test]
fn a_head_that_is_too_long_is_refused() {
    let served = served();
    let long = Post::call("echo", json!({"text": "hi"})).with("X-Long", &"x".repeat(80 << 10));
    assert_eq!(served.ask(&long).status, 431);
}

/// One stream of HTTP/2, written by hand: frames of a type, with flags and a payload.
fn frame(kind: u8, flags: u8, stream: u8, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags, 0, 0, 0, stream], payload].concat()
}

/// Header fields, each as a literal that nobody needs to remember.
fn fields(fields: &[(&str, &str)]) -> Vec<u8> {
    let text = |text: &str| [&[u8::try_from(text.len()).unwrap()], text.as_bytes()].concat();
    fields.iter().flat_map(|(name, value)| [vec![0], text(name), text(value)].concat()).collect()
}

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
/// A frame that ends its stream, and one that ends the headers.
const END: (u8, u8) = (1, 4);
/// The error code of a stream that nobody wants any more.
const CANCEL: [u8; 4] = [0, 0, 0, 8];

/// A connection that has begun, and the request for a call to a tool without arguments.
fn h2_call(served: &Served, tool: &str) -> TcpStream {
    let params = json!({"name": tool, "_meta": {"progressToken": 1}});
    let head = fields(&[
        (":method", "POST"),
        (":scheme", "http"),
        (":path", "/mcp"),
        (":authority", "localhost"),
        ("content-type", "application/json"),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", tool),
    ]);
    let body = crate::wire::request(1, "tools/call", params);
    let frames = [frame(SETTINGS, 0, 0, &[]), frame(HEADERS, END.1, 1, &head), frame(DATA, END.0, 1, &body)].concat();
    served.send(&[PREFACE, &frames].concat())
}

/// What the next frame with data holds.
fn h2_data(stream: &mut TcpStream) -> String {
    loop {
        let mut head = [0; 9];
        stream.read_exact(&mut head).unwrap();
        let mut payload = vec![0; u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize];
        stream.read_exact(&mut payload).unwrap();
        if head[3] == DATA && !payload.is_empty() {
            return String::from_utf8(payload).unwrap();
        }
    }
}

#[test]
fn http_2_is_spoken_and_a_stream_that_is_reset_is_cancelled() {
    let (server, [_, dropped, _]) = endless(Cancel::Drop);
    let served = Served::new(server, HttpOptions::new());
    let mut stream = h2_call(&served, "endless");
    assert!(h2_data(&mut stream).contains("notifications/progress"));
    assert_eq!(dropped.load(Ordering::SeqCst), 0);
    stream.write_all(&frame(RST_STREAM, 0, 1, &CANCEL)).unwrap();
    until("the guard is dropped", Duration::from_secs(1), || dropped.load(Ordering::SeqCst) == 1);
    let mut stream = h2_call(&served, "nope");
    assert!(h2_data(&mut stream).contains("-32602"));
}
