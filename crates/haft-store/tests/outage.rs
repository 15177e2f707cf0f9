//! A Redis that goes and comes back: `HAFT_REDIS_SERVER` is the program (`redis-server`).

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use haft_store::{Created, NewEntry, Outcome, RedisStore, Set, Store, StoreErrorKind, Watched};

/// A server of this test's own, which keeps what it has in a folder.
struct Server {
    child: Child,
    port: u16,
    folder: PathBuf,
}

impl Server {
    fn start(port: u16, folder: &Path) -> Self {
        std::fs::create_dir_all(folder).expect("a folder");
        let program = std::env::var("HAFT_REDIS_SERVER").unwrap_or_else(|_| "redis-server".to_owned());
        let child = Command::new(program)
            .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", ""])
            .args(["--appendonly", "yes", "--appendfsync", "always", "--dir"])
            .arg(folder)
            .stdout(Stdio::null())
            .spawn()
            .expect("redis-server starts");
        Self { child, port, folder: folder.to_owned() }
    }

    fn kill(&mut self) {
        self.child.kill().expect("kills");
        self.child.wait().expect("ends");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

async fn connect(url: &str) -> RedisStore {
    let patience = Instant::now() + Duration::from_secs(20);
    loop {
        match RedisStore::connect(url).await {
            Ok(store) => return store,
            Err(error) if error.kind() == StoreErrorKind::Unavailable && Instant::now() < patience => {}
            Err(error) => panic!("{error:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs redis-server"]
async fn redis_goes_and_comes_back() {
    let folder = std::env::temp_dir().join(format!("haft-store-outage-{}", std::process::id()));
    let mut server = Server::start(free_port(), &folder);
    let url = format!("redis://127.0.0.1:{}", server.port);
    let store = Arc::new(connect(&url).await);
    let Created::New(entry) = store.create("a", NewEntry::new("before")).await.expect("works") else { panic!("taken") };
    let since = entry.version;
    let waiting = tokio::spawn({
        let store = Arc::clone(&store);
        async move { store.watch("a", since, Duration::from_secs(60)).await }
    });
    tokio::task::yield_now().await;

    server.kill();
    let asked = Instant::now();
    let error = store.get("a").await.expect_err("nobody answers");
    assert_eq!(error.kind(), StoreErrorKind::Unavailable, "{error:?}");
    let failed_after = asked.elapsed();
    assert!(failed_after < Duration::from_secs(8), "{failed_after:?}");

    let _server = {
        let (port, folder) = (server.port, folder.clone());
        std::mem::forget(server);
        Server::start(port, &folder)
    };
    let restarted = Instant::now();
    let there = loop {
        match store.get("a").await {
            Ok(there) => break there,
            Err(error) => assert_eq!(error.kind(), StoreErrorKind::Unavailable, "{error:?}"),
        }
        assert!(restarted.elapsed() < Duration::from_secs(20));
    };
    let back_after = restarted.elapsed();
    assert_eq!(there, Some(entry));
    // Another process's change wakes the one who has waited since before.
    let other = connect(&url).await;
    let Outcome::Done(changed) = other.compare_and_set("a", since, Set::new("after")).await.expect("works") else {
        panic!("not done")
    };
    let seen = waiting.await.expect("no panic").expect("waited on");
    assert_eq!(seen, Watched::Changed(changed));
    eprintln!("Redis gone: an error after {failed_after:?}; back: answers after {back_after:?}");
}
