use std::sync::Arc;
use std::time::Duration;

use tokio::task::{JoinSet, yield_now};
use tokio::time::Instant;

use super::Bench;
use crate::{Entry, Lifetime, NewEntry, Store, Version, Watched};

/// Longer than anything takes here.
const LONG: Duration = Duration::from_secs(60);
const MOMENT: Duration = Duration::from_millis(30);

/// One who waits for a change of an entry.
fn waiter(store: &Arc<dyn Store>, entry: &Entry) -> impl Future<Output = Watched> + Send + 'static {
    let (store, key, since) = (Arc::clone(store), Arc::clone(&entry.key), entry.version);
    async move { store.watch(&key, since, LONG).await.expect("works") }
}

pub(super) async fn a_change_wakes(bench: &Bench) {
    let entry = bench.create("a", NewEntry::new("one").lifetime(Lifetime::FOREVER.unused(LONG))).await;
    let other = bench.create("b", NewEntry::new("")).await;
    let waiting = tokio::spawn(waiter(&bench.store, &entry));
    yield_now().await;
    bench.set(&other, "not this one").await;
    bench.clock.advance(LONG / 2);
    assert!(bench.store.touch("a").await.expect("works").is_some());
    yield_now().await;
    assert!(!waiting.is_finished(), "a use is no change");
    let changed = bench.set(&entry, "two").await;
    assert_eq!(waiting.await.expect("no panic"), Watched::Changed(changed.clone()));

    let waiting = tokio::spawn(waiter(&bench.store, &changed));
    yield_now().await;
    assert!(bench.store.take("a").await.expect("works").is_some());
    assert_eq!(waiting.await.expect("no panic"), Watched::Gone);
}

pub(super) async fn what_changed_before_is_not_missed(bench: &Bench) {
    let one = bench.create("a", NewEntry::new("one")).await;
    let two = bench.set(&one, "two").await;
    let seen = bench.store.watch("a", one.version, LONG).await.expect("works");
    assert_eq!(seen, Watched::Changed(two.clone()));
    let seen = bench.store.watch("a", Version::from(0), Duration::ZERO).await.expect("works");
    assert_eq!(seen, Watched::Changed(two));
    assert_eq!(bench.store.watch("b", one.version, LONG).await.expect("works"), Watched::Gone);
}

pub(super) async fn nothing_takes_as_long_as_was_said(bench: &Bench) {
    let entry = bench.create("a", NewEntry::new("one")).await;
    let begun = Instant::now();
    let seen = bench.store.watch("a", entry.version, MOMENT).await.expect("works");
    assert_eq!(seen, Watched::Unchanged(entry.clone()));
    assert!(begun.elapsed() >= MOMENT);
    let seen = bench.store.watch("a", entry.version, Duration::ZERO).await.expect("works");
    assert_eq!(seen, Watched::Unchanged(entry));
}

pub(super) async fn an_end_wakes(bench: &Bench) {
    let entry = bench.create("a", NewEntry::new("").lifetime(Lifetime::after(MOMENT))).await;
    let waiting = tokio::spawn(waiter(&bench.store, &entry));
    yield_now().await;
    bench.clock.advance(MOMENT);
    assert_eq!(waiting.await.expect("no panic"), Watched::Gone);
}

pub(super) async fn many_wait(bench: &Bench) {
    let mut tasks = JoinSet::new();
    let mut entries = Vec::new();
    for n in 0..20 {
        let entry = bench.create(&format!("a{n}"), NewEntry::new("")).await;
        for _ in 0..5 {
            tasks.spawn(waiter(&bench.store, &entry));
        }
        entries.push(entry);
    }
    yield_now().await;
    for entry in &entries {
        bench.set(entry, "changed").await;
    }
    let seen = tasks.join_all().await;
    assert_eq!(seen.len(), 100);
    assert!(seen.iter().all(|seen| matches!(seen, Watched::Changed(entry) if &*entry.value == b"changed")));
}
