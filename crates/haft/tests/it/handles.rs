//! Values behind ids: whose they are, how they change, and what models read where there are none.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use haft::store::{
    Created, Cursor, Entry, Lifetime, ManualClock, MemoryStore, NewEntry, Outcome, Page, Set, Store, StoreError,
    StoreErrorKind, Version, Watched, Working,
};
use haft::{By, Caller, Handle, Handled, Handles, Made, Principal, Replaced, prelude::*};
use serde_json::json;

use crate::wire::{Wire, request, text};

const HOUR: Duration = Duration::from_secs(3600);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Job {
    step: u64,
    note: String,
}

impl Handled for Job {
    const PREFIX: &'static str = "job";
    const LIFETIME: Lifetime = Lifetime::after(Duration::from_secs(7 * 86_400)).unused(Duration::from_secs(86_400));
    const RECOVER: &'static str = "Use list_jobs to find it.";
}

fn job(note: &str) -> Job {
    Job { step: 0, note: note.to_owned() }
}

fn jobs() -> (Handles<Job>, ManualClock) {
    let clock = ManualClock::new();
    (Handles::new(Arc::new(MemoryStore::with_clock(clock.clone()))), clock)
}

fn caller(name: &str) -> Principal {
    Caller::new("https://auth.example.com", name).into()
}

async fn step(jobs: &Handles<Job>, by: impl Into<By<'_>>, id: &str) -> Result<Handle<Job>, ToolError> {
    jobs.update(by, id, |job| {
        job.step += 1;
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_value_lives_behind_its_id() {
    let (jobs, _) = jobs();
    let ada = caller("ada");
    let new = jobs.create(&ada, &job("a")).await.unwrap();
    assert!(new.id.starts_with("job_") && new.id.len() == 30, "{}", new.id);
    assert_eq!((new.version, &new.value), (1, &job("a")));
    assert_eq!(jobs.get(&ada, &new.id).await.unwrap(), new);

    let two = step(&jobs, &ada, &new.id).await.unwrap();
    assert_eq!((two.version, two.value.step), (2, 1));
    let same = jobs.update(&ada, &new.id, |_| Ok(())).await.unwrap();
    assert_eq!(same.version, 2, "nothing changed");
    let refused = jobs.update(&ada, &new.id, |job| {
        job.step = 100;
        Err(ToolError::new("No."))
    });
    assert_eq!(refused.await.unwrap_err().text(), Some("No."));

    assert_eq!(jobs.replace(&ada, new.clone()).await.unwrap(), Replaced::Conflict(two.clone()));
    let Replaced::Done(three) = jobs.replace(&ada, two).await.unwrap() else { panic!("nobody else changes it") };
    assert_eq!((three.version, three.value.step), (3, 1));
    assert_eq!(jobs.take(&ada, &new.id).await.unwrap(), three);
    assert!(jobs.take(&ada, &new.id).await.is_err());
}

/// Unknown, foreign, expired, malformed and of another kind: one text.
#[tokio::test]
async fn every_handle_that_may_not_be_used_reads_the_same() {
    let (jobs, clock) = jobs();
    let (ada, bob) = (caller("ada"), caller("bob"));
    let expired = jobs.create(&bob, &job("old")).await.unwrap();
    clock.advance(26 * HOUR);
    let of_ada = jobs.create(&ada, &job("ada's")).await.unwrap();
    let nobodys = jobs.create(&Principal::Anonymous, &job("nobody's")).await.unwrap();
    let mine = jobs.create(&bob, &job("mine")).await.unwrap();
    let long = format!("job_{}", "a".repeat(5_000));
    let ids = [&*of_ada.id, &nobodys.id, &expired.id, "job_abcdefghabcdefghabcdefghab", "", "x", "call_1", &long];
    for id in ids {
        let at_once = Duration::ZERO;
        let errors = [
            jobs.get(&bob, id).await.unwrap_err(),
            jobs.wait_change(&bob, id, 1, at_once).await.unwrap_err(),
            jobs.wait_change(&bob, id, 0, at_once).await.unwrap_err(),
            step(&jobs, &bob, id).await.unwrap_err(),
            jobs.replace(&bob, with_id(&mine, id)).await.unwrap_err(),
            jobs.take(&bob, id).await.unwrap_err(),
        ];
        for error in errors {
            let debug = format!("{error:?}");
            assert_eq!(error.text(), Some("There is no such job, or no longer. Use list_jobs to find it."), "{id}");
            assert!(debug.contains("unknown_handle"), "{debug}");
        }
    }
    // Nothing of it was a use, let alone an end.
    clock.advance(25 * HOUR);
    assert!(jobs.get(&ada, &of_ada.id).await.is_ok(), "at least a day; a sixteenth more is for the store");
    assert!(jobs.get(By::SERVER, &nobodys.id).await.is_ok());
    clock.advance(7 * 24 * HOUR);
    assert!(jobs.get(&ada, &of_ada.id).await.is_err());
}

fn with_id(handle: &Handle<Job>, id: &str) -> Handle<Job> {
    let mut handle = handle.clone();
    handle.id = id.to_owned();
    handle
}

#[tokio::test]
async fn those_who_can_not_be_told_apart_share_ids_and_no_lists() {
    let (jobs, _) = jobs();
    let anonymous = Principal::Anonymous;
    let one = jobs.create(&anonymous, &job("a")).await.unwrap();
    assert_eq!(jobs.get(&anonymous, &one.id).await.unwrap(), one);
    let refused = jobs.list(&anonymous, None, 10).await.unwrap_err();
    assert!(refused.text().unwrap().contains("signed in"), "{refused:?}");
    let mut made = Vec::new();
    for _ in 0..2 {
        let Made::New(handle) = jobs.create_once(&anonymous, Some("key"), &job("b")).await.unwrap() else {
            panic!("a key of somebody else's")
        };
        made.push(handle.id);
    }
    assert_ne!(made[0], made[1]);
    assert!(jobs.get(&Principal::Local, &one.id).await.is_err());
}

#[tokio::test]
async fn a_lost_id_is_found_in_the_list() {
    let (jobs, _) = jobs();
    let (ada, bob) = (caller("ada"), caller("bob"));
    for n in 0..5 {
        jobs.create(&ada, &job(&format!("a{n}"))).await.unwrap();
        jobs.create(&bob, &job(&format!("b{n}"))).await.unwrap();
    }
    let (mut notes, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let page = jobs.list(&ada, cursor.as_deref(), 2).await.unwrap();
        for handle in page.handles {
            assert_eq!(jobs.get(&ada, &handle.id).await.unwrap(), handle);
            notes.push(handle.value.note);
        }
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(notes, ["a4", "a3", "a2", "a1", "a0"]);
    for bad in ["", "p", "px", "7", "p-1", "pfffffffffffffffff"] {
        let refused = jobs.list(&ada, Some(bad), 2).await.unwrap_err();
        assert!(refused.text().unwrap().contains("without a cursor"), "{bad}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_repeated_create_gives_the_first_handle() {
    let (jobs, clock) = jobs();
    let (ada, bob) = (caller("ada"), caller("bob"));
    let mut tasks = tokio::task::JoinSet::new();
    for n in 0..16 {
        let (jobs, ada) = (jobs.clone(), ada.clone());
        tasks.spawn(async move { jobs.create_once(&ada, Some("k"), &job(&n.to_string())).await.unwrap() });
    }
    let made = tasks.join_all().await;
    assert_eq!(made.iter().filter(|made| matches!(made, Made::New(_))).count(), 1);
    let ids: std::collections::HashSet<_> = made.into_iter().map(|made| made.into_handle().id).collect();
    assert_eq!(ids.len(), 1);
    assert_eq!(jobs.list(&ada, None, 100).await.unwrap().handles.len(), 1, "nothing is left of the others");

    let id = ids.into_iter().next().unwrap();
    let changed = step(&jobs, &ada, &id).await.unwrap();
    assert_eq!(jobs.create_once(&ada, Some("k"), &job("x")).await.unwrap(), Made::Again(changed));
    for (by, key) in [(&bob, Some("k")), (&ada, Some("K")), (&ada, None)] {
        assert!(matches!(jobs.create_once(by, key, &job("x")).await.unwrap(), Made::New(_)), "{key:?}");
    }
    // A key whose handle is gone is free.
    jobs.take(&ada, &id).await.unwrap();
    let Made::New(next) = jobs.create_once(&ada, Some("k"), &job("next")).await.unwrap() else { panic!("gone") };
    clock.advance(20 * HOUR);
    assert_eq!(jobs.create_once(&ada, Some("k"), &job("x")).await.unwrap().into_handle().id, next.id);
    clock.advance(30 * HOUR);
    assert!(matches!(jobs.create_once(&ada, Some("k"), &job("x")).await.unwrap(), Made::New(_)));
    for bad in [String::new(), "k".repeat(256)] {
        let refused = jobs.create_once(&ada, Some(&bad), &job("x")).await.unwrap_err();
        assert!(refused.text().unwrap().contains("255"));
    }
}

#[tokio::test]
async fn a_change_by_somebody_else_ends_the_wait() {
    let (jobs, _) = jobs();
    let ada = caller("ada");
    let new = jobs.create(&ada, &job("a")).await.unwrap();
    assert_eq!(jobs.wait_change(&ada, &new.id, 0, HOUR).await.unwrap(), new);
    assert_eq!(jobs.wait_change(&ada, &new.id, 7, HOUR).await.unwrap(), new);
    assert_eq!(jobs.wait_change(&ada, &new.id, 1, Duration::from_millis(5)).await.unwrap(), new);
    let waiting = async { jobs.wait_change(&ada, &new.id, 1, HOUR).await.unwrap() };
    let (seen, stepped) = tokio::join!(waiting, async { step(&jobs, By::SERVER, &new.id).await.unwrap() });
    assert_eq!(seen, stepped);
    let waiting = async { jobs.wait_change(&ada, &new.id, 2, HOUR).await.unwrap_err() };
    let (gone, _) = tokio::join!(waiting, async { jobs.take(&ada, &new.id).await.unwrap() });
    assert!(gone.text().unwrap().starts_with("There is no such job"));
}

/// 10,000 who wait for 10,000 handles, each of whom hears of its own change.
#[tokio::test]
async fn ten_thousand_wait() {
    const MANY: usize = 10_000;
    let (jobs, _) = jobs();
    let ada = caller("ada");
    let before = resident();
    let mut ids = Vec::new();
    for n in 0..MANY {
        ids.push(jobs.create(&ada, &job(&n.to_string())).await.unwrap().id);
    }
    let stored = resident();
    let begun = Arc::new(AtomicUsize::new(0));
    let mut tasks = tokio::task::JoinSet::new();
    for (n, id) in ids.iter().cloned().enumerate() {
        let (jobs, ada, begun) = (jobs.clone(), ada.clone(), Arc::clone(&begun));
        tasks.spawn(async move {
            begun.fetch_add(1, Ordering::Relaxed);
            // In memory nothing is pending before the wait: on one thread, who has begun waits.
            let seen = jobs.wait_change(&ada, &id, 1, HOUR).await.unwrap();
            assert_eq!((seen.value.note, seen.value.step), (n.to_string(), 1));
        });
    }
    while begun.load(Ordering::Relaxed) < MANY {
        tokio::task::yield_now().await;
    }
    let waiting = resident();
    for id in &ids {
        step(&jobs, By::SERVER, id).await.unwrap();
    }
    assert_eq!(tasks.join_all().await.len(), MANY);
    eprintln!(
        "10,000 handles: {} bytes each; 10,000 waiters: {} bytes each",
        stored.saturating_sub(before) / MANY,
        waiting.saturating_sub(stored) / MANY
    );
}

/// Bytes in memory, where the system tells.
fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    statm.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).unwrap_or_default() * 4096
}

#[derive(Clone)]
struct Work(Handles<Job>);

#[haft::toolset]
impl Work {
    /// Use this to begin a job.
    #[tool(additive, closed_world, handle = Job)]
    async fn begin_job(&self, key: Option<String>, ctx: Context) -> Result<String, ToolError> {
        Ok(self.0.create_once(&ctx, key.as_deref(), &job("begun")).await?.into_handle().id)
    }
}

#[tokio::test]
async fn the_lifetime_is_published_where_handles_are_made() {
    let (jobs, _) = jobs();
    let built = Tool::builder("built")
        .description("Use this too.")
        .handle::<Job>()
        .handler(async |_: Arguments, _: Context| "x");
    let server = Server::new("work", "1.0.0").tools(Work(jobs)).tool(built).build().unwrap();
    let mut wire = Wire::new(&server);
    let listed = wire.ask("tools/list", json!({})).await;
    let said =
        "The id that it returns (job_…) expires 1 day after its last use, and 7 days after its creation at the latest.";
    let texts: Vec<_> = listed["result"]["tools"].as_array().unwrap().iter().map(|tool| &tool["description"]).collect();
    assert_eq!(
        texts,
        [&json!(format!("Use this to begin a job.\n\n{said}")), &json!(format!("Use this too.\n\n{said}"))]
    );

    // The key of `_meta`, and the argument before it.
    let mut ids = Vec::new();
    let cases =
        [(json!({}), Some("m")), (json!({}), Some("m")), (json!({"key": "m"}), None), (json!({"key": "a"}), Some("m"))];
    for (n, (arguments, key)) in cases.into_iter().enumerate() {
        let mut params = json!({"name": "begin_job", "arguments": arguments});
        if let Some(key) = key {
            params["_meta"] = json!({"dev.haft/idempotency-key": key});
        }
        wire.send(request(n, "tools/call", params)).await;
        ids.push(text(&wire.recv().await).to_owned());
    }
    assert!(ids[0] == ids[1] && ids[1] == ids[2] && ids[2] != ids[3], "{ids:?}");
}

/// A store that is out of reach.
struct Down;

fn down<'a, T: Send + 'a>() -> Working<'a, T> {
    Box::pin(async { Err(StoreError::new(StoreErrorKind::Unavailable, "secret-host:6379 refuses")) })
}

impl Store for Down {
    fn create<'a>(&'a self, _: &'a str, _: NewEntry) -> Working<'a, Created> {
        down()
    }
    fn get<'a>(&'a self, _: &'a str) -> Working<'a, Option<Entry>> {
        down()
    }
    fn touch<'a>(&'a self, _: &'a str) -> Working<'a, Option<Entry>> {
        down()
    }
    fn compare_and_set<'a>(&'a self, _: &'a str, _: Version, _: Set) -> Working<'a, Outcome> {
        down()
    }
    fn delete<'a>(&'a self, _: &'a str, _: Option<Version>) -> Working<'a, Outcome> {
        down()
    }
    fn list<'a>(&'a self, _: &'a str, _: Option<Cursor>, _: usize) -> Working<'a, Page> {
        down()
    }
    fn watch<'a>(&'a self, _: &'a str, _: Version, _: Duration) -> Working<'a, Watched> {
        down()
    }
    fn expire(&self, _: usize) -> Working<'_, usize> {
        down()
    }
}

#[tokio::test]
async fn a_store_out_of_reach_is_the_operators_and_passes() {
    let server = Server::new("work", "1.0.0").tools(Work(Handles::new(Arc::new(Down)))).build().unwrap();
    let failed = server.call_tool("begin_job", json!({})).await.unwrap();
    assert_eq!(failed.is_error, Some(true));
    let text = failed.text();
    assert!(text.contains("again") && !text.contains("secret-host") && !text.contains("no such"), "{text}");
}
