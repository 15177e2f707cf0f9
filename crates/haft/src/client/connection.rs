use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use haft_wire::{
    CancelledParams, ErrorObject, Limits, Message, Notification, ProgressParams, RequestId, Response, encode, method,
    parse,
};
use serde_json::value::RawValue;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use super::error::{ClientError, ErrorKind};

/// What a server sends for one request.
pub(super) type Answer = Result<Box<RawValue>, ErrorObject>;

type OnProgress = Box<dyn FnMut(ProgressParams) + Send>;

/// A stream of frames to a server, with the requests that wait for their answers.
pub(super) struct Connection {
    frames: mpsc::Sender<Vec<u8>>,
    waiting: Arc<Waiting>,
    last_id: AtomicI64,
    reader: JoinHandle<()>,
}

#[derive(Default)]
struct Waiting(Mutex<Requests>);

#[derive(Default)]
struct Requests {
    open: HashMap<i64, Pending>,
    ended: bool,
}

struct Pending {
    answer: oneshot::Sender<Answer>,
    progress: Option<OnProgress>,
}

impl Waiting {
    fn lock(&self) -> MutexGuard<'_, Requests> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connection {
    pub(super) fn new(frames: mpsc::Sender<Vec<u8>>, mut incoming: mpsc::Receiver<Vec<u8>>) -> Self {
        let waiting = Arc::new(Waiting::default());
        let theirs = Arc::clone(&waiting);
        let reader = tokio::spawn(async move {
            while let Some(frame) = incoming.recv().await {
                receive(&theirs, &frame);
            }
            // Whoever waits sees its sender dropped.
            let mut requests = theirs.lock();
            requests.ended = true;
            requests.open.clear();
        });
        Self { frames, waiting, last_id: AtomicI64::new(0), reader }
    }

    /// The id of the next request.
    pub(super) fn next_id(&self) -> i64 {
        self.last_id.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Sends a request. The answer comes to what is returned; dropping it cancels the request.
    pub(super) async fn send(
        &self,
        id: i64,
        frame: Vec<u8>,
        progress: Option<OnProgress>,
    ) -> Result<OpenRequest, ClientError> {
        let (sender, answer) = oneshot::channel();
        {
            let mut requests = self.waiting.lock();
            if requests.ended {
                return Err(closed());
            }
            requests.open.insert(id, Pending { answer: sender, progress });
        }
        let open = OpenRequest { id, answer, frames: self.frames.clone(), waiting: Arc::clone(&self.waiting) };
        self.frames.send(frame).await.map_err(|_| closed())?;
        Ok(open)
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
pub(super) struct OpenRequest {
    id: i64,
    answer: oneshot::Receiver<Answer>,
    frames: mpsc::Sender<Vec<u8>>,
    waiting: Arc<Waiting>,
}

impl OpenRequest {
    /// The answer. Cancel-safe.
    pub(super) async fn answer(&mut self) -> Result<Answer, ClientError> {
        (&mut self.answer).await.map_err(|_| closed())
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        if self.waiting.lock().open.remove(&self.id).is_none() {
            return;
        }
        let params = CancelledParams { request_id: RequestId::Int(self.id), reason: None, meta: None };
        match encode::notification(method::NOTIFICATION_CANCELLED, Some(&params)) {
            // A full queue means that the server doesn't read; it won't read this either.
            Ok(frame) => drop(self.frames.try_send(frame)),
            Err(error) => tracing::error!(%error, "a cancellation could not be encoded"),
        }
    }
}

fn closed() -> ClientError {
    ClientError::new(ErrorKind::Closed, "the server ended the connection before it answered")
}

fn receive(waiting: &Waiting, frame: &[u8]) {
    match parse(frame, &Limits::default()) {
        Ok(Message::Response(Response { id: Some(RequestId::Int(id)), outcome })) => {
            let pending = waiting.lock().open.remove(&id);
            match pending {
                Some(pending) => drop(pending.answer.send(outcome)),
                None => tracing::debug!(id, "an answer that nobody waits for any more"),
            }
        }
        Ok(Message::Response(Response { outcome: Err(error), .. })) => {
            tracing::warn!(%error, "the server sent an error that names no request of this client");
        }
        Ok(Message::Response(_)) => tracing::warn!("the server answered an id that this client never used"),
        Ok(Message::Notification(notification)) => notified(waiting, &notification),
        Ok(Message::Request(request)) => {
            tracing::warn!(method = request.method, "the server sent a request, which this revision doesn't allow");
        }
        Err(malformed) => {
            tracing::warn!(message = malformed.error.message, "the server sent what isn't a message; it is left aside");
        }
    }
}

fn notified(waiting: &Waiting, notification: &Notification) {
    let Some(params) = notification.params.as_deref().filter(|_| notification.method == method::NOTIFICATION_PROGRESS)
    else {
        tracing::debug!(method = notification.method, "a notification that nobody listens to");
        return;
    };
    match serde_json::from_str::<ProgressParams>(params.get()) {
        Ok(progress) => {
            let RequestId::Int(id) = progress.progress_token else { return };
            // Taken out while it runs: a callback may start another call.
            let callback = waiting.lock().open.get_mut(&id).and_then(|pending| pending.progress.take());
            let Some(mut callback) = callback else { return };
            callback(progress);
            if let Some(pending) = waiting.lock().open.get_mut(&id) {
                pending.progress = Some(callback);
            }
        }
        Err(error) => tracing::warn!(%error, "the server sent progress that can't be read"),
    }
}
