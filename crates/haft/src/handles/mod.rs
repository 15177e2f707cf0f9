//! Long work and other state that outlives a call, behind ids that tools return.

mod by;
mod id;
mod lifetime;
mod list;
mod once;
mod stored;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use haft_store::{Created, Lifetime, NewEntry, Outcome, Set, Store, StoreError, StoreErrorKind, Watched};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::time::Instant;

pub use by::By;
pub(crate) use id::digest;
pub use lifetime::sentence;
pub use list::HandlePage;
pub use once::{IDEMPOTENCY_KEY, Made};

use crate::error::ToolError;
use stored::Stored;

/// What handles of one kind stand for, such as a phone call.
///
/// ```
/// use std::time::Duration;
///
/// use haft::store::Lifetime;
/// use haft::{Handled, prelude::*};
///
/// #[derive(Serialize, Deserialize)]
/// struct Call {
///     number: String,
///     ended: bool,
/// }
///
/// impl Handled for Call {
///     const PREFIX: &'static str = "call";
///     const LIFETIME: Lifetime = Lifetime::after(Duration::from_secs(7 * 86_400));
///     const RECOVER: &'static str = "Use list_calls to find the id, or place_call to start another.";
/// }
/// # assert_eq!(Call::PREFIX, "call");
/// ```
#[diagnostic::on_unimplemented(
    message = "handles can't stand for `{Self}`",
    note = "implement `haft::Handled` for `{Self}`: it says what their ids begin with and how long they are good"
)]
pub trait Handled: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// What its ids begin with, before a `_`: from 1 to 32 lower-case ASCII letters and digits, a letter first. Two kinds in one
    /// store have different ones. Anything else doesn't compile.
    const PREFIX: &'static str;

    /// How long a handle is good. Tools that create one publish it: `#[tool(handle = …)]`,
    /// [`ToolBuilder::handle`](crate::ToolBuilder::handle).
    const LIFETIME: Lifetime;

    /// What a model reads behind "There is no such call, or no longer.": how to find the id, or what to do without.
    const RECOVER: &'static str;
}

/// Handles of one kind: values in a [`Store`], each under an id that nobody can guess. Cloning is cheap.
///
/// An id belongs to whoever created it ([`By`]). One that is unknown, somebody else's or expired gets the same
/// [`ToolError`], with the code `unknown_handle`. Anonymous callers share no identity: whoever of them has an id may use
/// it, and they have no lists.
///
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// use haft::store::{Lifetime, MemoryStore};
/// use haft::{Handled, Handles, prelude::*};
///
/// #[derive(Serialize, Deserialize, JsonSchema)]
/// struct Call {
///     number: String,
///     ended: bool,
/// }
///
/// impl Handled for Call {
///     const PREFIX: &'static str = "call";
///     const LIFETIME: Lifetime = Lifetime::after(Duration::from_secs(7 * 86_400)).unused(Duration::from_secs(86_400));
///     const RECOVER: &'static str = "Use place_call to start another.";
/// }
///
/// struct Phone {
///     calls: Handles<Call>,
/// }
///
/// #[toolset]
/// impl Phone {
///     /// Use this to call somebody. Returns the call's id at once.
///     #[tool(destructive, open_world, handle = Call)]
///     async fn place_call(&self, number: String, ctx: Context) -> Result<String, ToolError> {
///         let call = self.calls.create(&ctx, &Call { number, ended: false }).await?;
///         Ok(call.id)
///     }
///
///     /// Use this to see how a call goes. Returns as soon as something changes after `since`, or after 50 seconds.
///     #[tool(read_only, closed_world)]
///     async fn get_call(&self, call_id: String, since: u64, ctx: Context) -> Result<Call, ToolError> {
///         Ok(self.calls.wait_change(&ctx, &call_id, since, Duration::from_secs(50)).await?.value)
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let phone = Phone { calls: Handles::new(Arc::new(MemoryStore::new())) };
/// let server = Server::new("phone", "1.0.0").tools(phone).build()?;
/// let placed = server.call_tool("place_call", serde_json::json!({"number": "+4712345678"})).await?;
/// assert!(placed.text().starts_with("call_"));
/// let unknown = server.call_tool("get_call", serde_json::json!({"call_id": "call_7", "since": 0})).await?;
/// assert_eq!(unknown.text(), "There is no such call, or no longer. Use place_call to start another.");
/// # Ok(())
/// # }
/// ```
pub struct Handles<T> {
    store: Arc<dyn Store>,
    kind: PhantomData<fn() -> T>,
}

/// One handle, as it was at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Handle<T> {
    /// The id, to give to the model.
    pub id: String,
    /// How often its value was set: 1 when it was created.
    pub version: u64,
    /// The value.
    pub value: T,
    /// When it was created.
    pub created: SystemTime,
    /// When it ends, unless it is used before and its lifetime depends on that.
    pub expires: Option<SystemTime>,
}

/// How [`Handles::replace`] went.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Replaced<T> {
    /// The value is set: the handle as it is now.
    Done(Handle<T>),
    /// Nothing is set: the handle has changed meanwhile, to this.
    Conflict(Handle<T>),
}

/// How often an update is tried against others before it gives up.
const MOST_TRIES: usize = 100;

impl<T: Handled> Handles<T> {
    /// Handles in this store, which may hold other things as well.
    pub fn new(store: Arc<dyn Store>) -> Self {
        const { assert!(id::is_prefix(T::PREFIX), "a prefix has from 1 to 32 of a-z and 0-9, and begins with a letter") };
        Self { store, kind: PhantomData }
    }

    /// Keeps a value under a new id.
    ///
    /// # Errors
    /// Internal, when the store fails.
    pub async fn create<'a>(&self, by: impl Into<By<'a>>, value: &T) -> Result<Handle<T>, ToolError> {
        let bytes = stored::encode(1, value)?;
        let id = id::new(T::PREFIX)?;
        let mut new = NewEntry::new(bytes).lifetime(T::LIFETIME);
        if let Some(owner) = by.into().owner(T::PREFIX) {
            new = new.owner(owner);
        }
        match self.store.create(&id::key(&id), new).await.map_err(failed)? {
            Created::New(entry) => Ok(Stored::read(id, entry)?.handle),
            Created::Taken(_) => Err(ToolError::internal("two handles got one id: the system's random numbers repeat")),
        }
    }

    /// The handle; a use of it.
    ///
    /// # Errors
    /// For the model where there is no such handle; internal, when the store fails.
    pub async fn get<'a>(&self, by: impl Into<By<'a>>, id: &str) -> Result<Handle<T>, ToolError> {
        Ok(self.find(by.into(), id).await?.handle)
    }

    /// The handle as soon as it has another version than this one, or as it is after so long (an hour at most). A use of it.
    ///
    /// Changes by other processes that share the store count as well. One who waits costs a task, no thread and no
    /// connection. With a version of 0 it answers at once.
    ///
    /// # Errors
    /// As [`Handles::get`]; also when the handle ends while this waits.
    pub async fn wait_change<'a>(
        &self,
        by: impl Into<By<'a>>,
        id: &str,
        since_version: u64,
        at_most: Duration,
    ) -> Result<Handle<T>, ToolError> {
        let begun = Instant::now();
        let stored = self.find(by.into(), id).await?;
        if stored.handle.version != since_version {
            return Ok(stored.handle);
        }
        let left = at_most.saturating_sub(begun.elapsed());
        match self.store.watch(&id::key(id), stored.version, left).await.map_err(failed)? {
            Watched::Changed(entry) | Watched::Unchanged(entry) => Ok(Stored::read(id.to_owned(), entry)?.handle),
            Watched::Gone => Err(unknown::<T>()),
        }
    }

    /// Changes the value by a function, which is run again on the newer value where somebody else was faster. A use of it.
    /// A function that changes nothing writes nothing, and wakes nobody.
    ///
    /// ```
    /// # use haft::{By, Handle, Handled, Handles, ToolError, store::Lifetime};
    /// # #[derive(serde::Serialize, serde::Deserialize)]
    /// # struct Call { ended: bool }
    /// # impl Handled for Call {
    /// #     const PREFIX: &'static str = "call";
    /// #     const LIFETIME: Lifetime = Lifetime::FOREVER;
    /// #     const RECOVER: &'static str = "";
    /// # }
    /// async fn end(calls: &Handles<Call>, by: By<'_>, id: &str) -> Result<Handle<Call>, ToolError> {
    ///     calls
    ///         .update(by, id, |call| {
    ///             if call.ended {
    ///                 return Err(ToolError::new("The call has ended already."));
    ///             }
    ///             call.ended = true;
    ///             Ok(())
    ///         })
    ///         .await
    /// }
    /// # let _ = end;
    /// ```
    ///
    /// # Errors
    /// As [`Handles::get`]; the function's own, and then nothing is changed.
    pub async fn update<'a>(
        &self,
        by: impl Into<By<'a>>,
        id: &str,
        mut change: impl FnMut(&mut T) -> Result<(), ToolError> + Send,
    ) -> Result<Handle<T>, ToolError> {
        let mut stored = self.find(by.into(), id).await?;
        for _ in 0..MOST_TRIES {
            let before = stored::encode(stored.handle.version, &stored.handle.value)?;
            change(&mut stored.handle.value)?;
            if stored::encode(stored.handle.version, &stored.handle.value)? == before {
                return Ok(stored.handle);
            }
            match self.set(&stored).await? {
                Ok(handle) => return Ok(handle),
                Err(newer) => stored = newer,
            }
        }
        let message = format!("{MOST_TRIES} attempts to update a {} met as many changes by others", T::PREFIX);
        Err(ToolError::internal(message).retry(true))
    }

    /// Sets the value, if the handle still has the version that it has here: compare and set. A use of it.
    ///
    /// # Errors
    /// As [`Handles::get`].
    pub async fn replace<'a>(&self, by: impl Into<By<'a>>, handle: Handle<T>) -> Result<Replaced<T>, ToolError> {
        let there = self.find(by.into(), &handle.id).await?;
        if there.handle.version != handle.version {
            return Ok(Replaced::Conflict(there.handle));
        }
        Ok(match self.set(&Stored { version: there.version, handle }).await? {
            Ok(handle) => Replaced::Done(handle),
            Err(newer) => Replaced::Conflict(newer.handle),
        })
    }

    /// Ends the handle and gives its value to whoever asked first: of any number at once, one.
    ///
    /// # Errors
    /// As [`Handles::get`].
    pub async fn take<'a>(&self, by: impl Into<By<'a>>, id: &str) -> Result<Handle<T>, ToolError> {
        self.find(by.into(), id).await?;
        // Owners never change, so nothing that was checked can differ.
        let entry = self.store.take(&id::key(id)).await.map_err(failed)?.ok_or_else(unknown::<T>)?;
        Ok(Stored::read(id.to_owned(), entry)?.handle)
    }

    async fn find(&self, by: By<'_>, id: &str) -> Result<Stored<T>, ToolError> {
        if !id::is_id(T::PREFIX, id) {
            return Err(unknown::<T>());
        }
        let key = id::key(id);
        // Looked at before it is used: nobody prolongs what is somebody else's.
        let entry = self.store.get(&key).await.map_err(failed)?;
        if !entry.is_some_and(|entry| by.may_use(T::PREFIX, entry.owner.as_deref())) {
            return Err(unknown::<T>());
        }
        let entry = self.store.touch(&key).await.map_err(failed)?.ok_or_else(unknown::<T>)?;
        Stored::read(id.to_owned(), entry)
    }

    /// Sets the value, or gives what is there instead.
    async fn set(&self, stored: &Stored<T>) -> Result<Result<Handle<T>, Stored<T>>, ToolError> {
        let Stored { handle, version } = stored;
        let bytes = stored::encode(handle.version.saturating_add(1), &handle.value)?;
        let outcome = self.store.compare_and_set(&id::key(&handle.id), *version, Set::new(bytes)).await;
        match outcome.map_err(failed)? {
            Outcome::Done(entry) => Ok(Ok(Stored::read(handle.id.clone(), entry)?.handle)),
            Outcome::Conflict(entry) => Ok(Err(Stored::read(handle.id.clone(), entry)?)),
            Outcome::Gone => Err(unknown::<T>()),
        }
    }
}

impl<T> Clone for Handles<T> {
    fn clone(&self) -> Self {
        Self { store: Arc::clone(&self.store), kind: PhantomData }
    }
}

impl<T: Handled> fmt::Debug for Handles<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handles").field("prefix", &T::PREFIX).finish_non_exhaustive()
    }
}

/// What the model reads of an id that is unknown, somebody else's or expired.
fn unknown<T: Handled>() -> ToolError {
    let text = format!("There is no such {}, or no longer. {}", T::PREFIX, T::RECOVER);
    ToolError::new(text.trim_end()).code("unknown_handle")
}

/// A failure of the store: the operator's, and passing where the store is out of reach.
fn failed(error: StoreError) -> ToolError {
    let passes = error.kind() == StoreErrorKind::Unavailable;
    ToolError::internal(error).retry(passes)
}
