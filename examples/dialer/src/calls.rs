//! The calls of all accounts: placed, told of, waited for, ended, listed. Every change goes through the store, and nothing
//! of a call is kept anywhere else, so that any process can answer for it.

use std::sync::Arc;
use std::time::Duration;

use haft_store::{
    Created, Cursor, Entry, Lifetime, NewEntry, Outcome as Stored, Set, Store, StoreError, StoreErrorKind,
};
use tokio::time::Instant;

use crate::accounts::Account;
use crate::call::{Call, Heard, Outcome, Status, Wanted};
use crate::clock::Clock;
use crate::provider::{Doing, Listener, Notice, Order, Provider, Told};
use crate::refusal::Refusal;
use crate::rules::{Rules, disclosure};
use crate::webhook::Webhook;
use crate::workers::Worker;

/// For how long a call is kept after it was placed. The tools' descriptions say so.
const KEPT: Lifetime = Lifetime::after(Duration::from_secs(30 * 86_400));
/// For how long a repeated request finds the call of the first.
const REPEATS: Lifetime = Lifetime::after(Duration::from_secs(86_400));
/// How often a change is tried while others change the same call.
const ATTEMPTS: usize = 64;

/// A call and its id.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub(crate) id: String,
    pub(crate) call: Call,
}

/// Some calls of an account, newest first.
#[derive(Debug)]
pub(crate) struct CallPage {
    pub(crate) calls: Vec<Known>,
    pub(crate) next: Option<String>,
}

/// What all of it needs.
pub(crate) struct Calls {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) rules: Rules,
    pub(crate) provider: Arc<dyn Provider>,
    pub(crate) worker: Worker,
    pub(crate) clock: Clock,
    /// How the provider tells what happens; directly, unless it is elsewhere.
    pub(crate) webhook: Option<Arc<Webhook>>,
}

impl Calls {
    /// Places a call, or finds the one that was placed under this key before.
    pub(crate) async fn place(
        self: &Arc<Self>,
        account: &Account,
        wanted: Wanted,
        once: Option<&str>,
    ) -> Result<Known, Refusal> {
        let once = once.map(|key| format!("once:{}:{key}", account.id));
        if let Some(once) = &once
            && let Some(entry) = self.store.get(once).await?
        {
            return self.placed_before(account, &wanted, &entry).await;
        }
        self.rules.admit(&*self.store, &account.id, &wanted.to, self.clock).await?;
        let known = self.write_down(account, &wanted).await.map_err(placing)?;
        if let Some(once) = &once {
            let new = NewEntry::new(&known.id).lifetime(REPEATS);
            if let Created::Taken(entry) = self.store.create(once, new).await.map_err(placing)? {
                // Somebody was faster: this one was never dialed.
                let _ = self.store.delete(&key(&known.id), None).await?;
                self.worker.done(&known.id).await?;
                return self.placed_before(account, &wanted, &entry).await;
            }
        }
        let order = Order {
            call_id: known.id.clone(),
            to: wanted.to,
            opening: known.call.disclosure.clone(),
            objective: wanted.objective,
            longest: Duration::from_secs(60 * u64::from(wanted.max_minutes)),
        };
        if self.provider.dial(order, self.listener()).await.is_err() {
            self.finish(&known.id, Outcome::Failed).await.map_err(placing)?;
            return Err(Refusal::Provider { call_id: known.id });
        }
        Ok(known)
    }

    /// Before anything is dialed: whoever dies from here on leaves a call that somebody finds.
    async fn write_down(&self, account: &Account, wanted: &Wanted) -> Result<Known, StoreError> {
        let id = new_id()?;
        let call = Call {
            account: account.id.clone(),
            to: wanted.to.clone(),
            objective: wanted.objective.clone(),
            max_minutes: wanted.max_minutes,
            disclosure: disclosure(&account.on_behalf_of),
            listen_url: format!("https://listen.dialer.example/{id}"),
            status: Status::Dialing,
            outcome: Outcome::Pending,
            placed_at: self.clock.now(),
            answered_at: None,
            ended_at: None,
            transcript: Vec::new(),
            heard: 0,
        };
        self.worker.begin(&id).await?;
        let new = NewEntry::new(written(&call)?).owner(owner(&account.id)).lifetime(KEPT);
        // The id was drawn from 130 bits: it isn't taken.
        let _ = self.store.create(&key(&id), new).await?;
        Ok(Known { id, call })
    }

    async fn placed_before(&self, account: &Account, wanted: &Wanted, entry: &Entry) -> Result<Known, Refusal> {
        let id = String::from_utf8_lossy(&entry.value).into_owned();
        let (known, _) = self.find(&account.id, &id).await?;
        let call = &known.call;
        let same = (&call.to, &call.objective, call.max_minutes) == (&wanted.to, &wanted.objective, wanted.max_minutes);
        if same { Ok(known) } else { Err(Refusal::OtherArguments { call_id: known.id }) }
    }

    fn listener(self: &Arc<Self>) -> Arc<dyn Listener> {
        match &self.webhook {
            Some(webhook) => Arc::clone(webhook) as _,
            None => Arc::clone(self) as _,
        }
    }

    /// A call of this account. One of another reads like none.
    async fn find(&self, account: &str, id: &str) -> Result<(Known, Entry), Refusal> {
        let entry = self.store.get(&key(id)).await?.ok_or(Refusal::NotFound)?;
        let call = read(&entry)?;
        if call.account != account {
            return Err(Refusal::NotFound);
        }
        Ok((Known { id: id.to_owned(), call }, entry))
    }

    /// The call once its status isn't `seen` any more (or, if that is none, what it is now), once it is over, or when the
    /// time is.
    pub(crate) async fn wait(
        &self,
        account: &str,
        id: &str,
        seen: Option<Status>,
        at_most: Duration,
    ) -> Result<Known, Refusal> {
        let end = Instant::now() + at_most;
        let (mut known, mut entry) = self.find(account, id).await?;
        let seen = seen.unwrap_or(known.call.status);
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if known.call.is_over() || known.call.status != seen || left.is_zero() {
                return Ok(known);
            }
            entry = match self.store.watch(&key(id), entry.version, left).await? {
                haft_store::Watched::Changed(entry) | haft_store::Watched::Unchanged(entry) => entry,
                haft_store::Watched::Gone => return Err(Refusal::NotFound),
            };
            known.call = read(&entry)?;
        }
    }

    /// Ends a call of this account. One that is over stays as it is.
    pub(crate) async fn end(&self, account: &str, id: &str) -> Result<Known, Refusal> {
        let (known, _) = self.find(account, id).await?;
        let ended = self.finish(id, Outcome::Canceled).await?;
        Ok(Known { id: known.id, call: ended.ok_or(Refusal::NotFound)? })
    }

    /// Calls of this account, newest first.
    pub(crate) async fn list(&self, account: &str, cursor: Option<&str>, at_most: usize) -> Result<CallPage, Refusal> {
        let from = match cursor {
            None => None,
            Some(cursor) => Some(Cursor::from(cursor.parse::<u64>().map_err(|_| Refusal::Cursor)?)),
        };
        let page = self.store.list(&owner(account), from, at_most).await?;
        let calls = page.entries.iter().map(|entry| {
            let id = entry.key.strip_prefix(KEY).unwrap_or(&entry.key).to_owned();
            Ok(Known { id, call: read(entry)? })
        });
        let calls = calls.collect::<Result<_, StoreError>>()?;
        Ok(CallPage { calls, next: page.next.map(|cursor| u64::from(cursor).to_string()) })
    }

    /// Takes what the provider tells.
    pub(crate) async fn hear(&self, notice: &Notice) -> Result<Told, StoreError> {
        let now = self.clock.now();
        let id = &notice.call_id;
        let mut heard = Heard::Nothing;
        let hear = |call: &mut Call| heard = call.hear(notice.number, notice.event.clone(), now);
        let Some(call) = self.change(id, hear).await? else { return Ok(Told::HangUp) };
        if call.is_over() {
            // Before the notice counts as taken: if this fails, it is told again.
            if call.outcome == Outcome::OptedOut {
                self.rules.opt_out(&call.to).await?;
            }
            self.worker.done(id).await?;
        }
        Ok(if heard == Heard::HangUp { Told::HangUp } else { Told::GoOn })
    }

    /// Ends a call, unless it is over. It as it is then, if it is there.
    pub(crate) async fn finish(&self, id: &str, outcome: Outcome) -> Result<Option<Call>, StoreError> {
        let now = self.clock.now();
        let call = self.change(id, |call| call.end(outcome, now)).await?;
        self.provider.hang_up(id).await;
        self.worker.done(id).await?;
        Ok(call)
    }

    /// A call, whosever it is.
    pub(crate) async fn peek(&self, id: &str) -> Result<Option<Call>, StoreError> {
        self.store.get(&key(id)).await?.as_ref().map(read).transpose()
    }

    /// Changes a call, again and again until nobody else did so meanwhile. It as it is then, if it is there.
    async fn change(&self, id: &str, mut change: impl FnMut(&mut Call)) -> Result<Option<Call>, StoreError> {
        let key = key(id);
        let Some(mut entry) = self.store.get(&key).await? else { return Ok(None) };
        for _ in 0..ATTEMPTS {
            let before = read(&entry)?;
            let mut call = before.clone();
            change(&mut call);
            if call == before {
                return Ok(Some(call));
            }
            entry = match self.store.compare_and_set(&key, entry.version, Set::new(written(&call)?)).await? {
                Stored::Done(_) => return Ok(Some(call)),
                Stored::Conflict(entry) => entry,
                Stored::Gone => return Ok(None),
            };
        }
        Err(StoreError::new(StoreErrorKind::Unavailable, "too many changes of one call at once"))
    }
}

impl Listener for Calls {
    fn tell<'a>(&'a self, notice: &'a Notice) -> Doing<'a, Told> {
        Box::pin(async move {
            self.hear(notice).await.unwrap_or_else(|error| {
                tracing::warn!(%error, call = notice.call_id, "an event could not be written down yet");
                Told::Again
            })
        })
    }
}

const KEY: &str = "call:";

fn key(id: &str) -> String {
    format!("{KEY}{id}")
}

fn owner(account: &str) -> String {
    format!("calls:{account}")
}

/// From 130 bits of the system's: nobody guesses one.
fn new_id() -> Result<String, StoreError> {
    Ok(format!("call_{}", random()?))
}

/// 26 characters of base 32.
pub(crate) fn random() -> Result<String, StoreError> {
    let mut bytes = [0; 17];
    getrandom::fill(&mut bytes).map_err(|error| {
        StoreError::new(StoreErrorKind::Failed, format!("the system gives no random bytes: {error}"))
    })?;
    let mut text = data_encoding::BASE32_NOPAD.encode(&bytes).to_ascii_lowercase();
    text.truncate(26);
    Ok(text)
}

fn placing(error: StoreError) -> Refusal {
    Refusal::Store { error, placing: true }
}

fn written(call: &Call) -> Result<Vec<u8>, StoreError> {
    serde_json::to_vec(call)
        .map_err(|error| StoreError::new(StoreErrorKind::Failed, "a call can't be written").with_source(error))
}

fn read(entry: &Entry) -> Result<Call, StoreError> {
    serde_json::from_slice(&entry.value).map_err(|error| {
        StoreError::new(StoreErrorKind::Corrupt, format!("{} can't be read", entry.key)).with_source(error)
    })
}
