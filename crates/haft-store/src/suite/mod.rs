//! What every [`Store`] has to do, as tests: feature `suite`.
//!
//! ```
//! use std::sync::Arc;
//!
//! use haft_store::{MemoryStore, Store, suite};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! suite::run(async |clock| Arc::new(MemoryStore::with_clock(clock)) as Arc<dyn Store>).await;
//! # }
//! ```

mod changes;
mod lifetimes;
mod lists;
mod watching;

use std::sync::Arc;

use crate::{Created, Entry, Lifetime, ManualClock, NewEntry, Outcome, Set, Store, StoreErrorKind};

/// What a case works on.
struct Bench {
    store: Arc<dyn Store>,
    clock: ManualClock,
}

/// Runs all cases, each on a store of its own: an empty one by the clock that it is given.
///
/// # Panics
/// When the store does anything else than [`Store`] says.
pub async fn run(open: impl AsyncFn(ManualClock) -> Arc<dyn Store>) {
    let bench = async || {
        let clock = ManualClock::new();
        Bench { store: open(clock.clone()).await, clock }
    };
    changes::entries_come_and_go(&bench().await).await;
    changes::any_bytes_are_kept(&bench().await).await;
    changes::only_the_version_there_is_changed(&bench().await).await;
    changes::no_version_comes_twice(&bench().await).await;
    changes::what_is_too_long_is_refused(&bench().await).await;
    changes::of_many_one_creates(&bench().await).await;
    changes::of_many_one_takes(&bench().await).await;
    changes::no_change_is_lost(&bench().await).await;
    lists::an_owner_sees_its_own_newest_first(&bench().await).await;
    lists::pages_stay_in_place(&bench().await).await;
    lifetimes::an_end_comes(&bench().await).await;
    lifetimes::use_puts_off_the_end(&bench().await).await;
    lifetimes::a_change_may_begin_another_lifetime(&bench().await).await;
    lifetimes::an_expired_key_is_free(&bench().await).await;
    lifetimes::what_expired_is_freed(&bench().await).await;
    lifetimes::a_lease_passes_on(&bench().await).await;
    watching::a_change_wakes(&bench().await).await;
    watching::what_changed_before_is_not_missed(&bench().await).await;
    watching::nothing_takes_as_long_as_was_said(&bench().await).await;
    watching::an_end_wakes(&bench().await).await;
    watching::many_wait(&bench().await).await;
}

/// Fills a store from several tasks: in each of `parts`, so many entries of `owner` under `"part number"`.
///
/// # Panics
/// When the store fails, or has one of them.
pub async fn crowd(store: &Arc<dyn Store>, owner: &'static str, (parts, each): (usize, usize), lifetime: Lifetime) {
    let mut tasks = tokio::task::JoinSet::new();
    for part in 0..parts {
        let store = Arc::clone(store);
        tasks.spawn(async move {
            for n in 0..each {
                let new = NewEntry::new("x").owner(owner).lifetime(lifetime);
                let Created::New(_) = store.create(&format!("{part} {n}"), new).await.expect("works") else {
                    panic!("taken")
                };
            }
        });
    }
    tasks.join_all().await;
}

impl Bench {
    async fn create(&self, key: &str, new: NewEntry) -> Entry {
        match self.store.create(key, new).await.expect("works") {
            Created::New(entry) => entry,
            Created::Taken(entry) => panic!("{entry:?} is there already"),
        }
    }

    async fn set(&self, entry: &Entry, value: &str) -> Entry {
        match self.store.compare_and_set(&entry.key, entry.version, Set::new(value)).await.expect("works") {
            Outcome::Done(entry) => entry,
            other => panic!("{entry:?} does not change: {other:?}"),
        }
    }

    async fn value(&self, key: &str) -> Option<String> {
        let entry = self.store.get(key).await.expect("works")?;
        Some(String::from_utf8(entry.value.to_vec()).expect("a text"))
    }

    async fn refusal(&self, key: &str, new: NewEntry) -> StoreErrorKind {
        self.store.create(key, new).await.expect_err("refused").kind()
    }
}
