//! Calls while they run: side by side, cancelled, reporting, asking for capabilities.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use haft::prelude::*;
use haft::{CallOptions, Client, ErrorKind, LogLevel};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::wire::{Wire, request, text};

/// What a running call did, seen from outside.
#[derive(Default)]
struct Watch {
    started: Notify,
    go: Notify,
    dropped: Notify,
    finished: Notify,
}

struct OnDrop(Arc<Watch>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.dropped.notify_one();
    }
}

struct Work(Arc<Watch>);

#[toolset]
impl Work {
    /// Use this for a test.
    #[tool(read_only, closed_world)]
    async fn read(&self) -> &'static str {
        self.run().await
    }

    /// Use this for a test.
    #[tool(destructive, closed_world)]
    async fn write(&self) -> &'static str {
        self.run().await
    }

    /// Use this for a test.
    #[tool(destructive, closed_world, cancel = "drop")]
    async fn write_dropped(&self) -> &'static str {
        self.run().await
    }

    /// Use this for a test.
    #[tool(read_only, closed_world)]
    fn poll(&self, context: Context) -> &'static str {
        self.0.started.notify_one();
        while !context.is_cancelled() {
            std::thread::yield_now();
        }
        self.0.finished.notify_one();
        "cancelled"
    }

    async fn run(&self) -> &'static str {
        let _guard = OnDrop(Arc::clone(&self.0));
        self.0.started.notify_one();
        self.0.go.notified().await;
        self.0.finished.notify_one();
        "done"
    }
}

async fn soon(what: &Notify) {
    tokio::time::timeout(Duration::from_secs(10), what.notified()).await.expect("it happens");
}

fn working() -> (Arc<Watch>, Wire) {
    let watch = Arc::new(Watch::default());
    let server = Server::new("work", "1.0.0").tools(Work(Arc::clone(&watch))).build().unwrap();
    (watch, Wire::new(&server))
}

fn cancel(id: Value) -> Vec<u8> {
    let params = json!({"requestId": id, "reason": "user"});
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}).to_string().into_bytes()
}

/// Nothing at all was sent for the cancelled request: the next frame is the answer to a later one.
async fn is_silent(wire: &mut Wire) {
    wire.send(request("later", "tools/list", json!({}))).await;
    assert_eq!(wire.recv().await["id"], "later");
}

#[tokio::test]
async fn a_cancelled_read_is_dropped_and_draws_no_answer() {
    for tool in ["read", "write_dropped"] {
        let (watch, mut wire) = working();
        wire.send(request(0, "tools/call", json!({"name": tool}))).await;
        soon(&watch.started).await;
        wire.send(cancel(json!(0))).await;
        soon(&watch.dropped).await;
        is_silent(&mut wire).await;
    }
}

#[tokio::test]
async fn a_cancelled_write_runs_on_to_its_end_and_draws_no_answer() {
    let (watch, mut wire) = working();
    wire.send(request(0, "tools/call", json!({"name": "write"}))).await;
    soon(&watch.started).await;
    wire.send(cancel(json!(0))).await;
    is_silent(&mut wire).await;
    watch.go.notify_one();
    soon(&watch.finished).await;
}

#[tokio::test]
async fn a_plain_function_sees_that_it_is_cancelled() {
    let (watch, mut wire) = working();
    wire.send(request(0, "tools/call", json!({"name": "poll"}))).await;
    soon(&watch.started).await;
    wire.send(cancel(json!(0))).await;
    soon(&watch.finished).await;
    is_silent(&mut wire).await;
}

#[tokio::test]
async fn a_cancellation_hits_the_id_of_its_own_type_only() {
    let (watch, mut wire) = working();
    wire.send(request(0, "tools/call", json!({"name": "read"}))).await;
    soon(&watch.started).await;
    for id in [json!("0"), json!(7), json!(null), json!({})] {
        wire.send(cancel(id)).await;
    }
    watch.go.notify_one();
    let answer = wire.recv().await;
    assert_eq!((&answer["id"], text(&answer)), (&json!(0), "done"));
}

#[tokio::test]
async fn an_id_that_is_still_in_use_is_refused() {
    let (watch, mut wire) = working();
    wire.send(request(0, "tools/call", json!({"name": "read"}))).await;
    soon(&watch.started).await;
    wire.send(request(0, "tools/list", json!({}))).await;
    assert_eq!(wire.recv().await["error"]["code"], -32600);
    watch.go.notify_one();
    assert_eq!(text(&wire.recv().await), "done");
}

#[tokio::test]
async fn a_client_that_gives_up_cancels_its_call() {
    let watch = Arc::new(Watch::default());
    let server = Server::new("work", "1.0.0").tools(Work(Arc::clone(&watch))).build().unwrap();
    let client = Client::in_memory(&server);
    let options = CallOptions::default().timeout(Duration::from_millis(1));
    let error = client.call_with("read", json!({}), options).await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Timeout), "{error:?}");
    soon(&watch.dropped).await;
}

static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// Use this for a test. It ends once eight of its kind run at once.
#[tool(read_only, closed_world)]
fn meet() -> &'static str {
    RUNNING.fetch_add(1, Ordering::SeqCst);
    while RUNNING.load(Ordering::SeqCst) < 8 {
        std::thread::yield_now();
    }
    "met"
}

#[tokio::test]
async fn blocking_functions_run_side_by_side_and_block_nobody() {
    let server = Server::new("meet", "1.0.0").tool(meet::tool()).build().unwrap();
    let mut wire = Wire::new(&server);
    for id in 0..7 {
        wire.send(request(id, "tools/call", json!({"name": "meet"}))).await;
    }
    is_silent(&mut wire).await;
    wire.send(request(7, "tools/call", json!({"name": "meet"}))).await;
    for _ in 0..8 {
        assert_eq!(text(&wire.recv().await), "met");
    }
}

#[tokio::test]
async fn no_more_requests_run_at_once_than_may() {
    let watch = Arc::new(Watch::default());
    let server = Server::new("work", "1.0.0").tools(Work(Arc::clone(&watch))).max_in_flight(1).build().unwrap();
    let mut wire = Wire::new(&server);
    wire.send(request(0, "tools/call", json!({"name": "read"}))).await;
    wire.send(request(1, "tools/list", json!({}))).await;
    soon(&watch.started).await;
    watch.go.notify_one();
    assert_eq!(wire.recv().await["id"], 0);
    assert_eq!(wire.recv().await["id"], 1);
}

/// Use this for a test.
#[tool(read_only, closed_world, logs)]
async fn report(context: Context) -> &'static str {
    for progress in [1.0, 1.0, 0.5, f64::NAN, 2.0] {
        context.progress(progress, Some(4.0));
    }
    context.progress_message(3.5, None, "nearly");
    context.log(LogLevel::Debug, "quiet");
    context.log(LogLevel::Error, json!({"loud": true}));
    let late = context.clone();
    tokio::spawn(async move {
        tokio::task::yield_now().await;
        late.progress(9.0, None);
        late.log(LogLevel::Error, "too late");
    });
    "reported"
}

async fn reported(meta: Value) -> Vec<Value> {
    let server = Server::new("report", "1.0.0").tool(report::tool()).build().unwrap();
    let mut wire = Wire::new(&server);
    wire.send(request(1, "tools/call", json!({"name": "report", "_meta": meta}))).await;
    let mut frames = Vec::new();
    loop {
        let frame = wire.recv().await;
        if frame.get("id").is_some() {
            break;
        }
        frames.push(frame);
    }
    is_silent(&mut wire).await;
    frames
}

#[tokio::test]
async fn progress_rises_carries_the_token_and_stops_with_the_result() {
    for token in [json!(0), json!("0"), json!("é")] {
        let frames = reported(json!({"progressToken": token})).await;
        let progress: Vec<_> = frames.iter().map(|frame| frame["params"]["progress"].as_f64().unwrap()).collect();
        assert_eq!(progress, [1.0, 2.0, 3.5]);
        assert!(frames.iter().all(|frame| frame["params"]["progressToken"] == token));
        assert_eq!((&frames[0]["params"]["total"], &frames[2]["params"]["message"]), (&json!(4), &json!("nearly")));
    }
    assert_eq!(reported(json!({})).await, Vec::<Value>::new());
}

#[tokio::test]
async fn logs_go_out_from_the_level_that_was_asked_for_and_never_unasked() {
    let frames = reported(json!({"io.modelcontextprotocol/logLevel": "warning"})).await;
    assert_eq!(frames.len(), 1);
    assert_eq!(frames[0]["method"], "notifications/message");
    assert_eq!(frames[0]["params"], json!({"level": "error", "logger": "report", "data": {"loud": true}}));
    assert_eq!(reported(json!({"io.modelcontextprotocol/logLevel": "debug"})).await.len(), 2);
}

#[tokio::test]
async fn an_odd_log_level_or_progress_token_is_refused() {
    let server = Server::new("report", "1.0.0").tool(report::tool()).build().unwrap();
    let mut wire = Wire::new(&server);
    for meta in [json!({"io.modelcontextprotocol/logLevel": "loud"}), json!({"progressToken": 1.5})] {
        let answer = wire.ask("tools/call", json!({"name": "report", "_meta": meta})).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
}

/// Tools that say something before their result, and one that needs a capable client.
pub(crate) fn all() -> haft::ServerBuilder {
    Server::new("calls", "1.0.0").tool(report::tool()).tool(needy::tool())
}

/// Use this for a test.
#[tool(read_only, closed_world, needs(elicitation, sampling))]
async fn needy() -> &'static str {
    "ran"
}

#[tokio::test]
async fn a_client_without_a_needed_capability_is_told_which() {
    let mut wire = Wire::new(&Server::new("needy", "1.0.0").tool(needy::tool()).build().unwrap());
    let call = |capabilities: Value| json!({"name": "needy", "_meta": {"io.modelcontextprotocol/clientCapabilities": capabilities}});
    let answer = wire.ask("tools/call", call(json!({"sampling": {}}))).await;
    assert_eq!(answer["error"]["code"], -32021);
    assert_eq!(answer["error"]["data"], json!({"requiredCapabilities": {"elicitation": {}}}));
    assert_eq!(text(&wire.ask("tools/call", call(json!({"sampling": {}, "elicitation": {}}))).await), "ran");
}

#[tokio::test]
async fn progress_reaches_the_callback_of_its_call() {
    let server = Server::new("report", "1.0.0").tool(report::tool()).build().unwrap();
    let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
    let sink = Arc::clone(&seen);
    let options = CallOptions::default().on_progress(move |progress| sink.lock().unwrap().push(progress.progress));
    Client::in_memory(&server).call_with("report", json!({}), options).await.unwrap();
    assert_eq!(*seen.lock().unwrap(), [1.0, 2.0, 3.5]);
}

#[tokio::test]
async fn a_function_that_panics_before_its_future_is_there_ends_one_call() {
    let early = Tool::builder("early").handler(|arguments: Arguments, _: Context| {
        assert!(arguments.contains_key("never"), "no future yet");
        async { "" }
    });
    let server = Server::new("test", "1.0.0").tool(early).build().unwrap();
    let mut wire = Wire::new(&server);
    for _ in 0..2 {
        let answer = wire.call("early", json!({})).await;
        assert_eq!(answer["result"]["isError"], true);
        assert!(text(&answer).contains("incident"), "{answer}");
    }
}
