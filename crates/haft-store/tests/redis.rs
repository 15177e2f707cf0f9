//! The store in a Redis server: `HAFT_REDIS_URL=redis://127.0.0.1:6379 cargo test -p haft-store --features redis --test redis
//! -- --ignored`.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use haft_store::{Created, Lifetime, ManualClock, NewEntry, RedisStore, Set, Store, Watched, suite};

fn url() -> String {
    std::env::var("HAFT_REDIS_URL").expect("HAFT_REDIS_URL names a Redis 7 for these tests")
}

/// A prefix that no other test has, nor another run.
fn prefix() -> String {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed().expect("after 1970").as_nanos();
    format!("test-{now}-{}", COUNT.fetch_add(1, Ordering::Relaxed))
}

async fn open(prefix: &str) -> Arc<RedisStore> {
    Arc::new(RedisStore::connect_with_prefix(&url(), prefix).await.expect("connects"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[ignore = "needs a Redis: HAFT_REDIS_URL"]
async fn redis_does_what_every_store_does() {
    suite::run(async |clock| {
        Arc::new(RedisStore::connect_with_clock(&url(), &prefix(), clock).await.expect("connects")) as Arc<dyn Store>
    })
    .await;
}

#[tokio::test]
#[ignore = "needs a Redis: HAFT_REDIS_URL"]
async fn redis_expires_by_itself() {
    let prefix = prefix();
    let store = open(&prefix).await;
    let short = || NewEntry::new("").owner("ada").lifetime(Lifetime::after(Duration::from_millis(40)));
    let Created::New(entry) = store.create("a", short()).await.expect("works") else { panic!("taken") };
    let seen = store.watch("a", entry.version, Duration::from_secs(20)).await.expect("works");
    assert_eq!(seen, Watched::Gone);
    let Created::New(_) = store.create("b", short()).await.expect("works") else { panic!("taken") };
    let Created::New(entry) = store.create("a", short()).await.expect("works") else { panic!("taken") };
    let _ = store.watch("a", entry.version, Duration::from_secs(20)).await.expect("works");
    while store.expire(10).await.expect("works") > 0 {}
    // Nothing is left but the last version.
    let mut connection =
        redis::Client::open(url()).expect("a URL").get_multiplexed_async_connection().await.expect("connects");
    let keys: Vec<String> =
        redis::cmd("KEYS").arg(format!("{{{prefix}}}*")).query_async(&mut connection).await.expect("answers");
    assert_eq!(keys, [format!("{{{prefix}}}:version")]);
}

/// As two processes are: two stores that share nothing but the server.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a Redis: HAFT_REDIS_URL"]
async fn a_change_elsewhere_wakes_at_once() {
    const ROUNDS: usize = 1_000;
    let prefix = prefix();
    let (here, there) = (open(&prefix).await, open(&prefix).await);
    let Created::New(mut entry) = here.create("a", NewEntry::new("")).await.expect("works") else { panic!("taken") };
    let mut took = Vec::new();
    for round in 0..ROUNDS {
        let (store, since) = (Arc::clone(&here), entry.version);
        let waiting = tokio::spawn(async move {
            let seen = store.watch("a", since, Duration::from_secs(20)).await.expect("works");
            (seen, Instant::now())
        });
        tokio::task::yield_now().await;
        let set = Set::new(round.to_string());
        let haft_store::Outcome::Done(changed) = there.compare_and_set("a", entry.version, set).await.expect("works")
        else {
            panic!("not done")
        };
        let changed_at = Instant::now();
        let (seen, seen_at) = waiting.await.expect("no panic");
        assert_eq!(seen, Watched::Changed(changed.clone()));
        took.push(seen_at.saturating_duration_since(changed_at));
        entry = changed;
    }
    took.sort();
    let (middle, late) = (took[ROUNDS / 2], took[ROUNDS * 99 / 100]);
    eprintln!("woken after a change by another process: p50 {middle:?}, p99 {late:?}");
    assert!(late < Duration::from_millis(100));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a Redis: HAFT_REDIS_URL"]
async fn a_hundred_thousand_expire_and_nobody_waits_for_it() {
    const MANY: usize = 100_000;
    let clock = ManualClock::new();
    let prefix = prefix();
    let store: Arc<dyn Store> =
        Arc::new(RedisStore::connect_with_clock(&url(), &prefix, clock.clone()).await.expect("connects"));
    suite::crowd(&store, "ada", (100, MANY / 100), Lifetime::after(Duration::from_secs(600))).await;
    clock.advance(Duration::from_secs(600));
    let begun = Instant::now();
    let freeing = tokio::spawn({
        let store = Arc::clone(&store);
        async move { store.expire(usize::MAX).await.expect("works") }
    });
    let mut longest = Duration::ZERO;
    while !freeing.is_finished() {
        let asked = Instant::now();
        assert_eq!(store.get("0 0").await.expect("works"), None);
        longest = longest.max(asked.elapsed());
    }
    let freed = freeing.await.expect("no panic");
    eprintln!("{freed} freed in {:?}; reading took {longest:?} at most", begun.elapsed());
    assert_eq!(freed, MANY);
    assert_eq!(store.list("ada", None, 10).await.expect("works").entries.len(), 0);
}
