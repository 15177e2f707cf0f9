//! What time it is, to the rules.

use jiff::{SignedDuration, Timestamp};
use tokio::time::Instant;

/// The system's time, or one that began elsewhere and goes on from there, as the runtime's does.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Clock {
    System,
    Since { start: Timestamp, at: Instant },
}

impl Clock {
    /// A clock that shows this time now. Needs no runtime, but follows its time where that is paused.
    pub(crate) fn starting_at(start: Timestamp) -> Self {
        Self::Since { start, at: Instant::now() }
    }

    pub(crate) fn now(&self) -> Timestamp {
        match self {
            Self::System => Timestamp::now(),
            Self::Since { start, at } => {
                let passed = SignedDuration::try_from(at.elapsed()).unwrap_or(SignedDuration::MAX);
                start.saturating_add(passed).unwrap_or(Timestamp::MAX)
            }
        }
    }
}
