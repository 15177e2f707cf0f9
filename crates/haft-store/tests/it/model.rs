//! Any sequence of operations does to a store what it does to the simplest thing that could be one.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use haft_store::{Created, Entry, Lifetime, ManualClock, MemoryStore, NewEntry, Outcome, Set, Store, Version};
use proptest::prelude::*;

#[derive(Debug, Clone)]
enum Step {
    Create { key: u8, owner: Option<u8>, total: Option<u8>, idle: Option<u8> },
    Set { key: u8, of: Which },
    Delete { key: u8, of: Option<Which> },
    Take { key: u8 },
    Touch { key: u8 },
    List { owner: u8, page: u8 },
    Pass { millis: u8 },
    Expire { at_most: u8 },
}

/// Which version is asked for: the one that is there, or the one before all.
#[derive(Debug, Clone, Copy)]
enum Which {
    There,
    Old,
}

fn step() -> impl Strategy<Value = Step> {
    let key = 0..4_u8;
    let which = || prop_oneof![Just(Which::There), Just(Which::Old)];
    let some = || proptest::option::of(0..100_u8);
    prop_oneof![
        4 => (key.clone(), proptest::option::of(0..2_u8), some(), some())
            .prop_map(|(key, owner, total, idle)| Step::Create { key, owner, total, idle }),
        3 => (key.clone(), which()).prop_map(|(key, of)| Step::Set { key, of }),
        1 => (key.clone(), proptest::option::of(which())).prop_map(|(key, of)| Step::Delete { key, of }),
        1 => key.clone().prop_map(|key| Step::Take { key }),
        2 => key.prop_map(|key| Step::Touch { key }),
        2 => (0..2_u8, 1..3_u8).prop_map(|(owner, page)| Step::List { owner, page }),
        3 => (0..60_u8).prop_map(|millis| Step::Pass { millis }),
        1 => (0..4_u8).prop_map(|at_most| Step::Expire { at_most }),
    ]
}

/// What the model knows of an entry: which it is, and between which times it may end.
struct Known {
    entry: Entry,
    begun: u64,
    used: u64,
    total: Option<u64>,
    idle: Option<u64>,
}

impl Known {
    /// Whether it must be there, or must be gone, or either.
    fn is_there(&self, now: u64) -> Option<bool> {
        if self.total.is_some_and(|total| now >= self.begun + total) {
            return Some(false);
        }
        let Some(idle) = self.idle else { return Some(true) };
        match now.saturating_sub(self.used) {
            unused if unused < idle => Some(true),
            unused if unused >= idle + idle / 16 => Some(false),
            _ => None,
        }
    }
}

/// Plays the steps to a store.
async fn play(store: Arc<dyn Store>, clock: ManualClock, steps: Vec<Step>) {
    let (mut now, mut model, mut last) = (0_u64, BTreeMap::<u8, Known>::new(), Version::from(0));
    let millis = |of: Option<u8>| of.map(|millis| Duration::from_millis(u64::from(millis)));
    for step in steps {
        // What may be there or not is what the store says; what must be is what it has to say.
        for key in 0..4_u8 {
            let there = store.get(&key.to_string()).await.expect("works");
            let known = model.get(&key);
            if let Some(must) = known.map_or(Some(false), |known| known.is_there(now)) {
                assert_eq!(there.is_some(), must, "{key} at {now}");
            }
            match there {
                None => drop(model.remove(&key)),
                Some(entry) => {
                    let known = &known.expect("asserted").entry;
                    assert_eq!((entry.version, &entry.value), (known.version, &known.value));
                    assert_eq!((&entry.owner, entry.created), (&known.owner, known.created));
                }
            }
        }
        let name = |key: u8| key.to_string();
        let version = |known: Option<&Known>, which| match (which, known) {
            (Which::There, Some(known)) => known.entry.version,
            _ => Version::from(0),
        };
        match step {
            Step::Create { key, owner, total, idle } => {
                let mut lifetime = millis(total).map_or(Lifetime::FOREVER, Lifetime::after);
                if let Some(idle) = millis(idle) {
                    lifetime = lifetime.unused(idle);
                }
                let mut new = NewEntry::new(name(key)).lifetime(lifetime);
                if let Some(owner) = owner {
                    new = new.owner(owner.to_string());
                }
                match store.create(&name(key), new).await.expect("works") {
                    Created::Taken(entry) => assert_eq!(entry.version, model[&key].entry.version),
                    Created::New(entry) => {
                        assert!(!model.contains_key(&key) && entry.version > last);
                        last = entry.version;
                        let (total, idle) = (total.map(u64::from), idle.map(u64::from));
                        model.insert(key, Known { entry, begun: now, used: now, total, idle });
                    }
                }
            }
            Step::Set { key, of } => {
                let expected = version(model.get(&key), of);
                let set = Set::new(format!("{key} at {now}"));
                match (store.compare_and_set(&name(key), expected, set).await.expect("works"), model.get_mut(&key)) {
                    (Outcome::Gone, None) => {}
                    (Outcome::Conflict(entry), Some(known)) => {
                        assert!(matches!(of, Which::Old) && entry.version == known.entry.version);
                    }
                    (Outcome::Done(entry), Some(known)) => {
                        assert!(matches!(of, Which::There) && entry.version > last);
                        last = entry.version;
                        known.entry = entry;
                        known.used = now;
                    }
                    (outcome, known) => panic!("{outcome:?}, but known: {}", known.is_some()),
                }
            }
            Step::Delete { key, of } => {
                let expected = of.map(|which| version(model.get(&key), which));
                match store.delete(&name(key), expected).await.expect("works") {
                    Outcome::Gone => assert!(!model.contains_key(&key)),
                    Outcome::Conflict(_) => assert!(matches!(of, Some(Which::Old)) && model.contains_key(&key)),
                    Outcome::Done(entry) => {
                        assert!(!matches!(of, Some(Which::Old)));
                        assert_eq!(entry.version, model.remove(&key).expect("is there").entry.version);
                    }
                }
            }
            Step::Take { key } => {
                let taken = store.take(&name(key)).await.expect("works").map(|entry| entry.version);
                assert_eq!(taken, model.remove(&key).map(|known| known.entry.version));
            }
            Step::Touch { key } => {
                let touched = store.touch(&name(key)).await.expect("works").map(|entry| entry.version);
                assert_eq!(touched, model.get(&key).map(|known| known.entry.version));
                if let Some(known) = model.get_mut(&key) {
                    known.used = now;
                }
            }
            Step::List { owner, page } => {
                let owner = owner.to_string();
                let mut expected: Vec<_> = model
                    .values()
                    .filter(|known| known.entry.owner.as_deref() == Some(owner.as_str()))
                    .map(|known| (known.entry.created, &*known.entry.key))
                    .collect();
                expected.sort_by_key(|(_, key)| *key);
                let (mut seen, mut from) = (Vec::new(), None);
                loop {
                    let page = store.list(&owner, from, usize::from(page)).await.expect("works");
                    seen.extend(page.entries);
                    from = page.next;
                    if from.is_none() {
                        break;
                    }
                }
                assert!(seen.windows(2).all(|pair| pair[0].created >= pair[1].created), "newest first");
                let mut seen: Vec<_> = seen.iter().map(|entry| (entry.created, &*entry.key)).collect();
                seen.sort_by_key(|(_, key)| *key);
                assert_eq!(seen, expected);
            }
            Step::Pass { millis } => {
                now += u64::from(millis);
                clock.advance(Duration::from_millis(u64::from(millis)));
            }
            Step::Expire { at_most } => {
                let freed = store.expire(usize::from(at_most)).await.expect("works");
                assert!(freed <= usize::from(at_most));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn memory_is_as_the_model(steps in proptest::collection::vec(step(), 1..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let clock = ManualClock::new();
        runtime.block_on(play(Arc::new(MemoryStore::with_clock(clock.clone())), clock, steps));
    }
}
