use std::sync::Arc;
use std::time::Duration;

use haft_store::{Created, Lifetime, ManualClock, MemoryStore, NewEntry, Outcome, Set, Store, suite};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn memory_does_what_every_store_does() {
    suite::run(async |clock| Arc::new(MemoryStore::with_clock(clock)) as Arc<dyn Store>).await;
}

#[tokio::test]
async fn creating_frees_what_expired() {
    let clock = ManualClock::new();
    let store = MemoryStore::with_clock(clock.clone());
    for n in 0..2_000 {
        let new = NewEntry::new("").lifetime(Lifetime::after(Duration::from_secs(1)));
        let Created::New(_) = store.create(&n.to_string(), new).await.expect("in memory") else { panic!("taken") };
        clock.advance(Duration::from_millis(100));
        assert!(store.len() <= 10, "{}", store.len());
    }
}

#[tokio::test]
async fn a_use_of_one_entry_leaves_no_trace_of_its_old_end() {
    let clock = ManualClock::new();
    let store = MemoryStore::with_clock(clock.clone());
    let new = NewEntry::new("").lifetime(Lifetime::FOREVER.unused(Duration::from_secs(10)));
    let Created::New(mut entry) = store.create("a", new).await.expect("in memory") else { panic!("taken") };
    for _ in 0..10 {
        clock.advance(Duration::from_secs(9));
        assert_eq!(store.expire(10).await.expect("in memory"), 0);
        let Outcome::Done(next) = store.compare_and_set("a", entry.version, Set::new("")).await.expect("in memory")
        else {
            panic!("not done")
        };
        entry = next;
    }
    clock.advance(Duration::from_secs(11));
    assert_eq!(store.expire(10).await.expect("in memory"), 1);
    assert!(store.is_empty());
}
