//! Values that outlive a request: owned, versioned, watched and expiring.
//!
//! A [`Store`] keeps bytes under keys. Each entry has a [`Version`] that changes with it, maybe an owner by which it is
//! listed, and a [`Lifetime`]. Whoever waits for a change [watches](Store::watch). [`MemoryStore`] ends with the process.
#![cfg_attr(feature = "redb", doc = "[`RedbStore`] is a file, which survives it.")]
#![cfg_attr(feature = "redis", doc = "[`RedisStore`] is for several processes.")]
//!
//! ```
//! use std::time::Duration;
//!
//! use haft_store::{Created, Lifetime, MemoryStore, NewEntry, Outcome, Set, Store, Watched};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), haft_store::StoreError> {
//! let store = MemoryStore::new();
//! let new = NewEntry::new("ringing").owner("ada").lifetime(Lifetime::after(Duration::from_secs(3600)));
//! let Created::New(call) = store.create("call_7", new).await? else { unreachable!("nobody else has this key") };
//!
//! let Outcome::Done(answered) = store.compare_and_set("call_7", call.version, Set::new("answered")).await? else {
//!     unreachable!("nobody else changes it");
//! };
//! let seen = store.watch("call_7", call.version, Duration::from_secs(30)).await?;
//! assert_eq!(seen, Watched::Changed(answered.clone()));
//! assert_eq!(store.list("ada", None, 10).await?.entries, [answered]);
//! # Ok(())
//! # }
//! ```
//!
//! # A lease
//!
//! Who may work on something is an entry with a lifetime: [`create`](Store::create) takes the lease,
//! [`compare_and_set`](Store::compare_and_set) with [`Set::lifetime`] renews it, [`delete`](Store::delete) with its version
//! gives it back, and it expires when its holder dies. A version is never used twice, so a holder that was too slow gets
//! [`Outcome::Conflict`] or [`Outcome::Gone`], whoever has the lease by then.

mod clock;
mod entry;
mod error;
mod lifetime;
mod memory;
mod record;
#[cfg(feature = "redb")]
mod redb;
#[cfg(feature = "redis")]
mod redis;
mod store;
#[cfg(feature = "suite")]
pub mod suite;
mod waiters;

pub use clock::{Clock, ManualClock, SystemClock};
pub use entry::{Created, Cursor, Entry, NewEntry, Outcome, Page, Set, Version, Watched};
pub use error::{StoreError, StoreErrorKind};
pub use lifetime::Lifetime;
pub use memory::MemoryStore;
#[cfg(feature = "redb")]
pub use redb::RedbStore;
#[cfg(feature = "redis")]
pub use redis::RedisStore;
pub use store::{MAX_KEY, MAX_OWNER, MAX_PAGE, MAX_VALUE, MAX_WAIT, Store, Working};
