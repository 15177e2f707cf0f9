//! What calls may take: how many at once, how long, how much; and what the model reads beyond that.

use std::sync::Arc;
use std::time::Duration;

use haft::prelude::*;
use haft::{Cancel, RateLimit};
use serde_json::{Value, json};
use tokio::sync::{Notify, Semaphore, mpsc};

use crate::post::{Post, Served};
use crate::wire::{Wire, request, text};

/// Where a test holds the calls of a tool, and is told of what they do.
#[derive(Clone)]
struct Gate {
    open: Arc<Semaphore>,
    seen: mpsc::UnboundedSender<&'static str>,
}

impl Gate {
    fn new() -> (Self, mpsc::UnboundedReceiver<&'static str>) {
        let (seen, told) = mpsc::unbounded_channel();
        (Self { open: Arc::new(Semaphore::new(0)), seen }, told)
    }

    async fn pass(&self) -> &'static str {
        let _told = Told(self.seen.clone());
        self.seen.send("began").unwrap();
        self.open.acquire().await.unwrap().forget();
        self.seen.send("ended").unwrap();
        "passed"
    }
}

/// Says when the function is gone, however it ended.
struct Told(mpsc::UnboundedSender<&'static str>);

impl Drop for Told {
    fn drop(&mut self) {
        let _ = self.0.send("gone");
    }
}

struct Tools(Gate);

#[toolset]
impl Tools {
    /// Use this for a test.
    #[tool(read_only, closed_world, concurrency = 2)]
    async fn two_at_once(&self) -> &'static str {
        self.0.pass().await
    }

    /// Use this for a test.
    #[tool(read_only, closed_world, timeout = "20ms")]
    async fn read_in_time(&self) -> &'static str {
        self.0.pass().await
    }

    /// Use this for a test.
    #[tool(additive, closed_world, timeout = "20ms", concurrency = 1)]
    async fn write_in_time(&self) -> &'static str {
        self.0.pass().await
    }

    /// Use this for a test.
    #[tool(read_only, closed_world, timeout = "20ms", concurrency = 1)]
    fn block_in_time(&self, ctx: Context) -> &'static str {
        let _told = Told(self.0.seen.clone());
        tokio::runtime::Handle::current().block_on(ctx.cancelled());
        assert!(ctx.is_cancelled());
        self.0.seen.send("noticed").unwrap();
        tokio::runtime::Handle::current().block_on(self.0.pass())
    }

    /// Use this for a test.
    #[tool(read_only, closed_world, max_result = 1_000, rate(per_second = 1, burst = 1))]
    async fn repeat(&self, times: usize) -> String {
        "é".repeat(times)
    }
}

fn code(answer: &Value) -> &str {
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    answer["result"]["_meta"]["dev.haft/code"].as_str().unwrap_or_else(|| panic!("no code in {answer}"))
}

fn served() -> (Wire, Gate, mpsc::UnboundedReceiver<&'static str>) {
    let (gate, told) = Gate::new();
    let server = Server::new("limits", "1.0.0").tools(Tools(gate.clone())).build().unwrap();
    (Wire::new(&server), gate, told)
}

async fn start(wire: &Wire, id: i64, tool: &str) {
    wire.send(request(id, "tools/call", json!({"name": tool}))).await;
}

#[tokio::test]
async fn a_call_beyond_the_concurrency_is_refused_at_once_and_the_next_one_is_not() {
    let (mut wire, gate, mut told) = served();
    start(&wire, 1, "two_at_once").await;
    start(&wire, 2, "two_at_once").await;
    for _ in 0..2 {
        assert_eq!(told.recv().await, Some("began"));
    }
    start(&wire, 3, "two_at_once").await;
    let refused = wire.recv().await;
    assert_eq!((&refused["id"], code(&refused)), (&json!(3), "busy"));
    assert_eq!(
        text(&refused),
        "two_at_once was not run: it is busy with 2 other calls, as many as it takes at once. Try again in a few \
         seconds, and wait for each answer before the next call."
    );
    gate.open.add_permits(1);
    assert_eq!(text(&wire.recv().await), "passed");
    gate.open.add_permits(1);
    start(&wire, 4, "two_at_once").await;
    assert_eq!(text(&wire.recv().await), "passed");
}

#[tokio::test]
async fn wrong_arguments_take_no_place() {
    let (mut wire, _gate, mut told) = served();
    start(&wire, 1, "write_in_time").await;
    assert_eq!(told.recv().await, Some("began"));
    let params = json!({"name": "write_in_time", "arguments": {"who": 1}});
    wire.send(request(2, "tools/call", params)).await;
    let answers = [wire.recv().await, wire.recv().await];
    let refused = answers.iter().find(|answer| answer["id"] == 2).unwrap();
    assert!(text(refused).contains("/who"), "{refused}");
}

#[tokio::test]
async fn a_reader_that_takes_too_long_is_dropped() {
    let (mut wire, gate, mut told) = served();
    let answer = wire.call("read_in_time", json!({})).await;
    assert_eq!(code(&answer), "timed_out");
    assert_eq!(
        text(&answer),
        "read_in_time was stopped: it took longer than 20ms. Ask it for less, or try again in a minute; if that fails \
         too, tell the user."
    );
    assert_eq!((told.recv().await, told.recv().await), (Some("began"), Some("gone")));
    gate.open.add_permits(1);
    assert_eq!(text(&wire.call("read_in_time", json!({})).await), "passed");
}

#[tokio::test]
async fn a_writer_that_takes_too_long_runs_on_and_keeps_its_place() {
    let (mut wire, gate, mut told) = served();
    let answer = wire.call("write_in_time", json!({})).await;
    assert_eq!(code(&answer), "timed_out");
    assert!(text(&answer).contains("It may still do what it was asked to"), "{answer}");
    assert_eq!(code(&wire.call("write_in_time", json!({})).await), "busy");
    gate.open.add_permits(1);
    for step in ["began", "ended", "gone"] {
        assert_eq!(told.recv().await, Some(step));
    }
    gate.open.add_permits(1);
    while code_or_none(&wire.call("write_in_time", json!({})).await) == Some("busy".to_owned()) {
        tokio::task::yield_now().await;
    }
}

fn code_or_none(answer: &Value) -> Option<String> {
    answer["result"]["_meta"]["dev.haft/code"].as_str().map(str::to_owned)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plain_function_notices_that_its_time_is_over_and_keeps_its_place_while_it_runs() {
    let (mut wire, gate, mut told) = served();
    assert_eq!(code(&wire.call("block_in_time", json!({})).await), "timed_out");
    assert_eq!((told.recv().await, told.recv().await), (Some("noticed"), Some("began")));
    assert_eq!(code(&wire.call("block_in_time", json!({})).await), "busy");
    gate.open.add_permits(1);
    for step in ["ended", "gone", "gone"] {
        assert_eq!(told.recv().await, Some(step));
    }
}

#[tokio::test]
async fn the_servers_time_limit_holds_for_tools_without_their_own() {
    let never = Arc::new(Notify::new());
    let slow = |name: &str| {
        let never = Arc::clone(&never);
        Tool::builder(name).handler(move |_: Arguments, _: Context| {
            let never = Arc::clone(&never);
            async move { never.notified().await }
        })
    };
    let server = Server::new("limits", "1.0.0")
        .tool_timeout(Duration::from_millis(10))
        .tool(slow("of_the_server"))
        .tool(slow("of_its_own").timeout(Duration::from_secs(3600)))
        .build()
        .unwrap();
    let mut wire = Wire::new(&server);
    start(&wire, 1, "of_its_own").await;
    start(&wire, 2, "of_the_server").await;
    let first = wire.recv().await;
    assert_eq!((&first["id"], code(&first)), (&json!(2), "timed_out"));
    never.notify_waiters();
    assert_eq!(wire.recv().await["id"], 1);
}

#[tokio::test]
async fn a_result_that_is_too_large_is_withheld() {
    let (mut wire, _gate, _told) = served();
    let fits = wire.call("repeat", json!({"times": 100})).await;
    assert_eq!(text(&fits), "é".repeat(100));
    let answer = wire.call("repeat", json!({"times": 500})).await;
    assert_eq!(code(&answer), "result_too_large");
    assert_eq!(
        text(&answer),
        "repeat ran, but its result is larger than the 1000 bytes that may be sent, and was withheld; what the \
         call did is done. Where calling again does no harm, do so at once and ask for less: fewer items, a shorter \
         range, or one page."
    );
    assert!(answer["result"].get("structuredContent").is_none());
}

#[tokio::test]
async fn the_servers_result_size_holds_in_process_too() {
    let (gate, _told) = Gate::new();
    let server = Server::new("limits", "1.0.0").max_result(10).tools(Tools(gate.clone()));
    let echo = Tool::builder("echo").handler(|_: Arguments, _: Context| async { "echo" });
    let server = server.tool(echo.max_result(10_000)).build().unwrap();
    gate.open.add_permits(1);
    let withheld = server.call_tool("two_at_once", json!({})).await.unwrap();
    assert!(withheld.text().contains("larger than the 10 bytes"), "{}", withheld.text());
    assert_eq!(server.call_tool("echo", json!({})).await.unwrap().text(), "echo");
}

#[tokio::test]
async fn callers_in_this_process_are_not_counted() {
    let (mut wire, _gate, _told) = served();
    for _ in 0..300 {
        assert_eq!(text(&wire.call("repeat", json!({"times": 1})).await), "é");
    }
}

#[test]
fn authenticated_callers_are_counted_each_by_itself_and_tool_by_tool() {
    let (gate, _told) = Gate::new();
    let server = Server::new("limits", "1.0.0").tools(Tools(gate)).rate_limit(RateLimit::per_second(1).burst(2));
    let free = Tool::builder("of_the_server").handler(|_: Arguments, _: Context| async { "run" });
    let served = Served::new(server.tool(free).build().unwrap(), crate::scopes::options());
    let call = |tool: &str, token: Option<&str>| {
        let post = Post::new("tools/call", json!({"name": tool, "arguments": {}}));
        let post = token.into_iter().fold(post, Post::token);
        served.ask(&post).json()["result"].clone()
    };
    let refused = |result: &Value| result["_meta"]["dev.haft/code"] == "rate_limited";
    // `repeat` lacks an argument: a wrong call counts like any other.
    assert!(!refused(&call("repeat", Some("ada~"))));
    // More than one, as a machine may be too slow to call twice in a second.
    let result = (0..50).map(|_| call("repeat", Some("ada~"))).find(refused).unwrap();
    assert_eq!(result["isError"], true);
    assert_eq!(
        result["content"][0]["text"],
        "repeat was not run: it is called too often (it takes 1 call a second, 1 at once). Try again in 1 second."
    );
    assert!(!refused(&call("repeat", Some("bob~"))), "another caller");
    assert!(!refused(&call("of_the_server", Some("ada~"))), "another tool");
    assert!((0..50).any(|_| refused(&call("of_the_server", Some("ada~other.scopes")))), "by the server's own limit");
    for _ in 0..10 {
        assert!(!refused(&call("of_the_server", None)), "nobody in particular");
    }
}

#[test]
fn limits_that_let_nothing_through_are_problems() {
    let tool = Tool::builder("none_at_all")
        .on_cancel(Cancel::Drop)
        .handler(|_: Arguments, _: Context| async {})
        .concurrency(0)
        .timeout(Duration::ZERO)
        .max_result(0)
        .rate_limit(RateLimit::per_second(1).burst(0));
    let server = Server::new("limits", "1.0.0").rate_limit(RateLimit::per_second(2_000_000)).tool(tool);
    let error = server.build().unwrap_err().to_string();
    for part in [
        "a concurrency of 0",
        "a time limit of 0",
        "a result size of 0",
        "none_at_all",
        "a rate limit must be from 1 to 1000000 calls a second",
    ] {
        assert!(error.contains(part), "{part:?} in {error}");
    }
    assert_eq!(error.matches("a rate limit must be").count(), 2, "{error}");
}

/// Use this for a test.
#[tool(additive, closed_world, timeout = "10s")]
async fn ask_and_work(seconds: u64, ctx: Context) -> Result<String, ToolError> {
    let name: String = ctx.ask("name", "Who are you?").await?;
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    Ok(name)
}

/// A client of an older revision, whose calls wait for its user.
async fn session() -> Wire {
    let server = Server::new("limits", "1.0.0").tool(ask_and_work::tool()).build().unwrap();
    let mut wire = Wire::new(&server);
    let hello = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {"elicitation": {"form": {}}},
        "clientInfo": {"name": "old", "version": "1"},
    });
    wire.send(plain(json!({"id": 0, "method": "initialize", "params": hello}))).await;
    assert_eq!(wire.recv().await["id"], 0);
    wire.send(plain(json!({"method": "notifications/initialized"}))).await;
    wire
}

fn plain(mut frame: Value) -> Vec<u8> {
    frame["jsonrpc"] = json!("2.0");
    frame.to_string().into_bytes()
}

#[tokio::test(start_paused = true)]
async fn the_time_in_which_a_user_answers_does_not_count() {
    for (seconds, expected) in [(9, "Ada"), (11, "ask_and_work has taken longer than 10s")] {
        let mut wire = session().await;
        let call = json!({"name": "ask_and_work", "arguments": {"seconds": seconds}});
        wire.send(plain(json!({"id": 1, "method": "tools/call", "params": call}))).await;
        let asked = wire.recv().await;
        assert_eq!(asked["method"], "elicitation/create", "{asked}");
        // Of the paused clock: nobody waits.
        tokio::time::sleep(Duration::from_secs(60)).await;
        let answer = json!({"action": "accept", "content": {"name": "Ada"}});
        wire.send(plain(json!({"id": asked["id"], "result": answer}))).await;
        let answer = wire.recv().await;
        assert!(text(&answer).starts_with(expected), "{answer}");
    }
}
