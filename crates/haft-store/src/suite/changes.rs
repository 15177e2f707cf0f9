use std::sync::Arc;

use tokio::task::JoinSet;

use super::Bench;
use crate::{Created, MAX_KEY, MAX_OWNER, MAX_VALUE, NewEntry, Outcome, Set, StoreErrorKind};

/// How many do the same thing at once.
const MANY: usize = 16;

pub(super) async fn entries_come_and_go(bench: &Bench) {
    let store = &bench.store;
    assert_eq!(store.get("a").await.expect("works"), None);
    let entry = bench.create("a", NewEntry::new("one").owner("ada")).await;
    assert_eq!((&*entry.key, &*entry.value, entry.owner.as_deref()), ("a", b"one".as_slice(), Some("ada")));
    assert_eq!((entry.created, entry.expires), (entry.changed, None));
    assert_eq!(store.get("a").await.expect("works").as_ref(), Some(&entry));
    assert_eq!(store.touch("a").await.expect("works").as_ref(), Some(&entry));

    let again = store.create("a", NewEntry::new("two").owner("bob")).await.expect("works");
    assert_eq!(again, Created::Taken(entry.clone()));

    assert_eq!(store.delete("a", None).await.expect("works"), Outcome::Done(entry));
    assert_eq!(store.get("a").await.expect("works"), None);
    assert_eq!(store.delete("a", None).await.expect("works"), Outcome::Gone);
    assert_eq!(store.take("a").await.expect("works"), None);
    assert_eq!(store.touch("a").await.expect("works"), None);
}

pub(super) async fn any_bytes_are_kept(bench: &Bench) {
    let all: Vec<u8> = (0..=255).collect();
    let keys = ["a", "A", "a:b", "{a}", "*", "a\0b", "Größe", "\r\n", "☎"];
    for key in keys {
        let value = [all.as_slice(), key.as_bytes()].concat();
        bench.create(key, NewEntry::new(&value).owner(key)).await;
    }
    bench.create("empty", NewEntry::new("")).await;
    for key in keys {
        let entry = bench.store.get(key).await.expect("works").expect("is there");
        assert_eq!(*entry.value, [all.as_slice(), key.as_bytes()].concat());
        assert_eq!((&*entry.key, entry.owner.as_deref()), (key, Some(key)));
        assert_eq!(bench.store.list(key, None, 5).await.expect("works").entries, [entry]);
    }
    assert_eq!(bench.value("empty").await.as_deref(), Some(""));
    let big = vec![7; 1 << 20];
    bench.create("big", NewEntry::new(&big)).await;
    assert_eq!(*bench.store.take("big").await.expect("works").expect("is there").value, *big);
}

pub(super) async fn only_the_version_there_is_changed(bench: &Bench) {
    let store = &bench.store;
    let one = bench.create("a", NewEntry::new("one").owner("ada")).await;
    bench.clock.advance(std::time::Duration::from_secs(1));
    let two = bench.set(&one, "two").await;
    assert!(two.version > one.version);
    assert_eq!((&two.owner, two.created), (&one.owner, one.created));
    assert!(two.changed > one.changed);
    assert_eq!(store.get("a").await.expect("works").as_ref(), Some(&two));

    let late = store.compare_and_set("a", one.version, Set::new("late")).await.expect("works");
    assert_eq!(late, Outcome::Conflict(two.clone()));
    assert_eq!(store.delete("a", Some(one.version)).await.expect("works"), Outcome::Conflict(two.clone()));
    assert_eq!(bench.value("a").await.as_deref(), Some("two"));
    assert_eq!(store.delete("a", Some(two.version)).await.expect("works"), Outcome::Done(two.clone()));
    assert_eq!(store.compare_and_set("a", two.version, Set::new("x")).await.expect("works"), Outcome::Gone);
    assert_eq!(bench.value("a").await, None);
}

pub(super) async fn no_version_comes_twice(bench: &Bench) {
    let mut last = bench.create("a", NewEntry::new("")).await.version;
    for _ in 0..3 {
        let taken = bench.store.take("a").await.expect("works").expect("is there");
        assert_eq!(taken.version, last);
        let entry = bench.create("a", NewEntry::new("")).await;
        assert!(entry.version > last);
        let late = bench.store.compare_and_set("a", last, Set::new("late")).await.expect("works");
        assert_eq!(late, Outcome::Conflict(entry.clone()));
        last = entry.version;
    }
}

pub(super) async fn what_is_too_long_is_refused(bench: &Bench) {
    let (key, owner) = ("k".repeat(MAX_KEY), "o".repeat(MAX_OWNER));
    bench.create(&key, NewEntry::new("").owner(owner.as_str())).await;
    assert_eq!(bench.refusal(&format!("{key}k"), NewEntry::new("")).await, StoreErrorKind::Invalid);
    assert_eq!(bench.refusal("", NewEntry::new("")).await, StoreErrorKind::Invalid);
    assert_eq!(bench.refusal("a", NewEntry::new("").owner(format!("{owner}o"))).await, StoreErrorKind::Invalid);
    let big = vec![0; MAX_VALUE + 1];
    assert_eq!(bench.refusal("a", NewEntry::new(&big)).await, StoreErrorKind::Invalid);
    let entry = bench.create("a", NewEntry::new("")).await;
    let refused = bench.store.compare_and_set("a", entry.version, Set::new(&big)).await.expect_err("refused");
    assert_eq!(refused.kind(), StoreErrorKind::Invalid);
    assert_eq!(bench.store.get("").await.expect_err("refused").kind(), StoreErrorKind::Invalid);
}

pub(super) async fn of_many_one_creates(bench: &Bench) {
    let mut tasks = JoinSet::new();
    for n in 0..MANY {
        let store = Arc::clone(&bench.store);
        tasks.spawn(async move { store.create("a", NewEntry::new(n.to_string())).await.expect("works") });
    }
    let all = tasks.join_all().await;
    let (new, taken): (Vec<_>, Vec<_>) = all.into_iter().partition(|created| matches!(created, Created::New(_)));
    let [Created::New(entry)] = new.as_slice() else { panic!("created by {}", new.len()) };
    assert!(taken.iter().all(|other| *other == Created::Taken(entry.clone())));
}

pub(super) async fn of_many_one_takes(bench: &Bench) {
    for round in 0..8 {
        let entry = bench.create("a", NewEntry::new(round.to_string()).owner("ada")).await;
        let mut tasks = JoinSet::new();
        for _ in 0..MANY {
            let store = Arc::clone(&bench.store);
            tasks.spawn(async move { store.take("a").await.expect("works") });
        }
        let taken: Vec<_> = tasks.join_all().await.into_iter().flatten().collect();
        assert_eq!(taken, [entry]);
        assert!(bench.store.list("ada", None, 5).await.expect("works").entries.is_empty());
    }
}

pub(super) async fn no_change_is_lost(bench: &Bench) {
    const EACH: usize = 8;
    bench.create("count", NewEntry::new("0")).await;
    let mut tasks = JoinSet::new();
    for _ in 0..MANY {
        let store = Arc::clone(&bench.store);
        tasks.spawn(async move {
            for _ in 0..EACH {
                let mut entry = store.get("count").await.expect("works").expect("is there");
                loop {
                    let count: usize = std::str::from_utf8(&entry.value).expect("a text").parse().expect("a number");
                    let set = Set::new((count + 1).to_string());
                    match store.compare_and_set("count", entry.version, set).await.expect("works") {
                        Outcome::Done(_) => break,
                        Outcome::Conflict(newer) => entry = newer,
                        Outcome::Gone => panic!("nobody deletes it"),
                    }
                }
            }
        });
    }
    tasks.join_all().await;
    assert_eq!(bench.value("count").await, Some((MANY * EACH).to_string()));
}
