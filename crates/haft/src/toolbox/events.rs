use std::time::Duration;

use super::outcome::OutcomeKind;

/// What happens in a [`Toolbox`](crate::Toolbox). Names are those that the model sees.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolboxEvent {
    /// The tools before the model are others than before.
    Exposed {
        /// New ones.
        added: Vec<String>,
        /// Those that are gone.
        removed: Vec<String>,
        /// Those whose definition is another now. A server that changes what a tool says after it was approved may have a
        /// reason to.
        changed: Vec<String>,
    },
    /// A call was approved, and is made now.
    Started {
        /// Which call it is.
        call: u64,
        /// The tool.
        name: String,
    },
    /// A call that had started is over.
    Ended {
        /// Which call it is.
        call: u64,
        /// The tool.
        name: String,
        /// How it ended; `None` if whoever waited for it gave it up.
        outcome: Option<OutcomeKind>,
        /// How long it ran.
        duration: Duration,
    },
}
