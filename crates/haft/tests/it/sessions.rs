//! Clients of the revisions before 2026-07-28 over HTTP: sessions, streams, and what survives a lost connection.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use haft::prelude::*;
use haft::{Cancel, HttpBody, HttpOptions, HttpService, Tool};
use http::{HeaderMap, Method, Request};
use http_body::Body;
use serde_json::{Value, json};
use tokio::sync::Notify;
use tower_service::Service;

use crate::ask::accept;
use crate::old::{NEWEST, answer, can_all, initialize, initialized, message};
use crate::post::{Post, Served};
use crate::wire::text;

const BOTH: &str = "application/json, text/event-stream";
const EVENTS_FIRST: &str = "text/event-stream, application/json";
const JSON: &str = "application/json";

/// What a running tool did, seen from outside.
#[derive(Default)]
struct Seen {
    started: Notify,
    go: Notify,
    dropped: Notify,
    written: AtomicUsize,
}

struct OnDrop(Arc<Seen>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.dropped.notify_one();
    }
}

fn plain(name: &str) -> haft::ToolBuilder {
    Tool::builder(name).description("For a test.").input_schema(r#"{"type":"object"}"#).read_only(true)
}

/// `hold` waits for a word, and tells first that it has begun; `write` does so, too, and may not be stopped half-way;
/// `leave` lets the connection go.
fn server(seen: &Arc<Seen>) -> haft::ServerBuilder {
    let (holding, writing, leaving) = (Arc::clone(seen), Arc::clone(seen), Arc::clone(seen));
    let hold = plain("hold").handler(move |_: Arguments, context: Context| {
        let seen = Arc::clone(&holding);
        async move {
            let _drop = OnDrop(Arc::clone(&seen));
            context.progress(1.0, None);
            seen.started.notify_one();
            seen.go.notified().await;
            context.progress(2.0, None);
            "held"
        }
    });
    let write = plain("write").on_cancel(Cancel::Detach).handler(move |_: Arguments, _: Context| {
        let seen = Arc::clone(&writing);
        async move {
            seen.started.notify_one();
            seen.go.notified().await;
            seen.written.fetch_add(1, Ordering::SeqCst);
            seen.dropped.notify_one();
            "written"
        }
    });
    let leave = plain("leave").handler(move |_: Arguments, context: Context| {
        let seen = Arc::clone(&leaving);
        async move {
            context.let_connection_go();
            seen.started.notify_one();
            seen.go.notified().await;
            "left"
        }
    });
    let learn = plain("learn").handler(|_: Arguments, context: Context| async move {
        context.server().add_tool(crate::dynamic::tool("learnt", "new")).map(|()| "learnt").map_err(ToolError::internal)
    });
    let update = plain("update").handler(|_: Arguments, context: Context| async move {
        context.server().resource_updated("test://x");
        "updated"
    });
    let tools = [hold, write, leave, learn, update];
    tools.into_iter().fold(crate::legacy::all().dynamic_tools().notify_resources(), haft::ServerBuilder::tool)
}

/// An endpoint without a socket.
#[derive(Clone)]
struct Endpoint(HttpService);

impl Endpoint {
    fn new(options: HttpOptions) -> (Self, Arc<Seen>) {
        let seen = Arc::default();
        (Self(server(&seen).build().unwrap().into_http_service(options)), seen)
    }

    async fn send(&self, method: Method, headers: &[(&str, &str)], body: impl Into<Vec<u8>>) -> Reply {
        let mut request = Request::builder().method(method).uri("http://localhost/mcp");
        request = request.header("content-type", JSON);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let body = String::from_utf8(body.into()).unwrap();
        let answer = self.0.clone().call(request.body(body).unwrap()).await.unwrap();
        let (parts, body) = answer.into_parts();
        Reply { status: parts.status.as_u16(), headers: parts.headers, body }
    }

    async fn open(&self, version: &str, capabilities: Value) -> Session {
        let reply = self.send(Method::POST, &[("accept", BOTH)], initialize(version, capabilities)).await;
        assert_eq!(reply.status, 200);
        let id = reply.headers["mcp-session-id"].to_str().unwrap().to_owned();
        assert_eq!(reply.json().await["result"]["protocolVersion"], version);
        let session = Session { endpoint: self.clone(), id, version: version.to_owned() };
        assert_eq!(session.post(BOTH, initialized()).await.status, 202);
        session
    }

    async fn newest(&self) -> Session {
        self.open(NEWEST, can_all()).await
    }
}

struct Session {
    endpoint: Endpoint,
    id: String,
    version: String,
}

impl Session {
    async fn send(&self, method: Method, accept: &str, more: &[(&str, &str)], body: impl Into<Vec<u8>>) -> Reply {
        let own = [("mcp-session-id", &*self.id), ("mcp-protocol-version", &*self.version), ("accept", accept)];
        self.endpoint.send(method, &[&own[..], more].concat(), body).await
    }

    async fn post(&self, accept: &str, body: impl Into<Vec<u8>>) -> Reply {
        self.send(Method::POST, accept, &[], body).await
    }

    async fn ask(&self, method: &str, params: Value) -> Value {
        self.post(BOTH, message(Some(1), method, params)).await.json().await
    }

    /// A call with a stream of events.
    async fn call(&self, id: i64, tool: &str) -> Reply {
        let params = json!({"name": tool, "arguments": {}, "_meta": {"progressToken": id}});
        self.post(EVENTS_FIRST, message(Some(id), "tools/call", params)).await
    }

    async fn get(&self, last: Option<&str>) -> Reply {
        let more: Vec<_> = last.into_iter().map(|last| ("last-event-id", last)).collect();
        self.send(Method::GET, "text/event-stream", &more, "").await
    }

    async fn delete(&self) -> u16 {
        self.send(Method::DELETE, BOTH, &[], "").await.status
    }

    async fn cancel(&self, id: i64) {
        let frame = message(None, "notifications/cancelled", json!({"requestId": id}));
        assert_eq!(self.post(BOTH, frame).await.status, 202);
    }

    async fn respond(&self, question: &Value, result: Value) {
        let reply = self.post(BOTH, answer(question, result)).await;
        assert_eq!((reply.status, reply.bytes().await), (202, Vec::new()));
    }

    async fn is_open(&self) -> bool {
        let reply = self.post(BOTH, message(Some(1), "ping", json!({}))).await;
        assert!(matches!(reply.status, 200 | 404));
        reply.status == 200
    }
}

#[derive(Debug)]
struct Reply {
    status: u16,
    headers: HeaderMap,
    body: HttpBody,
}

#[derive(Debug, PartialEq)]
struct Event {
    id: Option<String>,
    retry: bool,
    message: Option<Value>,
}

impl Reply {
    async fn chunk(&mut self) -> Option<Vec<u8>> {
        let frame = poll_fn(|cx| Pin::new(&mut self.body).poll_frame(cx)).await?;
        Some(frame.unwrap().into_data().unwrap().to_vec())
    }

    async fn bytes(mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        while let Some(chunk) = self.chunk().await {
            bytes.extend(chunk);
        }
        bytes
    }

    async fn json(self) -> Value {
        assert_eq!(self.headers["content-type"], JSON);
        serde_json::from_slice(&self.bytes().await).unwrap()
    }

    async fn error(self) -> (u16, i64) {
        let status = self.status;
        (status, self.json().await["error"]["code"].as_i64().unwrap())
    }

    /// The next event, or comment.
    async fn any(&mut self) -> Option<Event> {
        assert_eq!((self.status, &self.headers["content-type"]), (200, &"text/event-stream".parse().unwrap()));
        let chunk = String::from_utf8(self.chunk().await?).unwrap();
        let mut event = Event { id: None, retry: false, message: None };
        for line in chunk.strip_suffix("\n\n").expect("a whole event").lines() {
            match line.split_once(": ") {
                Some(("id", id)) => event.id = Some(id.to_owned()),
                Some(("retry", _)) => event.retry = true,
                Some(("data", "")) => {}
                Some(("data", data)) => event.message = Some(serde_json::from_str(data).unwrap()),
                Some(("event", "message")) => {}
                _ => assert_eq!(line, ":"),
            }
        }
        Some(event)
    }

    /// The next message, with its id.
    async fn event(&mut self) -> (String, Value) {
        loop {
            let event = self.any().await.expect("another event");
            if let Some(message) = event.message {
                return (event.id.unwrap_or_default(), message);
            }
        }
    }

    async fn message(&mut self) -> Value {
        self.event().await.1
    }

    /// What is left: the messages, up to the end.
    async fn rest(mut self) -> Vec<Value> {
        let mut rest = Vec::new();
        while let Some(event) = self.any().await {
            rest.extend(event.message);
        }
        rest
    }
}

#[tokio::test]
async fn a_session_has_an_id_which_its_requests_name() {
    let (endpoint, _) = Endpoint::new(HttpOptions::new());
    let (one, other) = (endpoint.newest().await, endpoint.newest().await);
    assert_ne!(one.id, other.id);
    assert!(one.id.len() >= 32 && one.id.bytes().all(|byte| byte.is_ascii_graphic()), "{}", one.id);
    assert_eq!(one.ask("ping", json!({})).await, json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
    assert_eq!(one.ask("nope", json!({})).await["error"]["code"], -32601, "errors have the status 200, too");

    let (id, version) = (("mcp-session-id", &*one.id), ("mcp-protocol-version", NEWEST));
    for (headers, expected) in [
        (vec![version], 400),
        (vec![("mcp-session-id", "unknown"), version], 404),
        (vec![("mcp-session-id", ""), version], 404),
        (vec![id, id], 400),
        (vec![id, ("mcp-session-id", &other.id)], 400),
        (vec![id], 200),
    ] {
        let reply = endpoint.send(Method::POST, &headers, message(Some(1), "tools/list", json!({}))).await;
        assert_eq!(reply.status, expected, "{headers:?}");
    }
    for frame in [initialized(), answer(&json!({"id": 5}), json!({}))] {
        assert_eq!(endpoint.send(Method::POST, &[version], frame).await.status, 400);
    }
    let answer = other.post(BOTH, answer(&json!({"id": 5}), json!({}))).await;
    assert_eq!(answer.status, 202, "an answer to nothing");
}

#[tokio::test]
async fn versions_that_a_session_may_name() {
    let (endpoint, _) = Endpoint::new(HttpOptions::new());
    let one = endpoint.newest().await;
    for (version, expected) in [
        ("2025-11-25", 200),
        ("2025-03-26", 200),
        ("2024-11-05", 400),
        ("2026-07-28", 400),
        ("nonsense", 400),
        ("", 400),
    ] {
        let headers = [("mcp-session-id", &*one.id), ("mcp-protocol-version", version)];
        let reply = endpoint.send(Method::POST, &headers, message(Some(1), "ping", json!({}))).await;
        assert_eq!(reply.status, expected, "{version}");
    }
    let twice = [("mcp-session-id", &*one.id), ("mcp-protocol-version", NEWEST), ("mcp-protocol-version", NEWEST)];
    assert_eq!(endpoint.send(Method::POST, &twice, message(Some(1), "ping", json!({}))).await.status, 400);
}

#[tokio::test]
async fn initialize_opens_a_session_once() {
    let (endpoint, _) = Endpoint::new(HttpOptions::new());
    // The first revision had another transport.
    let reply = endpoint.send(Method::POST, &[], initialize("2024-11-05", json!({}))).await;
    assert_eq!(reply.json().await["result"]["protocolVersion"], NEWEST);
    let mut reply =
        endpoint.send(Method::POST, &[("accept", "text/event-stream")], initialize(NEWEST, json!({}))).await;
    assert!(reply.headers.contains_key("mcp-session-id"));
    assert_eq!(reply.message().await["result"]["protocolVersion"], NEWEST);
    let reply = endpoint.send(Method::POST, &[], message(Some(1), "initialize", json!({}))).await;
    assert!(!reply.headers.contains_key("mcp-session-id"));
    assert_eq!(reply.error().await, (200, -32602));

    let session = endpoint.newest().await;
    let again = session.post(BOTH, initialize(NEWEST, json!({}))).await;
    assert!(!again.headers.contains_key("mcp-session-id"));
    assert_eq!(again.error().await, (200, -32600));
    session.delete().await;
    // With the id of a session that is over, it opens another one.
    let again = session.post(BOTH, initialize(NEWEST, json!({}))).await;
    assert!(again.headers.contains_key("mcp-session-id"));

    let modern = Endpoint(crate::legacy::all().legacy(false).build().unwrap().into_http_service(HttpOptions::new()));
    let reply = modern.send(Method::POST, &[("mcp-protocol-version", NEWEST)], initialize(NEWEST, json!({}))).await;
    assert_eq!(reply.error().await, (400, -32022));
    for method in [Method::GET, Method::DELETE] {
        assert_eq!(modern.send(method, &[("mcp-session-id", "x")], "").await.status, 405);
    }
}

#[tokio::test]
async fn requests_of_all_revisions_are_answered_at_one_endpoint() {
    let (endpoint, _) = Endpoint::new(HttpOptions::new());
    let session = endpoint.newest().await;
    let modern = crate::wire::request(1, "tools/list", json!({}));
    let version = ("mcp-protocol-version", "2026-07-28");
    for named in [None, Some(("mcp-session-id", &*session.id))] {
        let headers: Vec<_> = [version, ("mcp-method", "tools/list")].into_iter().chain(named).collect();
        let list = endpoint.send(Method::POST, &headers, modern.clone()).await.json().await;
        assert_eq!(list["result"]["resultType"], "complete");
    }
    let list = session.ask("tools/list", json!({})).await;
    assert_eq!(list["result"].as_object().unwrap().keys().collect::<Vec<_>>(), ["tools"]);
    assert_eq!(session.ask("server/discover", json!({})).await["error"]["code"], -32601);
}

#[tokio::test]
async fn delete_ends_the_session_and_all_that_goes_on_in_it() {
    let (endpoint, seen) = Endpoint::new(HttpOptions::new());
    let (session, other) = (endpoint.newest().await, endpoint.newest().await);
    let mut news = session.get(None).await;
    news.any().await.unwrap();
    let call = session.call(1, "hold").await;
    let asking = session.call(2, "greet").await;
    seen.started.notified().await;
    assert_eq!(session.send(Method::PUT, BOTH, &[], "").await.status, 405);
    assert_eq!(session.delete().await, 204);
    seen.dropped.notified().await;
    assert_eq!(news.any().await, None);
    assert!(call.rest().await.iter().chain(&asking.rest().await).all(|message| message.get("result").is_none()));
    for method in [Method::POST, Method::GET, Method::DELETE] {
        let body = message(Some(1), "ping", json!({}));
        assert_eq!(session.send(method, BOTH, &[], body).await.status, 404);
    }
    assert!(other.is_open().await);
}

#[tokio::test]
async fn news_come_on_a_stream_of_their_own_and_a_new_one_takes_its_place() {
    let (endpoint, _) = Endpoint::new(HttpOptions::new());
    let session = endpoint.newest().await;
    assert_eq!(session.send(Method::GET, JSON, &[], "").await.status, 406);
    let mut first = session.get(None).await;
    assert_eq!(first.any().await, Some(Event { id: None, retry: false, message: None }), "a sign that it is heard");
    assert_eq!(session.ask("resources/subscribe", json!({"uri": "test://x"})).await["result"], json!({}));
    let params = json!({"name": "learn"});
    assert_eq!(session.ask("tools/call", params).await["result"]["isError"], json!(false));
    let told = first.message().await;
    assert_eq!(told, json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}));

    let mut second = session.get(None).await;
    second.any().await.unwrap();
    assert_eq!(first.any().await, None);
    assert_eq!(session.ask("tools/call", json!({"name": "update"})).await["result"]["isError"], json!(false));
    assert_eq!(second.message().await["params"]["uri"], "test://x");
    // What changes while nobody reads is told to who reads next.
    drop(second);
    session.ask("tools/call", json!({"name": "update"})).await;
    session.ask("tools/call", json!({"name": "update"})).await;
    let mut third = session.get(None).await;
    assert_eq!(third.message().await["method"], "notifications/resources/updated");
    session.delete().await;
    assert_eq!(third.any().await, None);
}

#[tokio::test]
async fn answers_are_json_or_events_as_the_client_takes_them() {
    let (endpoint, seen) = Endpoint::new(HttpOptions::new());
    let session = endpoint.newest().await;
    let call = |tool: &str| message(Some(1), "tools/call", json!({"name": tool, "_meta": {"progressToken": 1}}));
    assert_eq!(text(&session.post(BOTH, call("give_string")).await.json().await), "plain");
    let stream = session.post("text/event-stream", call("give_string")).await;
    assert_eq!(text(&stream.rest().await[0]), "plain");
    // Who would rather have events knows at once how to come back.
    let mut stream = session.post(EVENTS_FIRST, call("give_string")).await;
    let priming = stream.any().await.unwrap();
    assert!(priming.id.is_some() && priming.retry && priming.message.is_none(), "{priming:?}");
    assert_eq!(text(&stream.message().await), "plain");
    assert_eq!(stream.any().await, None);
    // Earlier clients would take the empty event for a message.
    let earlier = endpoint.open("2025-06-18", can_all()).await;
    let mut stream = earlier.post(EVENTS_FIRST, call("give_string")).await;
    assert_eq!(text(stream.any().await.unwrap().message.as_ref().unwrap()), "plain");

    // Who takes no events can't be asked, and gets nothing but the answer.
    assert_eq!(session.post(JSON, call("greet")).await.error().await, (200, -32021));
    seen.go.notify_one();
    assert_eq!(text(&session.post(JSON, call("hold")).await.json().await), "held");
    let (cancelled, ()) = tokio::join!(session.post(JSON, call("hold")), async {
        seen.started.notified().await;
        seen.started.notified().await;
        session.cancel(1).await;
    });
    assert_eq!(cancelled.error().await, (200, -32603));
    // A stream ends without an answer.
    let (cancelled, ()) = tokio::join!(session.post(BOTH, call("hold")), async {
        seen.started.notified().await;
        session.cancel(1).await;
    });
    assert!(cancelled.rest().await.iter().all(|message| message["method"] == "notifications/progress"));
}

#[tokio::test(start_paused = true)]
async fn a_long_silence_becomes_a_stream_with_signs_of_life() {
    let options = HttpOptions::new().stream_after(Duration::from_secs(3)).keep_alive(Duration::from_secs(5));
    let (endpoint, _) = Endpoint::new(options);
    let session = endpoint.newest().await;
    let mut stream = session.post(BOTH, message(Some(1), "tools/call", json!({"name": "leave"}))).await;
    assert!(stream.any().await.unwrap().retry);
    assert_eq!(stream.any().await, None, "the connection was let go");
    let mut stream = session.post(BOTH, message(Some(2), "tools/call", json!({"name": "hold"}))).await;
    assert!(stream.any().await.unwrap().retry);
    let started = tokio::time::Instant::now();
    for _ in 0..3 {
        assert_eq!(stream.any().await, Some(Event { id: None, retry: false, message: None }));
    }
    assert_eq!(started.elapsed().as_secs(), 15);
}

#[tokio::test]
async fn a_client_that_lost_its_connection_reads_on_where_it_was() {
    let (endpoint, seen) = Endpoint::new(HttpOptions::new());
    let session = endpoint.newest().await;
    let mut stream = session.call(1, "hold").await;
    let priming = stream.any().await.unwrap().id.unwrap();
    let (first, message) = stream.event().await;
    assert_eq!(message["method"], "notifications/progress");
    // Closing the connection cancels nothing.
    drop(stream);
    seen.go.notify_one();
    seen.dropped.notified().await;
    let rest = session.get(Some(&first)).await.rest().await;
    assert_eq!((rest.len(), &rest[0]["params"]["progress"], text(&rest[1])), (2, &json!(2), "held"));
    assert_eq!(session.get(Some(&priming)).await.rest().await.len(), 3, "from the beginning");
    let mut stream = session.get(Some(&first)).await;
    let (second, _) = stream.event().await;
    let (last, _) = stream.event().await;
    assert_eq!(session.get(Some(&second)).await.rest().await.len(), 1);
    assert_eq!(session.get(Some(&last)).await.rest().await.len(), 0, "after the end");

    // Who reads on takes the stream over; nothing is said twice.
    let mut before = session.call(2, "hold").await;
    before.any().await.unwrap();
    let (id, _) = before.event().await;
    let mut after = session.get(Some(&id)).await;
    seen.go.notify_one();
    assert_eq!(after.message().await["params"]["progress"], json!(2));
    assert_eq!(before.rest().await, [] as [Value; 0]);

    let other = endpoint.newest().await;
    for (session, id) in
        [(&session, "99-0"), (&session, "nonsense"), (&session, "1-x"), (&session, ""), (&other, &*first)]
    {
        // 404 would say that the session is over.
        assert_eq!(session.get(Some(id)).await.status, 400, "{id}");
        assert!(session.is_open().await);
    }
    // What went out as JSON can't have been lost half-way.
    assert_eq!(session.ask("ping", json!({})).await["result"], json!({}));
}

#[tokio::test]
async fn only_who_speaks_the_newest_revision_is_let_go() {
    let (endpoint, seen) = Endpoint::new(HttpOptions::new());
    let session = endpoint.newest().await;
    let mut stream = session.call(1, "leave").await;
    let priming = stream.any().await.unwrap();
    assert_eq!(stream.any().await, None);
    let back = session.get(priming.id.as_deref()).await;
    seen.go.notify_one();
    assert_eq!(text(&back.rest().await[0]), "left");

    let earlier = endpoint.open("2025-06-18", can_all()).await;
    seen.started.notified().await;
    let stream = earlier.call(1, "leave").await;
    let (rest, ()) = tokio::join!(stream.rest(), async {
        seen.started.notified().await;
        tokio::task::yield_now().await;
        seen.go.notify_one();
    });
    assert_eq!(text(&rest[0]), "left");
}

#[tokio::test]
async fn a_request_is_cancelled_by_name_in_its_own_session() {
    let (endpoint, seen) = Endpoint::new(HttpOptions::new());
    let (session, other) = (endpoint.newest().await, endpoint.newest().await);
    let mut stream = session.call(1, "hold").await;
    seen.started.notified().await;
    other.cancel(1).await;
    let again = session.ask("ping", json!({})).await;
    assert_eq!(again["error"]["code"], -32600, "the id belongs to one that is still running");
    assert_eq!(other.ask("ping", json!({})).await["result"], json!({}));
    session.cancel(1).await;
    seen.dropped.notified().await;
    assert_eq!(stream.message().await["method"], "notifications/progress");
    assert_eq!(stream.rest().await, [] as [Value; 0]);
    assert_eq!(session.ask("ping", json!({})).await["result"], json!({}));
}

#[tokio::test]
async fn a_question_goes_out_on_the_stream_of_its_call_and_its_answer_comes_by_a_post() {
    let (endpoint, _) = Endpoint::new(HttpOptions::new());
    let (session, other) = (endpoint.newest().await, endpoint.newest().await);
    let mut stream = session.call(1, "greet").await;
    let (id, question) = stream.event().await;
    assert_eq!(question["method"], "elicitation/create");
    // Nobody else can answer it.
    other.respond(&question, accept(json!({"name": "Eve"}))).await;
    // It survives a lost connection.
    drop(stream);
    session.respond(&question, accept(json!({"name": "Ada"}))).await;
    session.respond(&question, accept(json!({"name": "Eve"}))).await;
    assert_eq!(text(&session.get(Some(&id)).await.rest().await[0]), "Hello, Ada!");
    // Who takes both gets a stream once there is something to ask.
    let mut stream = session.post(BOTH, message(Some(2), "tools/call", json!({"name": "greet"}))).await;
    let question = stream.message().await;
    session.cancel(2).await;
    let rest = stream.rest().await;
    assert_eq!(rest.len(), 1);
    assert_eq!(
        (&rest[0]["method"], &rest[0]["params"]["requestId"]),
        (&json!("notifications/cancelled"), &question["id"])
    );
}

#[tokio::test]
async fn answers_and_cancellations_are_taken_when_there_is_no_room_for_more_requests() {
    let (endpoint, seen) = Endpoint::new(HttpOptions::new().max_in_flight(1));
    let session = endpoint.newest().await;
    let mut stream = session.call(1, "greet").await;
    let question = stream.message().await;
    assert_eq!(session.post(BOTH, message(Some(2), "ping", json!({}))).await.status, 503);
    let stranger = [("mcp-session-id", "unknown")];
    assert_eq!(endpoint.send(Method::POST, &stranger, answer(&question, json!({}))).await.status, 503);
    session.respond(&question, accept(json!({"name": "Ada"}))).await;
    assert_eq!(text(&stream.rest().await[0]), "Hello, Ada!");
    let held = session.call(1, "hold").await;
    seen.started.notified().await;
    session.cancel(1).await;
    assert_eq!(held.rest().await.len(), 1);
    assert!(session.is_open().await);
}

#[tokio::test(start_paused = true)]
async fn a_session_is_over_after_a_long_silence_and_never_while_somebody_works_in_it() {
    let ttl = Duration::from_secs(100);
    let (endpoint, seen) = Endpoint::new(HttpOptions::new().session_ttl(ttl).keep_alive(Duration::from_secs(1000)));
    let session = endpoint.newest().await;
    for _ in 0..3 {
        tokio::time::advance(ttl / 2).await;
        assert!(session.is_open().await);
    }
    tokio::time::advance(ttl).await;
    assert!(!session.is_open().await);

    // A stream of news, and a call whose client is gone.
    for working in [true, false] {
        let session = endpoint.newest().await;
        let mut stream = None;
        if working {
            drop(session.call(1, "hold").await);
            seen.started.notified().await;
        } else {
            stream = Some(session.get(None).await);
        }
        tokio::time::advance(ttl * 2).await;
        endpoint.newest().await;
        drop(stream);
        if working {
            seen.go.notify_one();
            seen.dropped.notified().await;
            tokio::task::yield_now().await;
        }
        // Its silence begins with the end of the work.
        tokio::time::advance(ttl / 2).await;
        assert!(session.is_open().await, "{working}");
        tokio::time::advance(ttl).await;
        assert!(!session.is_open().await);
    }
}

#[tokio::test(start_paused = true)]
async fn quiet_sessions_make_room_and_busy_ones_do_not() {
    let (endpoint, _) = Endpoint::new(HttpOptions::new().max_sessions(2));
    let open = || endpoint.send(Method::POST, &[], initialize(NEWEST, json!({})));
    let (first, second) = (endpoint.newest().await, endpoint.newest().await);
    let refused = open().await;
    assert!(refused.headers.contains_key("retry-after"));
    assert_eq!(refused.error().await, (503, -32603));
    tokio::time::advance(Duration::from_secs(61)).await;
    assert!(first.is_open().await);
    let third = endpoint.newest().await;
    assert!(first.is_open().await && !second.is_open().await && third.is_open().await);
    let _news = (first.get(None).await, third.get(None).await);
    tokio::time::advance(Duration::from_secs(61)).await;
    assert_eq!(open().await.status, 503, "both of them listen");
}

#[tokio::test(start_paused = true)]
async fn a_deadline_ends_a_call_and_lets_a_write_finish() {
    let (endpoint, seen) = Endpoint::new(HttpOptions::new().deadline(Duration::from_secs(30)));
    let session = endpoint.newest().await;
    for tool in ["hold", "greet", "write"] {
        let rest = session.call(1, tool).await.rest().await;
        assert_eq!(rest.last().unwrap()["error"]["code"], -32603, "{tool}");
    }
    seen.dropped.notified().await;
    assert_eq!(seen.written.load(Ordering::SeqCst), 0);
    seen.go.notify_one();
    seen.dropped.notified().await;
    assert_eq!(seen.written.load(Ordering::SeqCst), 1);
    assert!(session.is_open().await);
}

#[tokio::test]
async fn batches_of_the_revision_that_has_them() {
    let (endpoint, _) = Endpoint::new(HttpOptions::new().max_in_flight(4));
    let session = endpoint.open("2025-03-26", json!({})).await;
    let ping = |id: i64| json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
    let told = json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"});
    let batch = |messages: Value| messages.to_string().into_bytes();
    let ids = |answers: &[Value]| answers.iter().map(|answer| answer["id"].as_i64().unwrap()).collect::<Vec<_>>();

    let streamed = session.post(BOTH, batch(json!([ping(1), told, ping(2)]))).await.rest().await;
    assert_eq!(ids(&streamed), [1, 2]);
    for messages in [json!([ping(1), told, ping(2)]), json!([ping(1)])] {
        let whole = session.post(JSON, batch(messages)).await.json().await;
        assert_eq!(ids(whole.as_array().unwrap())[0], 1);
    }
    assert_eq!(session.post(BOTH, batch(json!([told, told]))).await.status, 202);
    for refused in [json!([]), json!([ping(1), 5]), json!([[ping(1)]])] {
        assert_eq!(session.post(BOTH, batch(refused)).await.status, 400);
    }
    // Each of its requests takes room.
    assert_eq!(session.post(BOTH, batch(Value::from_iter((1..=5).map(ping)))).await.status, 503);
    assert_eq!(session.post(JSON, batch(Value::from_iter((1..=4).map(ping)))).await.status, 200);
    let newer = endpoint.newest().await;
    assert_eq!(newer.post(BOTH, batch(json!([ping(1)]))).await.status, 400);
    assert_eq!(endpoint.send(Method::POST, &[], batch(json!([ping(1)]))).await.status, 400);
}

#[tokio::test]
async fn what_runs_in_sessions_ends_with_the_service() {
    let (endpoint, seen) = Endpoint::new(HttpOptions::new());
    let session = endpoint.newest().await;
    drop(session.call(1, "hold").await);
    seen.started.notified().await;
    drop((session, endpoint));
    seen.dropped.notified().await;
}

#[test]
fn a_server_that_stops_ends_streams_of_news_and_questions_at_once() {
    let seen = Arc::default();
    let options = HttpOptions::new().shutdown_grace(Duration::from_secs(3600));
    let mut served = Served::new(server(&seen).build().unwrap(), options);
    let old = |post: Post| post.with("MCP-Protocol-Version", NEWEST);
    let opened = served.ask(&old(Post::raw(initialize(NEWEST, can_all()))));
    let id = opened.header("mcp-session-id").unwrap().to_owned();
    let named = |post: Post| old(post).with("Mcp-Session-Id", &id);
    let call = message(Some(1), "tools/call", json!({"name": "greet"}));
    let mut call = served.send(&named(Post::raw(call)).with("Accept", EVENTS_FIRST).bytes());
    let mut news = served.send(&named(Post::raw("")).line("GET /mcp").bytes());
    // Both have begun.
    for stream in [&mut call, &mut news] {
        std::io::Read::read_exact(stream, &mut [0]).unwrap();
    }
    served.stop();
    let answer = std::io::read_to_string(call).unwrap();
    assert!(answer.contains("was not answered: the client is gone"), "{answer}");
}

#[tokio::test]
async fn pages_of_allowed_origins_may_hold_sessions() {
    let (endpoint, _) = Endpoint::new(HttpOptions::new().allow_origin("https://app.example.com").cors(true));
    let origin = ("origin", "https://app.example.com");
    let asked = ("access-control-request-headers", "mcp-session-id, last-event-id, x-else");
    for method in ["POST", "GET", "DELETE"] {
        let headers = [origin, ("access-control-request-method", method), asked];
        let reply = endpoint.send(Method::OPTIONS, &headers, "").await;
        assert_eq!(reply.status, 204);
        assert!(reply.headers["access-control-allow-methods"].to_str().unwrap().contains(method));
        assert_eq!(reply.headers["access-control-allow-headers"], "mcp-session-id, last-event-id");
    }
    let reply = endpoint.send(Method::POST, &[origin], initialize(NEWEST, json!({}))).await;
    assert!(reply.headers["access-control-expose-headers"].to_str().unwrap().contains("mcp-session-id"));
    let id = reply.headers["mcp-session-id"].to_str().unwrap().to_owned();
    for (method, expected) in [(Method::GET, 200), (Method::DELETE, 204)] {
        let headers = [origin, ("mcp-session-id", &*id)];
        let reply = endpoint.send(method.clone(), &headers, "").await;
        assert_eq!(
            (reply.status, &reply.headers["access-control-allow-origin"]),
            (expected, &origin.1.parse().unwrap())
        );
    }
    let stranger = [("origin", "https://evil.example"), ("mcp-session-id", &*id)];
    assert_eq!(endpoint.send(Method::GET, &stranger, "").await.status, 403);
}
