//! The calls of all accounts: placed, told of, waited for, ended, listed. Every change goes through the store, and nothing
//! of a call is kept anywhere else, so that any process can answer for it.

use std::sync::Arc;
use std::time::Duration;

use haft::store::{Lifetime, Store};
use haft::{By, Handle, HandlePage, Handled, Handles, IntoToolError, Made, ToolError};
use tokio::time::Instant;

use crate::accounts::Account;
use crate::call::{Call, Heard, Outcome, Status, Wanted};
use crate::clock::Clock;
use crate::provider::{Doing, Listener, Notice, Order, Provider, Told};
use crate::refusal::Refusal;
use crate::rules::{Rules, disclosure};
use crate::webhook::Webhook;
use crate::workers::Worker;

impl Handled for Call {
    const PREFIX: &'static str = "call";
    const LIFETIME: Lifetime = Lifetime::after(Duration::from_secs(30 * 86_400));
    const RECOVER: &'static str = "Use list_calls to find the user's calls of the last 30 days.";
}

/// How long one step of following a call waits for a change.
const FOLLOWED: Duration = Duration::from_secs(60);

/// What all of it needs.
pub(crate) struct Calls {
    pub(crate) handles: Handles<Call>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) rules: Rules,
    pub(crate) provider: Arc<dyn Provider>,
    pub(crate) worker: Worker,
    pub(crate) clock: Clock,
    /// How the provider tells what happens; directly, unless it is elsewhere.
    pub(crate) webhook: Option<Arc<Webhook>>,
}

impl Calls {
    /// Places a call, or finds the one that this caller placed under this key before.
    pub(crate) async fn place(
        self: &Arc<Self>,
        by: By<'_>,
        account: &Account,
        wanted: Wanted,
        once: Option<&str>,
    ) -> Result<Handle<Call>, ToolError> {
        let call = Call::new(&wanted, disclosure(&account.on_behalf_of), self.worker.id(), self.clock.now());
        // Before anything is dialed: whoever dies from here on leaves a call that somebody finds.
        let handle = match self.handles.create_once(by, once, &call).await? {
            Made::New(handle) => handle,
            Made::Again(handle) if handle.value.is_for(&wanted) => return Ok(handle),
            Made::Again(handle) => return Err(Refusal::OtherArguments { call_id: handle.id }.into_tool_error()),
        };
        self.worker.begin(&handle.id).await?;
        if let Err(refusal) = self.rules.admit(&*self.store, &account.id, &wanted.to, self.clock).await {
            self.handles.take(By::SERVER, &handle.id).await?;
            self.worker.done(&handle.id).await?;
            return Err(refusal.into_tool_error());
        }
        let order = Order {
            call_id: handle.id.clone(),
            to: wanted.to,
            opening: call.disclosure,
            objective: wanted.objective,
            longest: Duration::from_secs(60 * u64::from(wanted.max_minutes)),
        };
        if self.provider.dial(order, self.listener()).await.is_err() {
            self.finish(&handle.id, Outcome::Failed).await?;
            return Err(Refusal::Provider { call_id: handle.id }.into_tool_error());
        }
        Ok(handle)
    }

    fn listener(self: &Arc<Self>) -> Arc<dyn Listener> {
        match &self.webhook {
            Some(webhook) => Arc::clone(webhook) as _,
            None => Arc::clone(self) as _,
        }
    }

    /// The call once its status isn't `seen` any more (or, if that is none, what it is now), once it is over, or when the
    /// time is.
    pub(crate) async fn wait(
        &self,
        by: By<'_>,
        id: &str,
        seen: Option<Status>,
        at_most: Duration,
    ) -> Result<Handle<Call>, ToolError> {
        let end = Instant::now() + at_most;
        let mut handle = self.settled(self.handles.get(by, id).await?).await?;
        let seen = seen.unwrap_or(handle.value.status);
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if handle.value.is_over() || handle.value.status != seen || left.is_zero() {
                return Ok(handle);
            }
            handle = self.handles.wait_change(by, id, handle.version, left).await?;
        }
    }

    /// The call once it is over. `tell` hears on the way how far it is.
    pub(crate) async fn follow(
        &self,
        by: By<'_>,
        mut handle: Handle<Call>,
        tell: impl Fn(&str) + Send,
    ) -> Result<Handle<Call>, ToolError> {
        while !handle.value.is_over() {
            tell(&format!("{} is {}.", handle.id, handle.value.state()));
            handle = self.wait(by, &handle.id, Some(handle.value.status), FOLLOWED).await?;
        }
        Ok(handle)
    }

    /// Ends a call. One that is over stays as it is.
    pub(crate) async fn end(&self, by: By<'_>, id: &str) -> Result<Handle<Call>, ToolError> {
        // Whose it is, first: what follows is the server's own doing.
        self.handles.get(by, id).await?;
        self.finish(id, Outcome::Canceled).await
    }

    /// The caller's calls, newest first.
    pub(crate) async fn list(
        &self,
        by: By<'_>,
        cursor: Option<&str>,
        at_most: usize,
    ) -> Result<HandlePage<Call>, ToolError> {
        let mut page = self.handles.list(by, cursor, at_most).await?;
        for handle in &mut page.handles {
            *handle = self.settled(handle.clone()).await?;
        }
        Ok(page)
    }

    /// The call, ended if nobody leads it any more or it should have been over for long.
    pub(crate) async fn settled(&self, handle: Handle<Call>) -> Result<Handle<Call>, ToolError> {
        let call = &handle.value;
        if call.is_over() {
            return Ok(handle);
        }
        if call.is_overdue(self.clock.now()) {
            let outcome = if call.answered_at.is_some() { Outcome::TimeLimit } else { Outcome::Failed };
            return self.finish(&handle.id, outcome).await;
        }
        if self.worker.has_lost(&handle.id, &call.led_by).await? {
            tracing::info!(call = handle.id, "a call is ended: the process that led it is gone");
            return self.finish(&handle.id, Outcome::Interrupted).await;
        }
        Ok(handle)
    }

    /// Takes what the provider tells.
    ///
    /// # Errors
    /// Where it could not be written down, and has to be told again.
    pub(crate) async fn hear(&self, notice: &Notice) -> Result<Told, ToolError> {
        let (id, now) = (&notice.call_id, self.clock.now());
        let mut heard = Heard::Nothing;
        let changed = self.handles.update(By::SERVER, id, |call| {
            heard = call.hear(notice.number, notice.event.clone(), now);
            Ok(())
        });
        let call = match changed.await {
            Ok(handle) => handle.value,
            // What a model could read isn't a failure of the store: there is no such call.
            Err(error) if error.text().is_some() => return Ok(Told::HangUp),
            Err(error) => return Err(error),
        };
        if call.is_over() {
            // Before the notice counts as taken: if this fails, it is told again.
            if call.outcome == Outcome::OptedOut {
                self.rules.opt_out(&call.to).await?;
            }
            self.worker.done(id).await?;
        }
        Ok(if heard == Heard::HangUp { Told::HangUp } else { Told::GoOn })
    }

    /// Ends a call, whosever it is, unless it is over.
    pub(crate) async fn finish(&self, id: &str, outcome: Outcome) -> Result<Handle<Call>, ToolError> {
        let now = self.clock.now();
        let end = |call: &mut Call| {
            call.end(outcome, now);
            Ok(())
        };
        let handle = self.handles.update(By::SERVER, id, end).await?;
        self.provider.hang_up(id).await;
        self.worker.done(id).await?;
        Ok(handle)
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
