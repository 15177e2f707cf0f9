//! What this server does not do, whoever asks: enforced here for every call, whatever a client was told or promised.
//!
//! The disclosure is a rule too. It is written into each call, and [`crate::call::Call::hear`] holds the provider to it.

mod opt_out;
mod rate;
mod window;

use std::sync::Arc;

use haft::store::{Store, StoreError};

use crate::clock::Clock;
use crate::number::PhoneNumber;
use crate::refusal::Refusal;
use crate::zones::Zones;
pub(crate) use opt_out::OptOuts;
pub(crate) use rate::Rate;

/// The rules of this server.
pub(crate) struct Rules {
    zones: Zones,
    rate: Rate,
    opt_outs: OptOuts,
}

impl Rules {
    /// The rules, kept in this store where they have to be remembered.
    ///
    /// # Errors
    /// Where the table of time zones can't be read.
    pub(crate) fn new(store: Arc<dyn Store>, rate: Rate, listed: Vec<PhoneNumber>) -> Result<Self, String> {
        Ok(Self { zones: Zones::new()?, rate, opt_outs: OptOuts::new(store, listed) })
    }

    /// Whether this account may call this number now. If so, it has called: the last rule counts.
    pub(crate) async fn admit(
        &self,
        store: &dyn Store,
        account: &str,
        to: &PhoneNumber,
        clock: Clock,
    ) -> Result<(), Refusal> {
        let zones = self.zones.of(to).ok_or_else(|| Refusal::Unsupported(to.clone()))?;
        if self.opt_outs.has(to).await? {
            return Err(Refusal::OptedOut(to.clone()));
        }
        window::check(to, zones, clock.now())?;
        self.rate.take(store, account, clock.now()).await
    }

    /// Never call this number again.
    pub(crate) async fn opt_out(&self, number: &PhoneNumber) -> Result<(), StoreError> {
        self.opt_outs.add(number).await
    }
}

/// What every call begins with.
pub(crate) fn disclosure(on_behalf_of: &str) -> String {
    format!("Hello, this is an automated assistant calling on behalf of {on_behalf_of}. This call is transcribed.")
}
