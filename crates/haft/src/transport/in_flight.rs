use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Mutex, MutexGuard, PoisonError};

use haft_wire::{ErrorObject, RequestId};

use crate::server::Cancellation;

/// The requests of one client that are running, and how each is told to stop.
#[derive(Default)]
pub(super) struct InFlight(Mutex<HashMap<RequestId, Cancellation>>);

impl InFlight {
    /// Takes a request in.
    ///
    /// # Errors
    /// -32600 where one of this id is running.
    pub(super) fn begin(&self, id: &RequestId) -> Result<Cancellation, ErrorObject> {
        match self.lock().entry(id.clone()) {
            Entry::Vacant(free) => Ok(free.insert(Cancellation::default()).clone()),
            Entry::Occupied(_) => Err(ErrorObject::invalid_request(format!(
                "The id {id} belongs to a request that is still running. Use another."
            ))),
        }
    }

    /// It has its answer, or never will.
    pub(super) fn end(&self, id: &RequestId) {
        self.lock().remove(id);
    }

    /// The client gave one up.
    pub(super) fn cancel(&self, id: &RequestId) {
        match self.lock().get(id) {
            Some(cancellation) => cancellation.cancel(),
            None => tracing::debug!("a cancellation of a request that isn't running"),
        }
    }

    /// The client gave all of them up.
    pub(super) fn cancel_all(&self) {
        self.lock().values().for_each(Cancellation::cancel);
    }

    /// What would go on for ever ends.
    pub(super) fn end_all(&self) {
        self.lock().values().for_each(Cancellation::end);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, Cancellation>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
