//! What calls of one tool may take: how often, how many at once, how long, how much.
//!
//! A call that goes beyond is answered with an error result that says so to the model, with when to try again, and to
//! programs by a code in `_meta` ([`ToolError::code`]).

mod allowance;
#[cfg(feature = "http")]
mod rate;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use haft_wire::CallToolResult;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

pub(super) use allowance::{Allowance, Pause};

use super::Principal;
use super::shared::Shared;
use crate::error::ToolError;
use crate::tool::{Cancel, Limits};

/// One call's place among those of its tool that may run at once. Whatever runs for the call holds it.
pub(crate) type Slot = Arc<OwnedSemaphorePermit>;

/// The limits of one tool, ready to be held against calls.
pub(crate) struct Limited {
    limits: Limits,
    #[cfg(feature = "http")]
    rate: Option<rate::Limiter>,
    slots: Option<Arc<Semaphore>>,
}

impl Limited {
    /// What a tool says of itself, and where it says nothing, what its server says of all.
    pub(super) fn new(tool: Limits, server: &Limits) -> Self {
        let limits = tool.or(server);
        let slots = limits.concurrency.map(|calls| Arc::new(Semaphore::new(calls.min(Semaphore::MAX_PERMITS))));
        Self {
            limits,
            #[cfg(feature = "http")]
            rate: limits.rate.and_then(rate::Limiter::new),
            slots,
        }
    }

    /// Counts a call of this caller.
    ///
    /// # Errors
    /// What the model reads when there were too many.
    #[cfg_attr(
        not(feature = "http"),
        expect(clippy::unused_self, reason = "other transports have no callers to count")
    )]
    pub(super) async fn admit(&self, shared: &Shared, tool: &str, principal: &Principal) -> Result<(), ToolError> {
        if matches!(principal, Principal::Local | Principal::Anonymous) {
            return Ok(());
        }
        #[cfg(feature = "http")]
        if let (Some(limiter), Some(rate)) = (&self.rate, self.limits.rate) {
            let identity = principal.identity();
            let counted = match shared.count((tool, &identity), rate, std::time::SystemTime::now()).await {
                Some(counted) => counted,
                None => limiter.check(identity.into_owned()),
            };
            counted.map_err(|wait| refusals::rate_limited(tool, rate, wait))?;
        }
        #[cfg(not(feature = "http"))]
        let _ = (shared, tool);
        Ok(())
    }

    /// A place to run in; none where there may be any number.
    ///
    /// # Errors
    /// What the model reads when all are taken: nothing waits for one.
    pub(super) fn slot(&self, tool: &str) -> Result<Option<Slot>, ToolError> {
        let Some(slots) = &self.slots else { return Ok(None) };
        match Arc::clone(slots).try_acquire_owned() {
            Ok(slot) => Ok(Some(Arc::new(slot))),
            Err(_) => Err(refusals::busy(tool, self.limits.concurrency.unwrap_or_default())),
        }
    }

    /// The time that a call has from now on; none where it has as much as it likes.
    pub(super) fn allowance(&self) -> Option<Allowance> {
        self.limits.timeout.map(Allowance::new)
    }

    /// What the model reads when the time is over.
    pub(super) fn timed_out(&self, tool: &str, cancel: Cancel) -> ToolError {
        refusals::timed_out(tool, self.limits.timeout.unwrap_or_default(), cancel)
    }

    /// What the model reads in place of a result that is too large.
    pub(super) fn too_large(&self, tool: &str, result: &CallToolResult) -> Option<ToolError> {
        let most = self.limits.max_result?;
        let mut room = Room { left: most, full: false };
        // An error of another kind is found again where the result is encoded.
        let _ = serde_json::to_writer(&mut room, result);
        room.full.then(|| refusals::too_large(tool, most))
    }
}

/// Counts bytes, and gives up past a bound.
struct Room {
    left: usize,
    full: bool,
}

impl io::Write for Room {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.left.checked_sub(bytes.len()) {
            Some(left) => {
                self.left = left;
                Ok(bytes.len())
            }
            None => {
                self.full = true;
                Err(io::ErrorKind::StorageFull.into())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The texts, each for a model that reads nothing else, and their codes.
mod refusals {
    use super::{Cancel, Duration, ToolError};

    #[cfg(feature = "http")]
    pub(super) fn rate_limited(tool: &str, rate: crate::tool::RateLimit, wait: Duration) -> ToolError {
        let crate::tool::RateLimit { per_second, burst } = rate;
        let wait = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
        let (calls, wait) = (counted(u64::from(per_second), "call"), counted(wait.max(1), "second"));
        tracing::debug!(tool, "a call is refused: its caller calls too often");
        ToolError::new(format!(
            "{tool} was not run: it is called too often (it takes {calls} a second, {burst} at once). \
             Try again in {wait}."
        ))
        .code("rate_limited")
    }

    pub(super) fn busy(tool: &str, most: usize) -> ToolError {
        tracing::debug!(tool, most, "a call is refused: as many are running as may");
        ToolError::new(format!(
            "{tool} was not run: it is busy with {}, as many as it takes at once. Try again in a few seconds, \
             and wait for each answer before the next call.",
            counted(most as u64, "other call")
        ))
        .code("busy")
    }

    pub(super) fn timed_out(tool: &str, limit: Duration, cancel: Cancel) -> ToolError {
        tracing::warn!(tool, ?limit, "a call takes longer than it may");
        let text = match cancel {
            Cancel::Drop => format!(
                "{tool} was stopped: it took longer than {limit:?}. Ask it for less, or try again in a minute; \
                 if that fails too, tell the user."
            ),
            Cancel::Detach => format!(
                "{tool} has taken longer than {limit:?}, and nobody waits for it any more. It may still do what it was \
                 asked to: find out in a minute whether it has, before you call it again."
            ),
        };
        ToolError::new(text).code("timed_out")
    }

    pub(super) fn too_large(tool: &str, most: usize) -> ToolError {
        tracing::warn!(tool, most, "a result is larger than it may be and is withheld");
        ToolError::new(format!(
            "{tool} ran, but its result is larger than the {} that may be sent, and was withheld; what the \
             call did is done. Where calling again does no harm, do so at once and ask for less: fewer items, a shorter \
             range, or one page.",
            counted(most as u64, "byte")
        ))
        .code("result_too_large")
    }

    fn counted(number: u64, what: &str) -> String {
        format!("{number} {what}{}", if number == 1 { "" } else { "s" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "http")]
    #[test]
    fn a_refusal_says_after_how_many_whole_seconds_to_try_again() {
        let said = |wait| {
            let error = refusals::rate_limited("echo", crate::RateLimit::per_second(1), wait);
            error.text().unwrap_or_default().to_owned()
        };
        assert!(said(Duration::from_millis(1)).contains("1 call a second, 1 at once). Try again in 1 second."));
        assert!(said(Duration::from_secs(2)).ends_with("in 2 seconds."));
        assert!(said(Duration::from_millis(2001)).ends_with("in 3 seconds."));
    }

    #[tokio::test]
    async fn who_has_no_identity_is_not_counted() {
        let tool = Limits { rate: Some(crate::RateLimit::per_second(1)), ..Limits::default() };
        let limited = Limited::new(tool, &Limits::default());
        for principal in [Principal::Local, Principal::Anonymous] {
            for _ in 0..100 {
                assert!(limited.admit(&Shared::default(), "echo", &principal).await.is_ok());
            }
        }
    }

    #[test]
    fn a_result_may_have_just_as_many_bytes_as_are_allowed() {
        let result = CallToolResult::error("é\n");
        let bytes = serde_json::to_string(&result).unwrap_or_default().len();
        let limited = |most| Limited::new(Limits { max_result: Some(most), ..Limits::default() }, &Limits::default());
        assert!(limited(bytes).too_large("echo", &result).is_none());
        assert!(limited(bytes - 1).too_large("echo", &result).is_some());
    }

    #[test]
    fn a_tool_goes_before_its_server() {
        let server = Limits { timeout: Some(Duration::from_secs(1)), max_result: Some(1), ..Limits::default() };
        let tool = Limits { timeout: Some(Duration::from_secs(2)), ..Limits::default() };
        let limits = Limited::new(tool, &server).limits;
        assert_eq!((limits.timeout, limits.max_result), (tool.timeout, server.max_result));
    }
}
