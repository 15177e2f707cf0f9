use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};

use super::secret::Secret;

/// What a [`TokenStore`] gives back.
pub type Storing<'a, T> = Pin<Box<dyn Future<Output = io::Result<T>> + Send + 'a>>;

/// Keeps tokens and registrations: texts by their keys.
///
/// Keys name a server or an issuer and hold no secret; values do. A store for a system's keychain is three calls of it.
pub trait TokenStore: Send + Sync + 'static {
    /// What is kept under a key.
    ///
    /// # Errors
    /// When the store can't be read; nothing kept is no error.
    fn load<'a>(&'a self, key: &'a str) -> Storing<'a, Option<Secret>>;

    /// Keeps a value, in the place of one that was there.
    ///
    /// # Errors
    /// When it isn't kept.
    fn save<'a>(&'a self, key: &'a str, value: &'a Secret) -> Storing<'a, ()>;

    /// Forgets a value; one that isn't there is forgotten already.
    ///
    /// # Errors
    /// When it is still kept.
    fn remove<'a>(&'a self, key: &'a str) -> Storing<'a, ()>;
}

/// A [`TokenStore`] that ends with the process.
#[derive(Default)]
pub struct MemoryStore(Mutex<BTreeMap<String, Secret>>);

impl MemoryStore {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    fn with<T>(&self, work: impl FnOnce(&mut BTreeMap<String, Secret>) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore")
            .field("keys", &self.with(|kept| kept.keys().cloned().collect::<Vec<_>>()))
            .finish()
    }
}

impl TokenStore for MemoryStore {
    fn load<'a>(&'a self, key: &'a str) -> Storing<'a, Option<Secret>> {
        Box::pin(async move { Ok(self.with(|kept| kept.get(key).cloned())) })
    }

    fn save<'a>(&'a self, key: &'a str, value: &'a Secret) -> Storing<'a, ()> {
        Box::pin(async move {
            self.with(|kept| kept.insert(key.to_owned(), value.clone()));
            Ok(())
        })
    }

    fn remove<'a>(&'a self, key: &'a str) -> Storing<'a, ()> {
        Box::pin(async move {
            self.with(|kept| kept.remove(key));
            Ok(())
        })
    }
}

/// A [`TokenStore`] in a JSON file that only its owner can read (mode 0600 on Unix).
///
/// The file is replaced as a whole, so that it is never half-written; processes that share it take turns, by a file beside
/// it (`.lock`). A file that others can read is refused.
#[derive(Debug, Clone)]
pub struct FileStore {
    path: PathBuf,
}

/// The longest file that is read, in bytes.
const LONGEST: u64 = 16 << 20;

type Kept = BTreeMap<String, Secret>;

impl FileStore {
    /// The store at a path. The file needs not exist; its folder does.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    fn work<'a, T: Send + 'static>(
        &self,
        work: impl FnOnce(&Path) -> io::Result<T> + Send + 'static,
    ) -> Storing<'a, T> {
        let path = self.path.clone();
        Box::pin(async move { tokio::task::spawn_blocking(move || work(&path)).await.map_err(io::Error::other)? })
    }
}

impl TokenStore for FileStore {
    fn load<'a>(&'a self, key: &'a str) -> Storing<'a, Option<Secret>> {
        let key = key.to_owned();
        self.work(move |path| Ok(read(path)?.remove(&key)))
    }

    fn save<'a>(&'a self, key: &'a str, value: &'a Secret) -> Storing<'a, ()> {
        let (key, value) = (key.to_owned(), value.clone());
        self.work(move |path| {
            change(path, |kept| {
                kept.insert(key, value);
                true
            })
        })
    }

    fn remove<'a>(&'a self, key: &'a str) -> Storing<'a, ()> {
        let key = key.to_owned();
        self.work(move |path| change(path, |kept| kept.remove(&key).is_some()))
    }
}

fn read(path: &Path) -> io::Result<Kept> {
    use io::Read;

    let mut file = match std::fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Kept::new()),
        Err(error) => return Err(error),
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;

        let mode = file.metadata()?.permissions().mode();
        if mode & 0o077 != 0 {
            let what = format!("{} can be read by others; chmod 600 it, or delete it", path.display());
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, what));
        }
    }
    let mut json = Vec::new();
    Read::by_ref(&mut file).take(LONGEST).read_to_end(&mut json)?;
    // What serde says could show a value.
    let broken = |_| io::Error::new(io::ErrorKind::InvalidData, format!("{} isn't a store of tokens", path.display()));
    serde_json::from_slice(&json).map_err(broken)
}

/// Reads, changes and replaces the file, if there is a change, while no other process does.
fn change(path: &Path, change: impl FnOnce(&mut Kept) -> bool) -> io::Result<()> {
    let beside = |extension: &str| {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(extension);
        path.with_file_name(name)
    };
    let lock = private(std::fs::OpenOptions::new().create(true).write(true).truncate(false)).open(beside(".lock"))?;
    lock.lock()?;
    let mut kept = read(path)?;
    if !change(&mut kept) {
        return Ok(());
    }
    let new = beside(".new");
    // Left by a process that died; under the lock nobody writes it.
    match std::fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = private(std::fs::OpenOptions::new().create_new(true).write(true)).open(&new)?;
    io::Write::write_all(&mut file, &serde_json::to_vec_pretty(&kept)?)?;
    file.sync_all()?;
    std::fs::rename(&new, path)
}

/// Files that are made are for their owner only.
fn private(options: &mut std::fs::OpenOptions) -> &mut std::fs::OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}
