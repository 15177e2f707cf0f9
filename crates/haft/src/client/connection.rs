use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use haft_wire::{CancelledParams, Limits, Message, RequestId, Response, encode, method};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use super::error::{ClientError, ErrorKind};
use super::frames::{read, spoilt_answer};
use super::inbound::Inbound;
use super::link::Answer;
use super::replies::Replies;
use super::wire::OnWire;

/// Characters of a line that is no message, for the log.
const SHOWN: usize = 200;

/// A stream of frames to a server, with the requests that wait for their answers.
pub(super) struct Connection {
    frames: mpsc::Sender<Vec<u8>>,
    on_wire: OnWire,
    waiting: Arc<Waiting>,
    reader: JoinHandle<()>,
}

#[derive(Default)]
struct Waiting(Mutex<Requests>);

#[derive(Default)]
struct Requests {
    open: HashMap<i64, oneshot::Sender<Result<Answer, ClientError>>>,
    ended: bool,
}

impl Waiting {
    fn lock(&self) -> MutexGuard<'_, Requests> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connection {
    pub(super) fn new(
        frames: mpsc::Sender<Vec<u8>>,
        incoming: mpsc::Receiver<Vec<u8>>,
        inbound: Arc<Inbound>,
        limits: Limits,
    ) -> Self {
        let waiting = Arc::new(Waiting::default());
        let on_wire = inbound.on_wire.clone();
        let reader = Reader { waiting: Arc::clone(&waiting), inbound, limits, frames: frames.downgrade() };
        Self { frames, on_wire, waiting, reader: tokio::spawn(reader.read(incoming)) }
    }

    pub(super) fn is_ended(&self) -> bool {
        self.waiting.lock().ended || self.frames.is_closed()
    }

    /// Sends a request and waits for its answer. Dropped before, the request is cancelled.
    pub(super) async fn request(&self, id: i64, frame: Vec<u8>) -> Result<Answer, ClientError> {
        let (sender, answer) = oneshot::channel();
        {
            let mut requests = self.waiting.lock();
            if requests.ended {
                return Err(closed());
            }
            requests.open.insert(id, sender);
        }
        let (frames, on_wire) = (self.frames.clone(), self.on_wire.clone());
        let mut open = OpenRequest { id, answer, frames, on_wire, waiting: Arc::clone(&self.waiting) };
        self.notify(frame).await?;
        (&mut open.answer).await.unwrap_or_else(|_| Err(closed()))
    }

    pub(super) async fn notify(&self, frame: Vec<u8>) -> Result<(), ClientError> {
        self.on_wire.sent(&frame);
        self.frames.send(frame).await.map_err(|_| closed())
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("open", &self.waiting.lock().open.len()).finish_non_exhaustive()
    }
}

/// A request that waits for its answer.
struct OpenRequest {
    id: i64,
    answer: oneshot::Receiver<Result<Answer, ClientError>>,
    frames: mpsc::Sender<Vec<u8>>,
    on_wire: OnWire,
    waiting: Arc<Waiting>,
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        if self.waiting.lock().open.remove(&self.id).is_none() {
            return;
        }
        let params = CancelledParams { request_id: RequestId::Int(self.id), reason: None, meta: None };
        match encode::notification(method::NOTIFICATION_CANCELLED, Some(&params)) {
            // A full queue means that the server doesn't read; it won't read this either.
            Ok(frame) => {
                self.on_wire.sent(&frame);
                drop(self.frames.try_send(frame));
            }
            Err(error) => tracing::error!(%error, "a cancellation could not be encoded"),
        }
    }
}

fn closed() -> ClientError {
    ClientError::new(ErrorKind::Closed, "the server ended the connection before it answered")
}

/// Takes what the server sends to whoever waits for it.
struct Reader {
    waiting: Arc<Waiting>,
    inbound: Arc<Inbound>,
    limits: Limits,
    /// Weak, so that what reads doesn't keep the way to the server open.
    frames: mpsc::WeakSender<Vec<u8>>,
}

impl Reader {
    async fn read(self, mut incoming: mpsc::Receiver<Vec<u8>>) {
        let mut replies = Replies::default();
        let mut junk = 0_u64;
        while let Some(frame) = incoming.recv().await {
            self.inbound.on_wire.received(&frame);
            match read(&frame, &self.limits) {
                Ok(Message::Response(Response { id: Some(RequestId::Int(id)), outcome })) => {
                    self.answered(id, Ok(outcome))
                }
                Ok(Message::Response(Response { id: None, outcome: Err(error) })) => {
                    tracing::warn!(%error, "the server sent an error that names no request");
                }
                Ok(Message::Response(_)) => tracing::warn!("the server answered an id that this client never used"),
                Ok(Message::Notification(notification)) => self.inbound.notification(&notification),
                Ok(Message::Request(request)) => {
                    let (inbound, frames) = (Arc::clone(&self.inbound), self.frames.clone());
                    let reply = |request| async move {
                        let answer = inbound.request(&request).await;
                        if let Some(frames) = frames.upgrade() {
                            inbound.on_wire.sent(&answer);
                            drop(frames.send(answer).await);
                        }
                    };
                    replies.answer(request, reply).await;
                }
                // Never answered: it is most likely no message at all, but the output of a program.
                Err(malformed) => {
                    if let Some(id) = spoilt_answer(&frame, &malformed) {
                        let most = self.limits.max_bytes;
                        let what = format!(
                            "the server's answer is no message of the protocol, or larger than one may be ({most} bytes)"
                        );
                        self.answered(id, Err(ClientError::invalid(what)));
                    }
                    junk += 1;
                    let line: String = String::from_utf8_lossy(&frame).chars().take(SHOWN).collect();
                    match junk {
                        1 => {
                            tracing::warn!(?line, "the server wrote what is no message; more of it is logged as debug")
                        }
                        _ => tracing::debug!(?line, junk, "the server wrote what is no message"),
                    }
                }
            }
        }
        // Whoever waits sees its sender dropped.
        let open = {
            let mut requests = self.waiting.lock();
            requests.ended = true;
            std::mem::take(&mut requests.open)
        };
        drop(open);
    }

    fn answered(&self, id: i64, outcome: Result<Answer, ClientError>) {
        let waiting = self.waiting.lock().open.remove(&id);
        match waiting {
            Some(waiting) => drop(waiting.send(outcome)),
            None => tracing::debug!(id, "an answer that nobody waits for any more"),
        }
    }
}
