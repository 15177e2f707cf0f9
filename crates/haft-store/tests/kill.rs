//! `kill -9` at random points, over and over: what was answered is there afterwards.
//!
//! The test starts itself as a child process that works on a store and says on standard output what was answered, kills it
//! in mid-work and looks for itself. `HAFT_KILL_ROUNDS` is how often (20); `HAFT_REDIS_URL` for the second half.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use haft_store::{Created, Entry, NewEntry, Outcome, RedbStore, RedisStore, Set, Store, StoreErrorKind};

/// What the child works on: `redb <path>` or `redis <prefix>`.
const PLACE: &str = "HAFT_KILL_PLACE";

async fn open(place: &str) -> Arc<dyn Store> {
    match place.split_once(' ') {
        Some(("redb", path)) => {
            let patience = Instant::now() + Duration::from_secs(10);
            loop {
                match RedbStore::open(path) {
                    Ok(store) => return Arc::new(store),
                    // The file is open for a moment longer than the process or the store that had it.
                    Err(error) if error.kind() == StoreErrorKind::Failed && Instant::now() < patience => {
                        tokio::task::yield_now().await;
                    }
                    Err(error) => panic!("{error}"),
                }
            }
        }
        Some(("redis", prefix)) => {
            let url = std::env::var("HAFT_REDIS_URL").expect("HAFT_REDIS_URL names a Redis 7");
            Arc::new(RedisStore::connect_with_prefix(&url, prefix).await.expect("connects"))
        }
        _ => panic!("no place: {place}"),
    }
}

/// Works until it is killed: 8 tasks create, change and take, each entries of its own, and say what was answered.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "run by the tests of this file"]
async fn child() {
    let Ok(place) = std::env::var(PLACE) else { return };
    let store = open(&place).await;
    let run = SystemTime::UNIX_EPOCH.elapsed().expect("after 1970").as_nanos();
    let mut tasks = tokio::task::JoinSet::new();
    for task in 0..8 {
        let store = Arc::clone(&store);
        tasks.spawn(async move {
            for n in 0_u64.. {
                let key = format!("{run}-{task}-{n}");
                say(&format!("try {key}"));
                let new = NewEntry::new("created").owner("all");
                let Created::New(entry) = store.create(&key, new).await.expect("works") else { panic!("taken") };
                say(&format!("created {key}"));
                let set = store.compare_and_set(&key, entry.version, Set::new("changed")).await.expect("works");
                assert!(matches!(set, Outcome::Done(_)));
                say(&format!("changed {key}"));
                if n % 3 == 0 {
                    say(&format!("taking {key}"));
                    assert!(store.take(&key).await.expect("works").is_some());
                    say(&format!("taken {key}"));
                }
            }
        });
    }
    tasks.join_all().await;
}

/// One line at once, past the test harness's capture.
fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    out.write_all(format!("@{line}\n").as_bytes()).expect("writes");
    out.flush().expect("writes");
}

/// What is known of each key.
#[derive(Default)]
struct Known(BTreeMap<String, String>);

#[derive(Default, Debug)]
struct Counts {
    rounds: usize,
    answered: usize,
    in_flight: usize,
    lost: usize,
    wrong: usize,
}

async fn round(place: &str, known: &mut Known, counts: &mut Counts, lines: usize) {
    let mut child = Command::new(std::env::current_exe().expect("a path"))
        .args(["--exact", "child", "--ignored", "--nocapture"])
        .env(PLACE, place)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("starts");
    let mut read = 0;
    let output = BufReader::new(child.stdout.take().expect("piped"));
    for line in output.lines().map_while(Result::ok) {
        // The harness writes in front of the first line.
        let Some((_, said)) = line.split_once('@') else { continue };
        let Some((what, key)) = said.split_once(' ') else { continue };
        known.0.insert(key.to_owned(), what.to_owned());
        read += 1;
        if read == lines {
            // What it still says before it dies is read as well.
            child.kill().expect("kills");
        }
    }
    assert!(read >= lines, "the child ended by itself after {read} lines");
    child.wait().expect("ends");
    let store = open(place).await;
    for (key, what) in &known.0 {
        let entry = store.get(key).await.expect("works");
        let value = entry.as_ref().map(|entry: &Entry| &*entry.value);
        let (lost, right) = match what.as_str() {
            "try" => (false, matches!(value, None | Some(b"created"))),
            "created" => (value.is_none(), matches!(value, Some(b"created" | b"changed"))),
            "changed" => (value.is_none(), value == Some(b"changed")),
            "taking" => (false, matches!(value, None | Some(b"changed"))),
            _ => (false, value.is_none()),
        };
        counts.lost += usize::from(lost);
        counts.wrong += usize::from(!right && !lost);
        match what.as_str() {
            "try" | "taking" => {
                counts.in_flight += 1;
            }
            _ => counts.answered += 1,
        }
        if entry.is_some() {
            // Made an end of, so that the next round finds little.
            assert!(store.take(key).await.expect("works").is_some());
        }
    }
    let page = store.list("all", None, 1000).await.expect("works");
    counts.wrong += page.entries.len();
    known.0.clear();
    counts.rounds += 1;
}

async fn rounds(place: &str) -> Counts {
    let many = std::env::var("HAFT_KILL_ROUNDS").ok().and_then(|many| many.parse().ok()).unwrap_or(20);
    let (mut known, mut counts) = (Known::default(), Counts::default());
    let mut seed = 88_172_645_463_325_252_u64;
    for _ in 0..many {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        let lines = 1 + usize::try_from(seed % 400).expect("small");
        round(place, &mut known, &mut counts, lines).await;
    }
    counts
}

fn judge(what: &str, counts: &Counts) {
    eprintln!("kill -9, {what}: {counts:?}");
    assert_eq!((counts.lost, counts.wrong), (0, 0));
    assert!(counts.answered > counts.rounds);
}

#[tokio::test]
async fn a_file_loses_nothing_that_was_answered() {
    let path = std::env::temp_dir().join(format!("haft-store-kill-{}", std::process::id()));
    let counts = rounds(&format!("redb {}", path.display())).await;
    drop(std::fs::remove_file(&path));
    judge("a file", &counts);
}

#[tokio::test]
#[ignore = "needs a Redis: HAFT_REDIS_URL"]
async fn redis_loses_nothing_when_clients_die() {
    let counts = rounds(&format!("redis kill-{}", std::process::id())).await;
    judge("clients of Redis", &counts);
}
