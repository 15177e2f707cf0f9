//! What keeps tokens.

use haft::oauth::{FileStore, MemoryStore, Secret, TokenStore};

use super::renewal::tempfolder;

async fn keeps(store: &dyn TokenStore) {
    assert_eq!(store.load("a").await.unwrap(), None);
    store.remove("a").await.unwrap();
    store.save("a", &Secret::new("one")).await.unwrap();
    store.save("b", &Secret::new("two")).await.unwrap();
    store.save("a", &Secret::new("three")).await.unwrap();
    assert_eq!(store.load("a").await.unwrap(), Some(Secret::new("three")));
    store.remove("a").await.unwrap();
    assert_eq!(store.load("a").await.unwrap(), None);
    assert_eq!(store.load("b").await.unwrap(), Some(Secret::new("two")));
}

#[tokio::test]
async fn in_memory_and_in_a_file() {
    keeps(&MemoryStore::new()).await;
    let folder = tempfolder();
    keeps(&FileStore::new(folder.join("tokens.json"))).await;
    std::fs::remove_dir_all(folder).unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfolder();
    let path = folder.join("tokens.json");
    let store = FileStore::new(&path);
    store.save("a", &Secret::new("one")).await.unwrap();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let entry = entry.unwrap();
        assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{:?}", entry.path());
    }
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    let error = store.load("a").await.unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied);
    assert!(error.to_string().contains("chmod 600"), "{error}");
    store.save("b", &Secret::new("two")).await.unwrap_err();
    std::fs::remove_dir_all(folder).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_when_many_write() {
    let folder = tempfolder();
    let path = folder.join("tokens.json");
    // As many processes would: each with a store of its own.
    let writers = (0..20).map(|count| {
        let store = FileStore::new(&path);
        tokio::spawn(
            async move { store.save(&format!("key {count}"), &Secret::new("x".repeat(10_000))).await.unwrap() },
        )
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    let store = FileStore::new(&path);
    for count in 0..20 {
        assert!(store.load(&format!("key {count}")).await.unwrap().is_some(), "{count}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[tokio::test]
async fn a_file_that_is_no_store_is_left_alone() {
    let folder = tempfolder();
    let path = folder.join("tokens.json");
    let store = FileStore::new(&path);
    store.save("a", &Secret::new("one")).await.unwrap();
    std::fs::write(&path, "{\"a\": \"one\"").unwrap();
    store.load("a").await.unwrap_err();
    store.save("b", &Secret::new("two")).await.unwrap_err();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"a\": \"one\"");
    // What a process left that died in the middle is in nobody's way.
    std::fs::write(&path, "{}").unwrap();
    std::fs::write(folder.join("tokens.json.new"), "half").unwrap();
    store.save("b", &Secret::new("two")).await.unwrap();
    assert_eq!(store.load("b").await.unwrap(), Some(Secret::new("two")));
    std::fs::remove_dir_all(folder).unwrap();
}
