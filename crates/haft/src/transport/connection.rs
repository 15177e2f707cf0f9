use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use haft_wire::{ErrorObject, Limits, Message, Notification, Request, RequestId, encode, method, parse, too_large};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;

use crate::server::{Cancellation, Incoming, Outbound, Principal, Server, answer, cancelled_request};

/// One peer on one stream of frames: what runs for it, and how it is told to stop.
///
/// Owns a task for each request in flight. All transports that carry many requests on one stream share it.
pub(super) struct Connection {
    server: Server,
    limits: Limits,
    frames: mpsc::Sender<Vec<u8>>,
    in_flight: Arc<InFlight>,
    slots: Arc<Semaphore>,
    tasks: JoinSet<()>,
}

#[derive(Default)]
struct InFlight(Mutex<HashMap<RequestId, Cancellation>>);

impl InFlight {
    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, Cancellation>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connection {
    /// Answers go to `frames`.
    pub(super) fn new(server: Server, frames: mpsc::Sender<Vec<u8>>) -> Self {
        let settings = server.settings();
        let limits = Limits { max_bytes: settings.max_line, ..Limits::default() };
        let slots = Arc::new(Semaphore::new(settings.max_in_flight));
        Self { server, limits, frames, in_flight: Arc::default(), slots, tasks: JoinSet::new() }
    }

    /// Takes one frame. Waits only while as many requests are running as may, or the peer doesn't read.
    pub(super) async fn receive(&mut self, frame: &[u8]) {
        while self.tasks.try_join_next().is_some() {}
        match parse(frame, &self.limits) {
            Ok(Message::Request(request)) => self.start(request).await,
            Ok(Message::Notification(notification)) => self.notified(&notification),
            Ok(Message::Response(_)) => {
                tracing::warn!("the client sent a response; nothing was asked of it, so it is left aside");
            }
            Err(malformed) => {
                tracing::debug!(message = malformed.error.message, "malformed frame");
                self.send(encode::error(malformed.id.as_ref(), &malformed.error)).await;
            }
        }
    }

    /// Refuses a frame that was too long to be read.
    pub(super) async fn refuse_oversized(&self) {
        let malformed = too_large(&[], &self.limits);
        self.send(encode::error(malformed.id.as_ref(), &malformed.error)).await;
    }

    /// Waits for what is in flight, for `grace` at most; then cancels the rest.
    pub(super) async fn finish(mut self, grace: Duration) {
        let all = async { while self.tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(grace, all).await.is_ok() {
            return;
        }
        for cancellation in self.in_flight.lock().values() {
            cancellation.cancel();
        }
        while self.tasks.join_next().await.is_some() {}
    }

    async fn start(&mut self, request: Request) {
        let Ok(slot) = Arc::clone(&self.slots).acquire_owned().await else { return };
        let cancellation = Cancellation::default();
        let taken = match self.in_flight.lock().entry(request.id.clone()) {
            Entry::Occupied(_) => true,
            Entry::Vacant(free) => {
                free.insert(cancellation.clone());
                false
            }
        };
        if taken {
            let message = format!("The id {} belongs to a request that is still running. Use another.", request.id);
            let error = ErrorObject::invalid_request(message);
            return self.send(encode::error(Some(&request.id), &error)).await;
        }
        let (server, frames, in_flight) = (self.server.clone(), self.frames.clone(), Arc::clone(&self.in_flight));
        self.tasks.spawn(async move {
            let id = request.id.clone();
            let outbound = Outbound::new(frames.clone());
            let incoming = Incoming { request, principal: Principal::Local, cancellation, outbound };
            let answer = answer(&server, incoming).await;
            in_flight.lock().remove(&id);
            if let Some(answer) = answer
                && frames.send(answer.frame).await.is_err()
            {
                tracing::debug!(%id, "the client is gone; an answer has no reader");
            }
            drop(slot);
        });
    }

    fn notified(&self, notification: &Notification) {
        if notification.method != method::NOTIFICATION_CANCELLED {
            tracing::debug!(method = notification.method, "a notification that asks nothing of this server");
            return;
        }
        let id = cancelled_request(notification.params.as_deref());
        match id.and_then(|id| self.in_flight.lock().get(&id).cloned()) {
            Some(cancellation) => cancellation.cancel(),
            None => tracing::debug!("a cancellation of a request that isn't running"),
        }
    }

    async fn send(&self, frame: Vec<u8>) {
        if self.frames.send(frame).await.is_err() {
            tracing::debug!("the client is gone; a frame has no reader");
        }
    }
}
