//! What a task asks, what it is told, and how it is stopped.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use haft::prelude::*;
use haft::{Cancel, TaskSupport};
use serde_json::{Value, json};
use tokio::sync::{Semaphore, oneshot};

use super::{call, cancel, get, knowing, start, until, until_status, update};
use crate::wire::{Wire, request, text};

/// Use this to order a parcel.
#[tool(additive, closed_world, task)]
async fn order(context: Context) -> Result<String, ToolError> {
    let size: u8 = context.ask("size", "How large?").await?;
    let questions = (context.ask::<bool>("gift", "A present?"), context.ask::<String>("name", "For whom?"));
    let (gift, name) = context.ask_all(questions).await?;
    Ok(format!("{size} {gift} {name}"))
}

/// Use this to delete a file. Asks first.
#[tool(destructive, closed_world, task(later))]
async fn delete_file(context: Context, path: String) -> Result<String, ToolError> {
    let sure: bool = context.ask("sure", format!("Delete {path}?")).await?;
    if !sure {
        return Ok("Nothing was deleted.".to_owned());
    }
    let is_task = context.continue_as_task().await;
    let really: bool = context.ask("really", "Really?").await?;
    Ok(format!("task: {is_task}, really: {really}"))
}

fn server() -> Server {
    Server::new("tasks", "1.0.0").tool(order::tool()).tool(delete_file::tool()).build().unwrap()
}

fn accept(key: &str, value: impl Into<Value>) -> Value {
    json!({"action": "accept", "content": {key: value.into()}})
}

fn keys(task: &Value) -> Vec<String> {
    task["inputRequests"].as_object().map(|asked| asked.keys().cloned().collect()).unwrap_or_default()
}

#[tokio::test]
async fn a_task_asks_under_fresh_keys_until_its_answers_fit() {
    let server = server();
    let mut wire = Wire::new(&server);
    let id = start(&mut wire, "order", json!({})).await;
    let task = until_status(&server, &id, "input_required").await;
    assert_eq!(keys(&task), ["size-1"]);
    assert_eq!(task["inputRequests"]["size-1"]["method"], "elicitation/create");
    // What isn't asked is ignored, and so is what doesn't fit: then it is asked again, under another key.
    update(&mut wire, &id, json!({"size": accept("size", 3), "size-2": accept("size", 3)})).await;
    assert_eq!(keys(&get(&mut wire, &id).await), ["size-1"]);
    update(&mut wire, &id, json!({"size-1": accept("size", "large")})).await;
    let task = until(&server, &id, |task| keys(task) == ["size-2"]).await;
    assert_eq!(task["status"], "input_required");
    update(&mut wire, &id, json!({"size-1": accept("size", 4), "size-2": accept("size", 3)})).await;
    // Two at once, answered one after the other, by another connection.
    let task = until(&server, &id, |task| keys(task).len() == 2).await;
    let [gift, name] = keys(&task).try_into().unwrap();
    assert!(gift.starts_with("gift-") && name.starts_with("name-"), "{gift} {name}");
    update(&mut Wire::new(&server), &id, json!({(gift.clone()): accept("gift", true)})).await;
    let task = get(&mut wire, &id).await;
    assert_eq!((&task["status"], keys(&task)), (&json!("input_required"), vec![name.clone()]));
    update(&mut wire, &id, json!({(gift): accept("gift", false), (name): accept("name", "Ada")})).await;
    let task = until_status(&server, &id, "completed").await;
    assert_eq!(text(&task), "3 true Ada");
    // It is over: nothing is asked any more.
    update(&mut wire, &id, json!({"size-1": accept("size", 9)})).await;
    cancel(&mut wire, &id).await;
    assert_eq!(get(&mut wire, &id).await["status"], "completed");
}

#[tokio::test]
async fn declined_and_unreadable_answers_are_errors_of_the_question() {
    let server = server();
    let mut wire = Wire::new(&server);
    for (answer, said) in [
        (json!({"action": "decline"}), "The user declined"),
        (json!({"action": "cancel"}), "The user closed"),
        (json!({"no": "answer"}), "is no answer to it"),
        (json!(7), "is no answer to it"),
    ] {
        let id = start(&mut wire, "order", json!({})).await;
        until_status(&server, &id, "input_required").await;
        update(&mut wire, &id, json!({"size-1": answer})).await;
        let task = until_status(&server, &id, "completed").await;
        assert!(task["result"]["isError"] == true && text(&task).contains(said), "{task}");
    }
}

#[tokio::test]
async fn what_is_asked_before_there_is_a_task_is_asked_in_rounds() {
    let server = server();
    let mut wire = Wire::new(&server);
    let first = call(&mut wire, "delete_file", json!({"path": "a"})).await["result"].clone();
    assert_eq!((&first["resultType"], keys(&first)), (&json!("input_required"), vec!["sure".to_owned()]));
    let again = |sure: bool| {
        let responses = json!({"sure": accept("sure", sure), "really": accept("really", true)});
        json!({"name": "delete_file", "arguments": {"path": "a"}, "inputResponses": responses})
    };
    wire.send(request(1, "tools/call", knowing(again(false)))).await;
    assert_eq!(text(&wire.recv().await), "Nothing was deleted.");
    wire.send(request(1, "tools/call", knowing(again(true)))).await;
    let created = wire.recv().await["result"].clone();
    assert_eq!(created["resultType"], "task", "{created}");
    assert!(created["requestState"].is_null() && created["inputRequests"].is_null());
    // What was answered before it was asked answers nothing in a task.
    let id = created["taskId"].as_str().unwrap();
    until(&server, id, |task| keys(task) == ["really-1"]).await;
    update(&mut wire, id, json!({"really-1": accept("really", false)})).await;
    assert_eq!(text(&until_status(&server, id, "completed").await), "task: true, really: false");
    // In line for all others.
    let plain = json!({"io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}});
    let mut params = again(true);
    params["_meta"] = plain;
    wire.send(request(1, "tools/call", params)).await;
    assert_eq!(text(&wire.recv().await), "task: false, really: true");
}

/// Says when it is dropped.
struct Dropped(Option<oneshot::Sender<()>>);

impl Drop for Dropped {
    fn drop(&mut self) {
        if let Some(told) = self.0.take() {
            let _ = told.send(());
        }
    }
}

#[tokio::test]
async fn a_task_that_only_reads_is_dropped_when_it_is_cancelled() {
    let (told, dropped) = oneshot::channel();
    let told = Arc::new(std::sync::Mutex::new(Some(told)));
    let wait = Tool::builder("wait").description("Use this to wait.").read_only(true).handler(
        move |_: Arguments, context: Context| {
            let dropped = Dropped(told.lock().unwrap().take());
            async move {
                let _dropped = dropped;
                context.progress_message(1.0, None, "Half of it.");
                std::future::pending::<String>().await
            }
        },
    );
    let server = Server::new("tasks", "1.0.0").tool(wait.task(TaskSupport::new())).build().unwrap();
    let mut wire = Wire::new(&server);
    let id = start(&mut wire, "wait", json!({})).await;
    let task = until(&server, &id, |task| !task["statusMessage"].is_null()).await;
    assert_eq!((&task["status"], &task["statusMessage"]), (&json!("working"), &json!("Half of it.")));
    cancel(&mut wire, &id).await;
    dropped.await.unwrap();
    let task = until_status(&server, &id, "cancelled").await;
    assert!(task["result"].is_null() && task["error"].is_null());
    cancel(&mut wire, &id).await;
}

#[tokio::test]
async fn a_task_that_writes_is_told_and_says_itself_how_it_ends() {
    let finish = Arc::new(AtomicBool::new(true));
    let ends_well = Arc::clone(&finish);
    let write = Tool::builder("write").on_cancel(Cancel::Detach).handler(move |_: Arguments, context: Context| {
        let ends_well = Arc::clone(&ends_well);
        async move {
            // A question that waits is taken back.
            let asked: Result<bool, _> = context.ask("sure", "Sure?").await;
            context.cancelled().await;
            match ends_well.load(Ordering::SeqCst) {
                true => Ok(format!("written; {}", asked.unwrap_err())),
                false => Err(ToolError::new("Stopped half-way; nothing is lost.")),
            }
        }
    });
    let server = Server::new("tasks", "1.0.0").tool(write.task(TaskSupport::new())).build().unwrap();
    let mut wire = Wire::new(&server);
    for (well, status) in [(true, "completed"), (false, "cancelled")] {
        finish.store(well, Ordering::SeqCst);
        let id = start(&mut wire, "write", json!({})).await;
        until_status(&server, &id, "input_required").await;
        cancel(&mut wire, &id).await;
        let task = until_status(&server, &id, status).await;
        assert_eq!(task["result"].is_null(), !well);
        if well {
            assert!(text(&task).contains("being stopped"), "{task}");
        }
    }
}

#[tokio::test]
async fn a_call_that_is_given_up_before_it_is_a_task_becomes_none() {
    let begun = Arc::new(Semaphore::new(0));
    let (told, heard) = oneshot::channel();
    let (begins, told) = (Arc::clone(&begun), Arc::new(std::sync::Mutex::new(Some(told))));
    let tool = Tool::builder("later").handler(move |_: Arguments, context: Context| {
        let (begins, told) = (Arc::clone(&begins), told.lock().unwrap().take());
        async move {
            begins.add_permits(1);
            context.cancelled().await;
            let is_task = context.continue_as_task().await;
            if let Some(told) = told {
                let _ = told.send(is_task);
            }
            "done"
        }
    });
    let server = Server::new("tasks", "1.0.0").tool(tool.task(TaskSupport::new().later())).build().unwrap();
    let wire = Wire::new(&server);
    wire.send(request(5, "tools/call", knowing(json!({"name": "later"})))).await;
    begun.acquire().await.unwrap().forget();
    let params = json!({"requestId": 5});
    let cancelled = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
    wire.send(cancelled.to_string()).await;
    assert!(!heard.await.unwrap());
}
