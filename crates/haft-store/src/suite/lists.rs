use super::Bench;
use crate::{Entry, NewEntry};

fn keys(entries: &[Entry]) -> Vec<&str> {
    entries.iter().map(|entry| &*entry.key).collect()
}

pub(super) async fn an_owner_sees_its_own_newest_first(bench: &Bench) {
    let store = &bench.store;
    for (key, owner) in [("a1", "ada"), ("b1", "bob"), ("a2", "ada"), ("a3", "ada"), ("b2", "bob")] {
        bench.create(key, NewEntry::new(key).owner(owner)).await;
    }
    bench.create("nobody's", NewEntry::new("")).await;
    // A change moves nothing.
    let first = store.get("a1").await.expect("works").expect("is there");
    let first = bench.set(&first, "changed").await;

    let page = store.list("ada", None, 10).await.expect("works");
    assert_eq!((keys(&page.entries), page.next), (vec!["a3", "a2", "a1"], None));
    assert_eq!(page.entries[2], first);
    assert_eq!(keys(&store.list("bob", None, 10).await.expect("works").entries), ["b2", "b1"]);
    for stranger in ["", "ad", "adam", "ADA", "*", "ada*"] {
        assert!(store.list(stranger, None, 10).await.expect("works").entries.is_empty(), "{stranger}");
    }
}

pub(super) async fn pages_stay_in_place(bench: &Bench) {
    let store = &bench.store;
    for n in 0..7 {
        bench.create(&format!("a{n}"), NewEntry::new("").owner("ada")).await;
    }
    let one = store.list("ada", None, 2).await.expect("works");
    assert_eq!(keys(&one.entries), ["a6", "a5"]);
    // One that was shown goes, one that wasn't goes, one comes.
    assert!(store.take("a5").await.expect("works").is_some());
    assert!(store.take("a3").await.expect("works").is_some());
    bench.create("new", NewEntry::new("").owner("ada")).await;
    let two = store.list("ada", one.next, 2).await.expect("works");
    assert_eq!(keys(&two.entries), ["a4", "a2"]);
    let three = store.list("ada", two.next, 2).await.expect("works");
    assert_eq!(keys(&three.entries), ["a1", "a0"]);
    if three.next.is_some() {
        let four = store.list("ada", three.next, 2).await.expect("works");
        assert_eq!((four.entries.len(), four.next), (0, None));
    }
    assert_eq!(store.list("ada", None, 0).await.expect("works").entries.len(), 1, "a page has room for one");
    assert_eq!(store.list("ada", None, usize::MAX).await.expect("works").entries.len(), 6);
}
