//! Calls that go on as tasks: what is answered, what is told, and whom it is told to.

mod client;
mod crashes;
mod http;
mod input;

use std::sync::Arc;
use std::time::Duration;

use haft::prelude::*;
use haft::store::{ManualClock, MemoryStore, Store};
use haft::{ProtocolError, TaskOptions, TaskSupport};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::old::Old;
use crate::wire::{Wire, request, text};

const EXTENSION: &str = "io.modelcontextprotocol/tasks";
const NOBODYS: &str = "task_AAAAAAAAAAAAAAAAAAAAAA";

/// Parameters of a client that knows tasks and can be asked.
fn knowing(mut params: Value) -> Value {
    let capabilities = json!({"elicitation": {}, "extensions": {EXTENSION: {}}});
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities;
    params
}

async fn ask(wire: &mut Wire, method: &str, params: Value) -> Value {
    wire.ask(method, knowing(params)).await
}

async fn call(wire: &mut Wire, tool: &str, arguments: Value) -> Value {
    ask(wire, "tools/call", json!({"name": tool, "arguments": arguments})).await
}

/// The id of the task that a call becomes.
async fn start(wire: &mut Wire, tool: &str, arguments: Value) -> String {
    let answer = call(wire, tool, arguments).await;
    assert_eq!(answer["result"]["resultType"], "task", "{answer}");
    answer["result"]["taskId"].as_str().unwrap().to_owned()
}

async fn get(wire: &mut Wire, id: &str) -> Value {
    let answer = ask(wire, "tasks/get", json!({"taskId": id})).await;
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    answer["result"].clone()
}

async fn update(wire: &mut Wire, id: &str, responses: Value) {
    let answer = ask(wire, "tasks/update", json!({"taskId": id, "inputResponses": responses})).await;
    acknowledged(&answer);
}

async fn cancel(wire: &mut Wire, id: &str) {
    acknowledged(&ask(wire, "tasks/cancel", json!({"taskId": id})).await);
}

fn acknowledged(answer: &Value) {
    let members: Vec<_> = answer["result"].as_object().unwrap_or_else(|| panic!("{answer}")).keys().collect();
    assert_eq!((members.len(), &answer["result"]["resultType"]), (2, &json!("complete")), "{answer}");
}

/// Follows a task on a connection of its own, as a subscriber, until it is as is wanted.
async fn until(server: &Server, id: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    let mut wire = Wire::new(server);
    wire.send(request(7, "subscriptions/listen", knowing(json!({"notifications": {"taskIds": [id]}})))).await;
    let agreed = wire.recv().await;
    assert_eq!(agreed["params"]["notifications"], json!({"taskIds": [id]}), "{agreed}");
    loop {
        let told = wire.recv().await;
        assert_eq!(told["method"], "notifications/tasks", "{told}");
        assert_eq!(told["params"]["_meta"], json!({"io.modelcontextprotocol/subscriptionId": 7}));
        assert_eq!(told["params"]["taskId"], *id);
        if wanted(&told["params"]) {
            return told["params"].clone();
        }
    }
}

async fn until_status(server: &Server, id: &str, status: &str) -> Value {
    until(server, id, |task| task["status"] == status).await
}

/// A gate that nobody opens.
fn closed() -> Arc<Semaphore> {
    Arc::new(Semaphore::new(0))
}

/// A tool that is done as often as there is a permit.
fn gated(gate: &Arc<Semaphore>) -> Tool {
    let gate = Arc::clone(gate);
    Tool::builder("work")
        .input_schema(r#"{"type":"object"}"#)
        .read_only(true)
        .handler(move |arguments: Arguments, _: Context| {
            let gate = Arc::clone(&gate);
            async move {
                gate.acquire().await.unwrap().forget();
                format!("worked on {}", arguments.get("on").unwrap_or(&Value::Null))
            }
        })
        .task(TaskSupport::new())
}

/// Use this to see what a task is not for.
#[tool(read_only, closed_world, task = "required")]
async fn only_as_task() -> &'static str {
    "done"
}

/// Use this to fail.
#[tool(read_only, closed_world, task(ttl = "90m", poll = "250ms"))]
async fn fail(how: String) -> Result<String, ToolError> {
    match how.as_str() {
        "tool" => Err(ToolError::new("It didn't work.")),
        "protocol" => Err(ProtocolError::new(-7, "It broke off.").data(json!({"at": 3})).into()),
        _ => panic!("{how}"),
    }
}

fn server(gate: &Arc<Semaphore>) -> Server {
    builder(gate).build().unwrap()
}

fn builder(gate: &Arc<Semaphore>) -> haft::ServerBuilder {
    Server::new("tasks", "1.0.0").tool(gated(gate)).tool(only_as_task::tool()).tool(fail::tool())
}

#[tokio::test]
async fn a_call_is_answered_with_a_task_and_its_result_comes_later() {
    let gate = closed();
    let server = server(&gate);
    let mut wire = Wire::new(&server);
    let answer = call(&mut wire, "work", json!({"on": 7})).await;
    let created = &answer["result"];
    let id = created["taskId"].as_str().unwrap();
    assert_eq!(id.len(), 27, "{id}");
    let info = json!({"io.modelcontextprotocol/serverInfo": {"name": "tasks", "version": "1.0.0"}});
    let mut expected = json!({
        "resultType": "task",
        "taskId": id,
        "status": "working",
        "createdAt": created["createdAt"],
        "lastUpdatedAt": created["createdAt"],
        "ttlMs": 3_600_000,
        "pollIntervalMs": 1000,
        "_meta": info,
    });
    assert_eq!(*created, expected);
    assert!(created["createdAt"].as_str().unwrap().ends_with('Z'));
    expected["resultType"] = json!("complete");
    assert_eq!(get(&mut wire, id).await, expected, "it can be asked for as soon as there is an answer");

    gate.add_permits(2);
    let told = until_status(&server, id, "completed").await;
    let mut task = get(&mut wire, id).await;
    let inline = wire.call("work", json!({"on": 7})).await["result"].clone();
    assert_eq!(task["result"], inline, "just what the call would have been answered with");
    assert_eq!(text(&json!({"result": inline})), "worked on 7");
    for member in ["resultType", "_meta"] {
        task.as_object_mut().unwrap().remove(member);
    }
    let mut told = told;
    told.as_object_mut().unwrap().remove("_meta");
    assert_eq!(told, task, "told of as it would have been answered");
}

#[tokio::test]
async fn what_fails_in_a_task_fails_as_it_would_in_line() {
    let server = server(&closed());
    let mut wire = Wire::new(&server);
    let id = start(&mut wire, "fail", json!({"how": "tool"})).await;
    let task = until_status(&server, &id, "completed").await;
    assert_eq!((&task["result"]["isError"], &task["error"]), (&json!(true), &Value::Null));
    assert_eq!((&task["ttlMs"], &task["pollIntervalMs"]), (&json!(5_400_000), &json!(250)));
    let id = start(&mut wire, "fail", json!({"how": "panic"})).await;
    let task = until_status(&server, &id, "completed").await;
    assert!(task["result"]["content"][0]["text"].as_str().unwrap().contains("internal error"), "{task}");
    let id = start(&mut wire, "fail", json!({"how": "protocol"})).await;
    let task = until_status(&server, &id, "failed").await;
    assert_eq!(task["error"], json!({"code": -7, "message": "It broke off.", "data": {"at": 3}}));
    assert_eq!((&task["statusMessage"], &task["result"]), (&json!("It broke off."), &Value::Null));
    // What is refused before it runs is no task.
    let answer = call(&mut wire, "fail", json!({})).await;
    assert_eq!((&answer["result"]["resultType"], &answer["result"]["isError"]), (&json!("complete"), &json!(true)));
}

#[tokio::test]
async fn clients_that_do_not_know_tasks_get_results() {
    let gate = Arc::new(Semaphore::new(3));
    let server = server(&gate);
    let mut wire = Wire::new(&server);
    let missing = json!({"requiredCapabilities": {"extensions": {EXTENSION: {}}}});
    let plain = |params: Value| request(1, "tools/call", params);
    for capabilities in [json!({}), json!({"extensions": {}}), json!({"extensions": {EXTENSION: null}})] {
        let meta = json!({"io.modelcontextprotocol/clientCapabilities": capabilities});
        wire.send(plain(json!({"name": "work", "_meta": meta}))).await;
        assert_eq!(text(&wire.recv().await), "worked on null");
        wire.send(plain(json!({"name": "only_as_task", "_meta": meta}))).await;
        let refused = wire.recv().await;
        assert_eq!((&refused["error"]["code"], &refused["error"]["data"]), (&json!(-32021), &missing), "{refused}");
    }
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let refused = wire.ask(method, json!({"taskId": 7})).await;
        assert_eq!((&refused["error"]["code"], &refused["error"]["data"]), (&json!(-32021), &missing), "{refused}");
    }
    let refused = wire.ask("subscriptions/listen", json!({"notifications": {"taskIds": [NOBODYS]}})).await;
    assert_eq!((&refused["error"]["code"], &refused["error"]["data"]), (&json!(-32021), &missing), "{refused}");
    // In this process there is nobody to come back for it.
    assert_eq!(server.call_tool("only_as_task", json!({})).await.unwrap().text(), "done");
}

#[tokio::test]
async fn clients_of_older_revisions_know_nothing_of_these_tasks() {
    let gate = Arc::new(Semaphore::new(1));
    let server = server(&gate);
    let capabilities = json!({"extensions": {EXTENSION: {}}, "tasks": {}});
    let mut old = Old::of(&server, "2025-11-25", capabilities).await;
    assert_eq!(old.welcome["capabilities"]["extensions"], Value::Null, "{}", old.welcome);
    old.wire.send(crate::old::message(Some(1), "tools/call", json!({"name": "work"}))).await;
    assert_eq!(text(&old.wire.recv().await), "worked on null");
    old.wire.send(crate::old::message(Some(2), "tasks/get", json!({"taskId": NOBODYS}))).await;
    assert_eq!(old.wire.recv().await["error"]["code"], -32601);
}

#[tokio::test]
async fn only_a_server_with_tasks_declares_them_and_knows_their_methods() {
    let declared = |answer: &Value| answer["result"]["capabilities"]["extensions"].clone();
    let with = server(&closed());
    assert_eq!(declared(&Wire::new(&with).ask("server/discover", json!({})).await), json!({EXTENSION: {}}));
    let without = Server::new("plain", "1.0.0").build().unwrap();
    let mut wire = Wire::new(&without);
    assert_eq!(declared(&wire.ask("server/discover", json!({})).await), Value::Null);
    for method in ["tasks/get", "tasks/update", "tasks/cancel", "tasks/list", "subscriptions/listen"] {
        let refused = ask(&mut wire, method, json!({"taskId": NOBODYS})).await;
        assert_eq!(refused["error"]["code"], -32601, "{method}");
    }
    for method in ["tasks/list", "tasks/result"] {
        assert_eq!(ask(&mut Wire::new(&with), method, json!({"taskId": NOBODYS})).await["error"]["code"], -32601);
    }
}

#[tokio::test]
async fn a_task_that_is_no_more_or_never_was_reads_the_same() {
    let clock = ManualClock::new();
    let store: Arc<dyn Store> = Arc::new(MemoryStore::with_clock(clock.clone()));
    let gate = closed();
    let options = || TaskOptions::new().store_in(Arc::clone(&store)).ttl(Duration::from_secs(60));
    let server = builder(&gate).tasks(options()).build().unwrap();
    let mut wire = Wire::new(&server);
    let id = start(&mut wire, "work", json!({})).await;
    clock.advance(Duration::from_secs(60));
    let unknown = ask(&mut wire, "tasks/get", json!({"taskId": NOBODYS})).await;
    assert_eq!(unknown["error"]["code"], -32602);
    let long = "task_".repeat(200);
    for id in [id.as_str(), "", "task_", "task/x", &format!("{NOBODYS}/lease"), &long] {
        for method in ["tasks/get", "tasks/cancel", "tasks/update"] {
            let answer = ask(&mut wire, method, json!({"taskId": id, "inputResponses": {}})).await;
            assert_eq!(answer, unknown, "{method} {id}");
        }
    }
    wire.send(request(3, "subscriptions/listen", knowing(json!({"notifications": {"taskIds": [NOBODYS, id, ""]}}))))
        .await;
    assert_eq!(wire.recv().await["params"]["notifications"], json!({}));
}

#[tokio::test]
async fn one_caller_has_so_many_tasks_and_a_process_runs_so_many() {
    let gate = closed();
    let clock = ManualClock::new();
    let store: Arc<dyn Store> = Arc::new(MemoryStore::with_clock(clock.clone()));
    let options = || TaskOptions::new().store_in(Arc::clone(&store)).max_per_caller(2);
    let server = builder(&gate).tasks(options()).build().unwrap();
    let mut wire = Wire::new(&server);
    let first = start(&mut wire, "work", json!({})).await;
    start(&mut wire, "work", json!({})).await;
    gate.add_permits(1);
    until_status(&server, &first, "completed").await;
    let refused = call(&mut wire, "work", json!({})).await["result"].clone();
    let code = |result: &Value| result["_meta"]["dev.haft/code"].clone();
    assert_eq!((&refused["isError"], code(&refused)), (&json!(true), json!("too_many_tasks")), "{refused}");
    clock.advance(Duration::from_secs(3600));
    start(&mut wire, "work", json!({})).await;

    let server = builder(&gate).tasks(TaskOptions::new().max_running(1)).build().unwrap();
    let mut wire = Wire::new(&server);
    let first = start(&mut wire, "work", json!({})).await;
    assert_eq!(code(&call(&mut wire, "work", json!({})).await["result"]), json!("busy"));
    cancel(&mut wire, &first).await;
    until_status(&server, &first, "cancelled").await;
}

#[tokio::test]
async fn what_can_not_be_meant_is_a_problem_of_the_build() {
    let problems = |builder: haft::ServerBuilder| builder.build().unwrap_err().to_string();
    let tool = |support: TaskSupport| gated(&closed()).task(support);
    let long = TaskSupport::new().ttl(Duration::from_secs(48 * 3600));
    let named = || Server::new("t", "1.0.0");
    assert!(problems(named().tool(tool(long))).contains("`TaskOptions::max_ttl`"));
    assert!(named().tool(tool(long)).tasks(TaskOptions::new().max_ttl(Duration::MAX)).build().is_ok());
    assert!(problems(named().tool(tool(TaskSupport::new().ttl(Duration::ZERO)))).contains("`ttl`"));
    assert!(problems(named().tool(tool(TaskSupport::new().poll_interval(Duration::ZERO)))).contains("`poll`"));
    let fixed = named().dynamic_tools().build().unwrap();
    let refused = fixed.handle().add_tool(gated(&closed())).unwrap_err();
    assert!(refused.to_string().contains(EXTENSION), "{refused}");
    let ready = named().dynamic_tools().tasks(TaskOptions::new()).build().unwrap();
    ready.handle().add_tool(gated(&closed())).unwrap();
}

#[tokio::test]
async fn subscribers_are_told_how_tasks_are_and_of_each_change() {
    let gate = closed();
    let server = server(&gate);
    let mut wire = Wire::new(&server);
    let (one, two) = (start(&mut wire, "work", json!({})).await, start(&mut wire, "work", json!({})).await);
    let filter = json!({"taskIds": [one, NOBODYS, two, one], "toolsListChanged": true});
    wire.send(request("s", "subscriptions/listen", knowing(json!({"notifications": filter})))).await;
    assert_eq!(wire.recv().await["params"]["notifications"], json!({"taskIds": [one, two]}));
    let mut first = [wire.recv().await, wire.recv().await].map(|told| told["params"]["taskId"].clone());
    first.sort_by_key(|id| id != one.as_str());
    assert_eq!(first, [json!(one), json!(two)]);
    cancel_on(&server, &two).await;
    let told = wire.recv().await["params"].clone();
    assert_eq!((&told["taskId"], &told["status"]), (&json!(two), &json!("cancelled")));
    gate.add_permits(1);
    let told = wire.recv().await["params"].clone();
    assert_eq!((&told["taskId"], &told["status"]), (&json!(one), &json!("completed")));
    // Nothing follows, and the subscription goes on until it is ended.
    server.handle().end_subscriptions();
    assert_eq!(wire.recv().await["method"], "notifications/cancelled");
}

async fn cancel_on(server: &Server, id: &str) {
    cancel(&mut Wire::new(server), id).await;
}
