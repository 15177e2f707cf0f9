//! Stop 9 over HTTP. in: a request on its way; out: its answer in JSON, or as events; next: the socket.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use haft_wire::{ErrorObject, Request, RequestId, encode, method};
use http::{Response, StatusCode};
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::task::JoinHandle;
use tokio::time::{Sleep, sleep};

use super::accept::Accepts;
use super::{HttpBody, HttpOptions, events, reply};
use crate::server::{Answer, Cancellation, Incoming, Outbound, Principal, Server, Status, answer};

/// Notifications that may wait for a client to read them; more are left out.
const QUEUE: usize = 64;

/// One request that is being answered. Dropping it before the answer is there cancels the request: that is how a
/// client that closes its connection says so.
///
/// spec: `basic/transports/streamable-http#cancellation`
pub(super) struct Exchange {
    id: RequestId,
    /// A task of its own, so that a write that may not stop half-way outlives its connection.
    running: JoinHandle<Option<Answer>>,
    frames: mpsc::Receiver<Vec<u8>>,
    answer: Option<Answer>,
    deadline: Option<(Duration, Pin<Box<Sleep>>)>,
    cancellation: CancelOnDrop,
    _slot: OwnedSemaphorePermit,
}

/// What an exchange brings forth.
pub(super) enum Step {
    /// A notification.
    Frame(Vec<u8>),
    /// The answer: nothing follows.
    Answer(Answer),
}

impl Exchange {
    pub(super) fn start(
        server: &Server,
        principal: Principal,
        request: Request,
        options: &HttpOptions,
        slot: OwnedSemaphorePermit,
    ) -> Self {
        let id = request.id.clone();
        let lasts = request.method == method::SUBSCRIPTIONS_LISTEN;
        let (sender, frames) = mpsc::channel(QUEUE);
        let cancellation = Cancellation::default();
        let outbound = Outbound::new(sender);
        let incoming = Incoming { request, principal, cancellation: cancellation.clone(), outbound, settled: None };
        let server = server.clone();
        // Owned by this exchange, which cancels it when it is dropped.
        // Boxed, as a task is moved several times before it runs.
        let running = tokio::spawn(Box::pin(async move { answer(&server, incoming).await }));
        let deadline = options.deadline.filter(|_| !lasts).map(|deadline| (deadline, Box::pin(sleep(deadline))));
        let cancellation = CancelOnDrop(Some(cancellation));
        Self { id, running, frames, answer: None, deadline, cancellation, _slot: slot }
    }

    /// The whole answer, or its beginning.
    pub(super) async fn respond(mut self, accepts: Accepts, options: &HttpOptions) -> Response<HttpBody> {
        let mut patience = std::pin::pin!(sleep(options.patience));
        loop {
            let step = tokio::select! {
                biased;
                step = std::future::poll_fn(|cx| self.poll_step(cx)) => step,
                () = &mut patience, if accepts.events => {
                    return events::stream(StatusCode::OK, events::comment(), self, options);
                }
            };
            match step {
                Step::Answer(answer) => return reply::answer(answer, accepts.json, options),
                Step::Frame(frame) if accepts.events => {
                    return events::stream(StatusCode::OK, events::event(&frame), self, options);
                }
                Step::Frame(_) => {
                    tracing::debug!(id = %self.id, "the client takes no events; a notification is left out")
                }
            }
        }
    }

    /// What comes next. Not to be asked again after the answer.
    pub(super) fn poll_step(&mut self, cx: &mut Context<'_>) -> Poll<Step> {
        // What was sent before the answer goes out before it: the way out is closed before the answer is there.
        if self.answer.is_none() {
            if let Poll::Ready(Some(frame)) = self.frames.poll_recv(cx) {
                return Poll::Ready(Step::Frame(frame));
            }
            match Pin::new(&mut self.running).poll(cx) {
                Poll::Ready(answered) => self.answer = Some(self.answered(answered)),
                Poll::Pending => return self.poll_deadline(cx),
            }
            self.cancellation.disarm();
        }
        if let Ok(frame) = self.frames.try_recv() {
            return Poll::Ready(Step::Frame(frame));
        }
        match self.answer.take() {
            Some(answer) => Poll::Ready(Step::Answer(answer)),
            None => Poll::Pending,
        }
    }

    fn answered(&self, answered: Result<Option<Answer>, tokio::task::JoinError>) -> Answer {
        match answered {
            Ok(Some(answer)) => answer,
            Ok(None) => self.failed("The request was cancelled."),
            Err(error) => {
                tracing::error!(id = %self.id, %error, "a request ended without an answer");
                self.failed("The server failed to answer.")
            }
        }
    }

    fn poll_deadline(&mut self, cx: &mut Context<'_>) -> Poll<Step> {
        let Some((deadline, passed)) = &mut self.deadline else { return Poll::Pending };
        if passed.as_mut().poll(cx).is_pending() {
            return Poll::Pending;
        }
        let why = format!("The request took longer than {deadline:?} and was cancelled.");
        self.cancellation.cancel();
        Poll::Ready(Step::Answer(self.failed(&why)))
    }

    fn failed(&self, why: &str) -> Answer {
        Answer { frame: encode::error(Some(&self.id), &ErrorObject::internal(why)), status: Status::Answered }
    }
}

struct CancelOnDrop(Option<Cancellation>);

impl CancelOnDrop {
    fn disarm(&mut self) {
        self.0 = None;
    }

    fn cancel(&mut self) {
        if let Some(cancellation) = self.0.take() {
            cancellation.cancel();
        }
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.cancel();
    }
}
