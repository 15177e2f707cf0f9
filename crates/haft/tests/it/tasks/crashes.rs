//! Tasks of processes that die, and of processes that share a store.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use haft::prelude::*;
use haft::store::{ManualClock, MemoryStore, Store};
use haft::{TaskOptions, TaskSupport};
use serde_json::json;
use tokio::sync::Semaphore;

use super::{cancel, get, start, until, until_status, update};
use crate::wire::{Wire, text};

const LEASE: Duration = Duration::from_secs(30);

/// What two processes have in common, and how often the tool has begun.
#[derive(Clone)]
struct World {
    clock: ManualClock,
    store: Arc<dyn Store>,
    begun: Arc<AtomicUsize>,
    gate: Arc<Semaphore>,
}

impl World {
    fn new() -> Self {
        let clock = ManualClock::new();
        let store: Arc<dyn Store> = Arc::new(MemoryStore::with_clock(clock.clone()));
        Self { clock, store, begun: Arc::default(), gate: Arc::new(Semaphore::new(0)) }
    }

    /// A process of its own, as far as tasks go.
    fn server(&self, support: TaskSupport) -> Server {
        let (begun, gate) = (Arc::clone(&self.begun), Arc::clone(&self.gate));
        let tool = Tool::builder("work").input_schema(r#"{"type":"object"}"#).handler(
            move |arguments: Arguments, context: Context| {
                let (begun, gate) = (Arc::clone(&begun), Arc::clone(&gate));
                async move {
                    begun.fetch_add(1, Ordering::SeqCst);
                    let name: String = context.ask("name", "For whom?").await?;
                    let sure: bool = context.ask("sure", "Sure?").await?;
                    gate.acquire().await.unwrap().forget();
                    Ok::<_, ToolError>(format!("{} {name} {sure}", arguments["on"]))
                }
            },
        );
        let options = TaskOptions::new().store_in(Arc::clone(&self.store)).lease(LEASE);
        Server::new("tasks", "1.0.0").tool(tool.task(support)).tasks(options).build().unwrap()
    }

    /// A task that has asked twice, of a process that is no more.
    fn orphan(&self, support: TaskSupport) -> String {
        let server = self.server(support);
        let process = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let mut wire = Wire::new(&server);
                let id = start(&mut wire, "work", json!({"on": 7})).await;
                until_status(&server, &id, "input_required").await;
                update(&mut wire, &id, json!({"name-1": {"action": "accept", "content": {"name": "Ada"}}})).await;
                until(&server, &id, |task| !task["inputRequests"]["sure-2"].is_null()).await;
                id
            })
        });
        process.join().unwrap()
    }
}

fn accept(key: &str, value: impl Into<serde_json::Value>) -> serde_json::Value {
    json!({"action": "accept", "content": {key: value.into()}})
}

#[tokio::test]
async fn a_task_whose_process_died_fails_once_that_is_known() {
    let world = World::new();
    let id = world.orphan(TaskSupport::new());
    let server = world.server(TaskSupport::new());
    let mut wire = Wire::new(&server);
    world.clock.advance(LEASE - Duration::from_millis(1));
    assert_eq!(get(&mut wire, &id).await["status"], "input_required", "nobody can know yet");
    world.clock.advance(Duration::from_millis(1));
    let task = get(&mut wire, &id).await;
    assert_eq!((&task["status"], &task["error"]["code"]), (&json!("failed"), &json!(-32603)), "{task}");
    assert!(task["inputRequests"].is_null());
    assert_eq!(world.begun.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn one_that_nobody_runs_any_more_and_nobody_wants_is_cancelled() {
    let world = World::new();
    let id = world.orphan(TaskSupport::new().resumable());
    let server = world.server(TaskSupport::new().resumable());
    let mut wire = Wire::new(&server);
    cancel(&mut wire, &id).await;
    assert_eq!(get(&mut wire, &id).await["status"], "working", "its process may still hear of it");
    world.clock.advance(LEASE);
    assert_eq!(get(&mut wire, &id).await["status"], "cancelled");
    assert_eq!(world.begun.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_resumable_task_is_run_again_with_what_was_answered_and_by_one_process() {
    let world = World::new();
    let support = TaskSupport::new().resumable();
    let id = world.orphan(support);
    let servers = [world.server(support), world.server(support)];
    world.clock.advance(LEASE);
    // Both are asked, and one of them runs it.
    for server in &servers {
        get(&mut Wire::new(server), &id).await;
    }
    // A question that was put before is not put under its key again.
    let task = until(&servers[1], &id, |task| !task["inputRequests"].is_null()).await;
    assert_eq!(task["inputRequests"].as_object().unwrap().keys().collect::<Vec<_>>(), ["sure-3"]);
    let mut wire = Wire::new(&servers[1]);
    update(&mut wire, &id, json!({"sure-2": accept("sure", false), "sure-3": accept("sure", true)})).await;
    world.gate.add_permits(1);
    assert_eq!(text(&until_status(&servers[0], &id, "completed").await), "7 Ada true");
    assert_eq!(world.begun.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_task_that_kills_its_processes_is_not_run_for_ever() {
    let world = World::new();
    let support = TaskSupport::new().resumable();
    let id = world.orphan(support);
    for _ in 0..5 {
        world.clock.advance(LEASE);
        let (world, id) = (world.clone(), id.clone());
        let process = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let server = world.server(support);
                get(&mut Wire::new(&server), &id).await;
                until(&server, &id, |task| !task["inputRequests"].is_null()).await;
            });
        });
        process.join().unwrap();
    }
    world.clock.advance(LEASE);
    assert_eq!(get(&mut Wire::new(&world.server(support)), &id).await["status"], "failed");
    assert_eq!(world.begun.load(Ordering::SeqCst), 6);
}

#[tokio::test]
async fn whichever_process_is_asked_the_task_hears_of_it() {
    let world = World::new();
    let (runs, other) = (world.server(TaskSupport::new()), world.server(TaskSupport::new()));
    let mut wire = Wire::new(&other);
    let id = start(&mut Wire::new(&runs), "work", json!({"on": 1})).await;
    until_status(&other, &id, "input_required").await;
    update(&mut wire, &id, json!({"name-1": accept("name", "Bob")})).await;
    until(&other, &id, |task| !task["inputRequests"]["sure-2"].is_null()).await;
    update(&mut wire, &id, json!({"sure-2": accept("sure", true)})).await;
    world.gate.add_permits(1);
    assert_eq!(text(&until_status(&other, &id, "completed").await), "1 Bob true");
    let id = start(&mut Wire::new(&runs), "work", json!({"on": 2})).await;
    until_status(&other, &id, "input_required").await;
    cancel(&mut wire, &id).await;
    // It writes, so it is told by its question, and says itself how it ends.
    until_status(&other, &id, "cancelled").await;
}

#[tokio::test(start_paused = true)]
async fn who_lives_keeps_its_lease_and_who_lost_it_stops() {
    for (support, status) in [(TaskSupport::new(), "failed"), (TaskSupport::new().resumable(), "working")] {
        let world = World::new();
        let (runs, other) = (world.server(support), world.server(support));
        let id = start(&mut Wire::new(&runs), "work", json!({"on": 1})).await;
        until_status(&other, &id, "input_required").await;
        let mut wire = Wire::new(&other);
        for _ in 0..10 {
            world.clock.advance(LEASE / 2);
            tokio::time::advance(LEASE / 2).await;
            assert_eq!(get(&mut wire, &id).await["status"], "input_required", "it is renewed in time");
        }
        // As if the process had slept for too long.
        assert!(world.store.take(&format!("task/{id}/lease")).await.unwrap().is_some());
        assert_eq!(get(&mut wire, &id).await["status"], status);
        // Time enough to find out, and not so much that the one who took over loses it, too.
        tokio::time::advance(LEASE / 2).await;
        if status == "working" {
            until(&other, &id, |task| !task["inputRequests"]["name-2"].is_null()).await;
            update(&mut wire, &id, json!({"name-2": accept("name", "Eve")})).await;
            until(&other, &id, |task| !task["inputRequests"]["sure-3"].is_null()).await;
            assert_eq!(world.begun.load(Ordering::SeqCst), 2);
        } else {
            assert_eq!(get(&mut wire, &id).await["status"], status, "what it comes to is thrown away");
        }
    }
}
