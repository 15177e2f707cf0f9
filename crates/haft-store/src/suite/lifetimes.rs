use std::time::Duration;

use super::Bench;
use crate::{Created, Lifetime, NewEntry, Outcome, Set};

const MINUTE: Duration = Duration::from_secs(60);
const MOMENT: Duration = Duration::from_millis(1);

pub(super) async fn an_end_comes(bench: &Bench) {
    let store = &bench.store;
    let new = NewEntry::new("").owner("ada").lifetime(Lifetime::after(MINUTE));
    let entry = bench.create("a", new).await;
    assert_eq!(entry.expires, Some(entry.created + MINUTE));
    bench.create("b", NewEntry::new("").owner("ada")).await;

    bench.clock.advance(MINUTE - MOMENT);
    let entry = bench.set(&entry, "changed").await;
    assert_eq!(entry.expires, Some(entry.created + MINUTE), "no use puts it off");
    assert_eq!(store.list("ada", None, 5).await.expect("works").entries.len(), 2);

    bench.clock.advance(MOMENT);
    assert_eq!(store.get("a").await.expect("works"), None);
    assert_eq!(store.touch("a").await.expect("works"), None);
    assert_eq!(store.take("a").await.expect("works"), None);
    assert_eq!(store.delete("a", Some(entry.version)).await.expect("works"), Outcome::Gone);
    assert_eq!(store.compare_and_set("a", entry.version, Set::new("")).await.expect("works"), Outcome::Gone);
    let page = store.list("ada", None, 5).await.expect("works");
    assert_eq!(page.entries.iter().map(|entry| &*entry.key).collect::<Vec<_>>(), ["b"]);
}

pub(super) async fn use_puts_off_the_end(bench: &Bench) {
    let store = &bench.store;
    let lifetime = Lifetime::after(4 * MINUTE).unused(MINUTE);
    let mut entry = bench.create("a", NewEntry::new("").lifetime(lifetime)).await;
    let created = entry.created;
    bench.create("unused", NewEntry::new("").lifetime(lifetime)).await;
    for _ in 0..2 {
        bench.clock.advance(MINUTE - MOMENT);
        let touched = store.touch("a").await.expect("works").expect("is there");
        assert_eq!((touched.version, &touched.value), (entry.version, &entry.value));
        assert!(touched.expires > entry.expires);
        bench.clock.advance(MOMENT);
        // Looking is no use.
        assert_eq!(store.get("a").await.expect("works"), Some(touched));
        entry = bench.set(&entry, "changed").await;
    }
    assert_eq!(store.get("unused").await.expect("works"), None);
    bench.clock.advance(MINUTE - MOMENT);
    assert!(store.touch("a").await.expect("works").is_some());
    bench.clock.advance(MINUTE);
    assert!(store.touch("a").await.expect("works").is_some());
    bench.clock.advance(MOMENT);
    assert_eq!(store.get("a").await.expect("works"), None, "{created:?} was four minutes ago");

    let entry = bench.create("b", NewEntry::new("").lifetime(Lifetime::FOREVER.unused(MINUTE))).await;
    bench.clock.advance(MINUTE - MOMENT);
    assert!(store.get("b").await.expect("works").is_some());
    bench.clock.advance(MINUTE / 16 + MOMENT);
    assert_eq!(store.compare_and_set("b", entry.version, Set::new("")).await.expect("works"), Outcome::Gone);
}

pub(super) async fn a_change_may_begin_another_lifetime(bench: &Bench) {
    let store = &bench.store;
    let entry = bench.create("a", NewEntry::new("").lifetime(Lifetime::after(MINUTE))).await;
    bench.clock.advance(MINUTE / 2);
    let set = Set::new("").lifetime(Lifetime::after(MINUTE));
    let Outcome::Done(entry) = store.compare_and_set("a", entry.version, set).await.expect("works") else {
        panic!("not done")
    };
    assert_eq!(entry.expires, Some(entry.changed + MINUTE));
    bench.clock.advance(MINUTE - MOMENT);
    let set = Set::new("").lifetime(Lifetime::FOREVER);
    let Outcome::Done(entry) = store.compare_and_set("a", entry.version, set).await.expect("works") else {
        panic!("not done")
    };
    assert_eq!(entry.expires, None);
    bench.clock.advance(1_000 * MINUTE);
    assert_eq!(store.get("a").await.expect("works"), Some(entry));
}

pub(super) async fn an_expired_key_is_free(bench: &Bench) {
    let new = || NewEntry::new("").owner("ada").lifetime(Lifetime::after(MINUTE));
    let old = bench.create("a", new()).await;
    bench.clock.advance(MINUTE);
    let entry = bench.create("a", new()).await;
    assert!(entry.version > old.version && entry.created > old.created);
    assert_eq!(bench.store.list("ada", None, 5).await.expect("works").entries, [entry]);
}

pub(super) async fn what_expired_is_freed(bench: &Bench) {
    for n in 0..40 {
        let lifetime = Lifetime::after(if n % 2 == 0 { MINUTE } else { 3 * MINUTE });
        bench.create(&n.to_string(), NewEntry::new("").owner("ada").lifetime(lifetime)).await;
    }
    assert_eq!(bench.store.expire(100).await.expect("works"), 0);
    bench.clock.advance(MINUTE);
    assert!(bench.store.expire(5).await.expect("works") <= 5);
    assert!(bench.store.expire(100).await.expect("works") <= 20);
    assert_eq!(bench.store.expire(100).await.expect("works"), 0);
    assert_eq!(bench.store.list("ada", None, 100).await.expect("works").entries.len(), 20);
}

pub(super) async fn a_lease_passes_on(bench: &Bench) {
    let store = &bench.store;
    let lifetime = Lifetime::after(MINUTE);
    let one = bench.create("lease", NewEntry::new("one").lifetime(lifetime)).await;
    bench.clock.advance(MINUTE / 2);
    let renewal = Set::new("one").lifetime(lifetime);
    let Outcome::Done(one) = store.compare_and_set("lease", one.version, renewal.clone()).await.expect("works") else {
        panic!("not renewed")
    };
    bench.clock.advance(MINUTE - MOMENT);
    let other = || NewEntry::new("two").lifetime(lifetime);
    assert_eq!(store.create("lease", other()).await.expect("works"), Created::Taken(one.clone()));
    bench.clock.advance(MOMENT);
    let two = bench.create("lease", other()).await;
    let late = store.compare_and_set("lease", one.version, renewal).await.expect("works");
    assert_eq!(late, Outcome::Conflict(two.clone()));
    assert_eq!(store.delete("lease", Some(one.version)).await.expect("works"), Outcome::Conflict(two));
}
