//! The telephone network, as far as this server knows it: somebody who dials, and tells what becomes of it.

mod plot;
mod simulated;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::call::Event;
use crate::number::PhoneNumber;
pub(crate) use simulated::Network;

/// A future of a provider's.
pub(crate) type Doing<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A call to be made.
#[derive(Debug, Clone)]
pub(crate) struct Order {
    /// The provider repeats it in each [`Notice`].
    pub(crate) call_id: String,
    pub(crate) to: PhoneNumber,
    /// What has to be said first, word for word.
    pub(crate) opening: String,
    pub(crate) objective: String,
    /// After so long on the line it hangs up.
    pub(crate) longest: Duration,
}

/// What a provider tells of a call: the body of a webhook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Notice {
    pub(crate) call_id: String,
    /// Counted from 1 in each call.
    pub(crate) number: u64,
    pub(crate) event: Event,
}

/// The provider did not take a call: nobody was called.
#[derive(Debug)]
pub(crate) struct NotDialed;

/// Whoever makes telephone calls.
///
/// It tells of each call's events in their order, each until it is taken, so maybe more than once. Some may never come: a
/// call that says nothing for too long is given up by `workers.rs`.
pub(crate) trait Provider: Send + Sync + 'static {
    /// Begins a call, and tells `to` what becomes of it from now on.
    fn dial(&self, order: Order, to: Arc<dyn Listener>) -> Doing<'_, Result<(), NotDialed>>;

    /// Hangs up, if there is such a call. One that another process has dialed hangs up when it next tells something.
    fn hang_up<'a>(&'a self, call_id: &'a str) -> Doing<'a, ()>;
}

/// What a provider's notice came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    /// Taken; the call goes on.
    GoOn,
    /// Taken; there is nothing more to tell: hang up.
    HangUp,
    /// Not taken. Tell it again.
    Again,
}

/// Where a provider tells what happens.
pub(crate) trait Listener: Send + Sync + 'static {
    fn tell<'a>(&'a self, notice: &'a Notice) -> Doing<'a, Told>;
}
