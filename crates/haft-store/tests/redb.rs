//! The store in a file.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use haft_store::{Created, Lifetime, ManualClock, NewEntry, RedbStore, Store, StoreErrorKind, suite};

/// A folder of a test's own, which goes with it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("haft-store-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_file_does_what_every_store_does() {
    let folder = Folder::new();
    let count = AtomicUsize::new(0);
    suite::run(async |clock| {
        let file = folder.file(&count.fetch_add(1, Ordering::Relaxed).to_string());
        Arc::new(RedbStore::open_with_clock(file, clock).expect("opens")) as Arc<dyn Store>
    })
    .await;
}

async fn fill(path: &Path, entries: usize) {
    let store = RedbStore::open(path).expect("opens");
    for n in 0..entries {
        let new = NewEntry::new(format!("value {n}")).owner("ada").lifetime(Lifetime::after(Duration::from_secs(3600)));
        let Created::New(_) = store.create(&format!("key {n}"), new).await.expect("works") else { panic!("taken") };
    }
}

#[tokio::test]
async fn what_was_stored_is_there_again() {
    let folder = Folder::new();
    let path = folder.file("store");
    fill(&path, 20).await;
    let store = reopened(&path);
    let page = store.list("ada", None, 100).await.expect("works");
    assert_eq!(page.entries.len(), 20);
    let last = page.entries[0].version;
    let Created::New(entry) = store.create("next", NewEntry::new("")).await.expect("works") else { panic!("taken") };
    assert!(entry.version > last);
}

/// A store's threads end after it was dropped, and the file is open until then.
fn reopened(path: &Path) -> RedbStore {
    let patience = Instant::now() + Duration::from_secs(10);
    loop {
        match RedbStore::open(path) {
            Ok(store) => return store,
            Err(error) if error.to_string().contains("another process") && Instant::now() < patience => {
                std::thread::yield_now();
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[tokio::test]
async fn a_second_process_is_told_that_there_is_one() {
    let folder = Folder::new();
    let path = folder.file("store");
    let _store = RedbStore::open(&path).expect("opens");
    let error = RedbStore::open(&path).expect_err("open already");
    assert_eq!(error.kind(), StoreErrorKind::Failed);
    assert!(error.to_string().contains("use Redis"), "{error}");
}

#[tokio::test]
async fn another_format_is_refused_with_what_to_do() {
    let folder = Folder::new();
    let path = folder.file("store");
    const META: redb::TableDefinition<'static, &str, u64> = redb::TableDefinition::new("meta");
    for version in [0, 2, u64::MAX] {
        drop(std::fs::remove_file(&path));
        let database = redb::Database::create(&path).expect("opens");
        let writing = database.begin_write().expect("begins");
        writing.open_table(META).expect("a table").insert("format", version).expect("inserts");
        writing.commit().expect("commits");
        drop(database);
        let error = RedbStore::open(&path).expect_err("another format");
        assert_eq!(error.kind(), StoreErrorKind::Format);
        let text = error.to_string();
        assert!(text.contains(&format!("version {version}")) && text.contains("the release that wrote it"), "{text}");
    }
    let other = folder.file("other");
    let database = redb::Database::create(&other).expect("opens");
    let writing = database.begin_write().expect("begins");
    let table: redb::TableDefinition<'static, &str, &str> = redb::TableDefinition::new("orders");
    writing.open_table(table).expect("a table");
    writing.commit().expect("commits");
    drop(database);
    let error = RedbStore::open(&other).expect_err("of another program");
    assert!(error.to_string().contains("another program"), "{error}");
    let text = folder.file("text");
    std::fs::write(&text, "Dear diary,\n".repeat(1000)).expect("writes");
    let error = RedbStore::open(&text).expect_err("a text");
    assert_eq!(error.kind(), StoreErrorKind::Corrupt, "{error:?}");
    assert_eq!(std::fs::read(&text).expect("is there").len(), 12_000, "nothing was written to it");
    assert_eq!(RedbStore::open(folder.file("no/such/folder")).expect_err("no folder").kind(), StoreErrorKind::Failed);
}

/// Cut off anywhere, or with bytes changed anywhere: an error, or entries that were stored.
#[tokio::test]
async fn a_damaged_file_is_refused_or_read_right() {
    let folder = Folder::new();
    let (good, bad) = (folder.file("good"), folder.file("bad"));
    fill(&good, 300).await;
    drop(reopened(&good));
    drop(reopened(&good));
    let bytes = std::fs::read(&good).expect("is there");
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        usize::try_from(seed % below as u64).expect("below")
    };
    let (mut refused, mut right) = (0, 0);
    for round in 0..300 {
        let mut damaged = bytes.clone();
        if round % 3 == 0 {
            damaged.truncate(random(bytes.len()));
        } else {
            // Half of them where the file says of itself what it is.
            let within = if round % 2 == 0 { bytes.len() } else { 4096 };
            for _ in 0..=random(4) {
                damaged[random(within)] ^= 1 << random(8);
            }
        }
        std::fs::write(&bad, &damaged).expect("writes");
        let Ok(store) = RedbStore::open(&bad) else {
            refused += 1;
            continue;
        };
        right += 1;
        for n in 0..300 {
            if let Ok(Some(entry)) = store.get(&format!("key {n}")).await {
                assert_eq!(*entry.value, *format!("value {n}").as_bytes());
            }
        }
        let _ = store.create("new", NewEntry::new("")).await;
        let _ = store.list("ada", None, 1000).await;
        drop(store);
        drop(std::fs::remove_file(&bad));
    }
    eprintln!("300 damaged files: {refused} refused, {right} opened, no wrong entry");
    assert!(refused > 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes without optimisation"]
async fn a_hundred_thousand_expire_and_nobody_waits_for_it() {
    const MANY: usize = 100_000;
    let folder = Folder::new();
    let clock = ManualClock::new();
    let path = folder.file("store");
    let store: Arc<dyn Store> = Arc::new(RedbStore::open_with_clock(&path, clock.clone()).expect("opens"));
    suite::crowd(&store, "ada", (500, MANY / 500), Lifetime::after(Duration::from_secs(60))).await;
    let full = std::fs::metadata(&path).expect("is there").len();
    clock.advance(Duration::from_secs(60));
    let begun = Instant::now();
    let freeing = tokio::spawn({
        let store = Arc::clone(&store);
        async move { store.expire(usize::MAX).await.expect("works") }
    });
    let mut longest = Duration::ZERO;
    while !freeing.is_finished() {
        let asked = Instant::now();
        assert_eq!(store.get("0 0").await.expect("works"), None);
        let Created::New(entry) = store.create("one more", NewEntry::new("")).await.expect("works") else {
            panic!("taken")
        };
        assert!(store.take(&entry.key).await.expect("works").is_some());
        longest = longest.max(asked.elapsed());
    }
    let freed = freeing.await.expect("no panic");
    let after = std::fs::metadata(&path).expect("is there").len();
    eprintln!(
        "{freed} freed in {:?}; three operations took {longest:?} at most; {full} bytes, then {after}",
        begun.elapsed()
    );
    assert!(freed <= MANY && after <= full + (full >> 2), "{freed}, {full}, {after}");
    assert_eq!(store.list("ada", None, 10).await.expect("works").entries.len(), 0);
}
