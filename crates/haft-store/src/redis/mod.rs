//! Entries in Redis 7: each operation is one script, so that it is atomic.

mod error;
mod notices;
mod script;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ::redis::aio::{ConnectionManager, ConnectionManagerConfig};
use ::redis::{Client, ScriptInvocation, Value};

use crate::clock::{millis, span};
use crate::store::{FREED_ON_CREATE, check_key, check_new, check_owner, check_value};
use crate::waiters::Waiters;
use crate::{
    Clock, Created, Cursor, Entry, Lifetime, MAX_PAGE, NewEntry, Outcome, Page, Set, Store, StoreError, SystemClock,
    Version, Watched, Working,
};
use error::{failed, unreachable_at};
use notices::Notices;
use script::{Answer, Scripts};

/// A [`Store`] in a Redis server (version 7 or later), which any number of processes may share.
///
/// Expiry is Redis's own. Changes are told to other processes by a channel. As the system's clock counts Redis's, so that
/// processes whose clocks differ agree.
///
/// A connection that is lost is opened again, after longer and longer pauses of up to a second; meanwhile operations fail
/// as [`Unavailable`](crate::StoreErrorKind::Unavailable) within a few seconds, and those who watch wait on. Nothing is sent
/// twice: what fails may have been done.
///
/// How much survives a crash of Redis is for its settings to say: with `appendonly yes` and `appendfsync always`
/// everything that was answered, with Redis's defaults all but the last minutes. Its `maxmemory-policy` must be `noeviction`.
pub struct RedisStore {
    connection: ConnectionManager,
    /// Another clock than Redis's.
    clock: Option<Box<dyn Clock>>,
    waiters: Arc<Waiters>,
    scripts: Scripts,
    prefix: String,
    /// Listens as long as the store is there.
    _notices: Notices,
}

/// How long one attempt to connect takes at most.
const CONNECTING: Duration = Duration::from_secs(2);

/// How long an answer takes at most.
const ANSWERING: Duration = Duration::from_secs(5);

/// How often an operation waits for one more attempt to connect.
const RETRIES: usize = 3;

/// The first and the longest pause between two attempts.
const PAUSES: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));

impl RedisStore {
    /// Connects to a Redis: `redis://user:password@host:6379/0`, or `unix:///run/redis.sock`.
    ///
    /// Entries are under keys that begin with `{haft}`.
    ///
    /// # Errors
    /// When the URL is none, or nothing answers there.
    pub async fn connect(url: &str) -> Result<Self, StoreError> {
        Self::open(url, "haft", None).await
    }

    /// [`RedisStore::connect`] with keys that begin otherwise, so that several stores share a Redis: letters, digits, `-`
    /// and `:`.
    ///
    /// # Errors
    /// As [`RedisStore::connect`]; also when the prefix has other characters.
    pub async fn connect_with_prefix(url: &str, prefix: &str) -> Result<Self, StoreError> {
        Self::open(url, prefix, None).await
    }

    /// [`RedisStore::connect_with_prefix`] by another clock than Redis's, for tests. Redis still frees by its own.
    ///
    /// # Errors
    /// As [`RedisStore::connect_with_prefix`].
    pub async fn connect_with_clock(url: &str, prefix: &str, clock: impl Clock) -> Result<Self, StoreError> {
        Self::open(url, prefix, Some(Box::new(clock))).await
    }

    async fn open(url: &str, prefix: &str, clock: Option<Box<dyn Clock>>) -> Result<Self, StoreError> {
        let good = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == ':';
        if prefix.is_empty() || !prefix.chars().all(good) {
            let message = "a prefix of Redis keys has letters, digits, `-` and `:`, and at least one of them";
            return Err(StoreError::new(crate::StoreErrorKind::Invalid, message));
        }
        let client = Client::open(url).map_err(|error| unreachable_at("the URL of Redis can't be read", error))?;
        let config = ConnectionManagerConfig::new()
            .set_min_delay(PAUSES.0)
            .set_max_delay(PAUSES.1)
            .set_number_of_retries(RETRIES)
            .set_connection_timeout(Some(CONNECTING))
            .set_response_timeout(Some(ANSWERING));
        let connection = ConnectionManager::new_with_config(client.clone(), config).await;
        let connection = connection.map_err(|error| unreachable_at("Redis can't be reached", error))?;
        // One braced word in all keys: on a cluster they are in one place.
        let prefix = format!("{{{prefix}}}");
        let waiters = Arc::new(Waiters::default());
        let notices = Notices::listen(client, format!("{prefix}:changed"), Arc::clone(&waiters)).await?;
        Ok(Self { connection, clock, waiters, scripts: Scripts::new(), prefix, _notices: notices })
    }

    /// The time by another clock; Redis's own where there is none.
    fn now(&self) -> i64 {
        self.clock.as_deref().map_or(-1, |clock| i64::try_from(millis(clock.now())).unwrap_or(i64::MAX))
    }

    async fn run(&self, invocation: &ScriptInvocation<'_>) -> Result<Answer, StoreError> {
        let mut connection = self.connection.clone();
        let value: Value = invocation.invoke_async(&mut connection).await.map_err(failed)?;
        Answer::read(value)
    }

    /// A script about one entry. All scripts get the prefix and the time first.
    fn about<'s>(&self, script: &'s ::redis::Script, key: &str) -> ScriptInvocation<'s> {
        let mut invocation = script.prepare_invoke();
        invocation.key(format!("{}:e:{key}", self.prefix)).arg(&self.prefix).arg(self.now()).arg(key);
        invocation
    }

    async fn find(&self, key: &str, touch: bool) -> Result<Option<Entry>, StoreError> {
        check_key(key)?;
        let mut invocation = self.about(&self.scripts.find, key);
        self.run(invocation.arg(u8::from(touch))).await?.found(key)
    }
}

/// A lifetime as scripts take it: both durations in milliseconds, or -1.
fn lifetime(lifetime: Lifetime) -> [i64; 2] {
    let millis = |of: Option<Duration>| of.map_or(-1, |of| i64::try_from(span(of)).unwrap_or(i64::MAX));
    [millis(lifetime.total()), millis(lifetime.idle())]
}

impl fmt::Debug for RedisStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisStore").field("prefix", &self.prefix).finish_non_exhaustive()
    }
}

impl Store for RedisStore {
    fn create<'a>(&'a self, key: &'a str, new: NewEntry) -> Working<'a, Created> {
        Box::pin(async move {
            check_new(key, &new)?;
            let mut invocation = self.about(&self.scripts.create, key);
            invocation.arg(&*new.value).arg(lifetime(new.lifetime).as_slice()).arg(FREED_ON_CREATE);
            // A flag apart: an owner may be empty.
            invocation.arg(u8::from(new.owner.is_some())).arg(new.owner.as_deref().unwrap_or_default());
            self.run(&invocation).await?.created(key)
        })
    }

    fn get<'a>(&'a self, key: &'a str) -> Working<'a, Option<Entry>> {
        Box::pin(self.find(key, false))
    }

    fn touch<'a>(&'a self, key: &'a str) -> Working<'a, Option<Entry>> {
        Box::pin(self.find(key, true))
    }

    fn compare_and_set<'a>(&'a self, key: &'a str, expected: Version, set: Set) -> Working<'a, Outcome> {
        Box::pin(async move {
            check_key(key)?;
            check_value(&set.value)?;
            let mut invocation = self.about(&self.scripts.set, key);
            invocation.arg(u64::from(expected)).arg(&*set.value).arg(u8::from(set.lifetime.is_some()));
            invocation.arg(lifetime(set.lifetime.unwrap_or_default()).as_slice());
            self.run(&invocation).await?.outcome(key)
        })
    }

    fn delete<'a>(&'a self, key: &'a str, expected: Option<Version>) -> Working<'a, Outcome> {
        Box::pin(async move {
            check_key(key)?;
            let mut invocation = self.about(&self.scripts.delete, key);
            invocation.arg(expected.map_or(String::new(), |expected| expected.to_string()));
            self.run(&invocation).await?.outcome(key)
        })
    }

    fn list<'a>(&'a self, owner: &'a str, from: Option<Cursor>, at_most: usize) -> Working<'a, Page> {
        Box::pin(async move {
            check_owner(owner)?;
            let mut invocation = self.scripts.list.prepare_invoke();
            invocation.key(format!("{}:o:{owner}", self.prefix)).arg(&self.prefix).arg(self.now()).arg(owner);
            let from = from.map_or("+inf".to_owned(), |from| format!("({}", u64::from(from)));
            invocation.arg(from).arg(at_most.clamp(1, MAX_PAGE));
            self.run(&invocation).await?.page()
        })
    }

    fn watch<'a>(&'a self, key: &'a str, since: Version, at_most: Duration) -> Working<'a, Watched> {
        let clock = self.clock.as_deref().unwrap_or(&SystemClock);
        Box::pin(self.waiters.watch(self, clock, key, since, at_most))
    }

    fn expire(&self, at_most: usize) -> Working<'_, usize> {
        Box::pin(async move {
            let mut freed = 0;
            while freed < at_most {
                let mut invocation = self.scripts.expire.prepare_invoke();
                invocation.key(format!("{}:x", self.prefix)).arg(&self.prefix).arg(self.now());
                // A few at a time: a script keeps Redis from everything else.
                let now = self.run(invocation.arg((at_most - freed).min(256))).await?.count()?;
                if now == 0 {
                    break;
                }
                freed += now;
            }
            Ok(freed)
        })
    }
}
