use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::program::{DAY, Lined, call, call_id, code, place, request};

/// As a client that knows tasks.
fn knowing(mut request: Value) -> Value {
    let extensions = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    request["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = extensions;
    request
}

fn program() -> Lined {
    Lined::start(&["--clock", DAY, "--speed", "200", "--tasks"])
}

/// The task, once it has this status.
fn until(program: &mut Lined, task: &str, status: &str) -> Value {
    let begun = Instant::now();
    loop {
        let answer = program.ask(&knowing(request("tasks/get", json!({"taskId": task}))));
        if answer["result"]["status"] == status {
            return answer["result"].clone();
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "{answer}");
    }
}

#[test]
fn for_those_who_know_tasks_a_call_is_one_until_it_is_over() {
    let mut program = program();
    let created = program.ask(&knowing(place("+12125550100")));
    assert_eq!(created["result"]["resultType"], "task", "{created}");
    let task = created["result"]["taskId"].as_str().expect("an id").to_owned();
    let done = until(&mut program, &task, "completed");
    let data = &done["result"]["structuredContent"];
    assert_eq!((&data["status"], &data["resolution"]["outcome"]), (&json!("ended"), &json!("completed")));
    let list = program.ask(&call("list_calls", json!({})));
    assert_eq!(list["result"]["structuredContent"]["calls"][0]["call_id"], data["call_id"], "it is a call like others");
}

#[test]
fn whoever_cancels_the_task_hangs_up() {
    let mut program = program();
    let created = program.ask(&knowing(place("+12125550112")));
    let task = created["result"]["taskId"].as_str().expect("an id").to_owned();
    program.ask(&knowing(request("tasks/cancel", json!({"taskId": task}))));
    let done = until(&mut program, &task, "completed");
    assert_eq!(done["result"]["structuredContent"]["resolution"]["outcome"], "canceled");
}

#[test]
fn others_get_the_call_and_refusals_are_no_tasks() {
    let mut program = program();
    let placed = program.ask(&place("+12125550112"));
    assert_eq!(placed["result"]["structuredContent"]["status"], "dialing");
    call_id(&placed);
    let refused = program.ask(&knowing(place("+19005550100")));
    assert_eq!(code(&refused), "unsupported_number");
    // Without --tasks nobody gets one.
    let mut plain = Lined::start(&["--clock", DAY]);
    call_id(&plain.ask(&knowing(place("+12125550112"))));
}
