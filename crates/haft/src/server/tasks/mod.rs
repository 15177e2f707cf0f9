//! The extension `io.modelcontextprotocol/tasks`: calls that go on after their answer.
//!
//! [`start`] makes a task of a call, and [`worker`] runs it: it holds the task's lease, hears of its cancellation and keeps
//! its result before anybody is told of it. [`methods`] answers what is asked of tasks, [`watch`] tells subscribers.
//!
//! Three entries of the store belong to a task: its [`record`], in which all there is to know of it stands; its lease,
//! which is there while a process runs it and expires with that process; and its place, by which the tasks of one caller
//! are counted. Every change of a record is a compare-and-set, so it doesn't matter which process makes it.
//!
//! Nothing looks for tasks whose process died: whoever asks for one finds out that nobody holds its lease, and says so in
//! its record, or runs it again.
//!
//! spec: `extensions/tasks`

mod ask;
mod find;
mod keeper;
mod methods;
mod options;
mod record;
mod start;
mod watch;
mod worker;

use std::sync::{Mutex, MutexGuard, PoisonError};

use haft_wire::{ClientCapabilities, ErrorObject, RequestMeta, extension};
use serde_json::{Map, Value};
use tokio::task::JoinSet;

use crate::error::ProtocolError;
use keeper::Keeper;
pub(super) use methods::answer;
pub use options::TaskOptions;
pub(super) use start::{Started, start};
pub(super) use watch::Watches;

/// What a server has of tasks.
pub(super) struct Tasks {
    options: TaskOptions,
    keeper: Keeper,
    /// Those that run in this process.
    running: Mutex<JoinSet<()>>,
}

impl Tasks {
    pub(super) fn new(options: TaskOptions) -> Self {
        let keeper = Keeper::new(options.store(), options.lease);
        Self { options, keeper, running: Mutex::default() }
    }

    /// Those that run in this process, without those that are done.
    fn running(&self) -> MutexGuard<'_, JoinSet<()>> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        while running.try_join_next().is_some() {}
        running
    }
}

/// Whether a client declares that it knows tasks, with this request.
pub(super) fn known_to(meta: &RequestMeta) -> bool {
    meta.client_capabilities.as_ref().is_some_and(|client| client.has_extension(extension::TASKS))
}

/// The extension, as capabilities declare it.
pub(super) fn declared() -> Map<String, Value> {
    Map::from_iter([(extension::TASKS.to_owned(), Value::Object(Map::new()))])
}

/// The refusal of a client that doesn't know tasks.
///
/// spec: `extensions/tasks#capability-negotiation`
pub(super) fn unknown_to_client(what: &str) -> ProtocolError {
    let missing = ClientCapabilities { extensions: Some(declared()), ..ClientCapabilities::default() };
    let message = format!("{what} needs a client with the extension {}.", extension::TASKS);
    ErrorObject::missing_capability(message, &missing).into()
}
