use std::sync::Arc;
use std::time::Duration;

use haft_wire::{ErrorObject, Limits, Message, Notification, Request, encode, method, parse};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;

use super::in_flight::InFlight;
use crate::legacy::{self, Session, Way};
use crate::server::{
    Cancellation, Incoming, Outbound, Principal, Server, answer, cancelled_request, too_many_subscriptions,
};

/// One peer on one stream of frames: what runs for it, and how it is told to stop.
///
/// Owns a task for each request in flight. All transports that carry many requests on one stream share it.
pub(super) struct Connection {
    server: Server,
    limits: Limits,
    frames: mpsc::Sender<Vec<u8>>,
    in_flight: Arc<InFlight>,
    slots: Arc<Semaphore>,
    /// Subscriptions last; slots of their own keep them from taking those of calls.
    subscriptions: Arc<Semaphore>,
    /// A client of an older revision opens one.
    session: Option<Arc<Session>>,
    /// Whether that client is told of changes; cancelled, it no longer is.
    telling: Option<Cancellation>,
    tasks: JoinSet<()>,
}

/// Time for what is cancelled to take notice.
const NOTICE: Duration = Duration::from_secs(1);

impl Connection {
    /// Answers go to `frames`.
    pub(super) fn new(server: Server, frames: mpsc::Sender<Vec<u8>>) -> Self {
        let settings = server.settings();
        let limits = Limits { max_bytes: settings.max_line, ..Limits::default() };
        let slots = Arc::new(Semaphore::new(settings.max_in_flight.min(Semaphore::MAX_PERMITS)));
        let subscriptions = Arc::new(Semaphore::new(settings.max_subscriptions.min(Semaphore::MAX_PERMITS)));
        let (in_flight, tasks) = (Arc::default(), JoinSet::new());
        Self { server, limits, frames, in_flight, slots, subscriptions, session: None, telling: None, tasks }
    }

    /// Takes one frame. Waits only while as many requests are running as may, or the peer doesn't read; and not while one
    /// of them waits for what the peer says next.
    pub(super) async fn receive(&mut self, frame: &[u8]) {
        while self.tasks.try_join_next().is_some() {}
        match self.session.as_ref().and_then(|session| session.batch(frame)) {
            None => self.take(frame).await,
            Some(Ok(batch)) => {
                for message in batch {
                    self.take(message.get().as_bytes()).await;
                }
            }
            Some(Err(error)) => self.send(encode::error(None, &error)).await,
        }
    }

    async fn take(&mut self, frame: &[u8]) {
        match parse(frame, &self.limits) {
            Ok(Message::Request(request)) if self.opens_session(&request) => self.open_session(&request).await,
            // At once, however much is running.
            Ok(Message::Request(request)) if self.server.settings().legacy && legacy::is_ping(&request) => {
                if let Ok(frame) = encode::result(&request.id, &serde_json::Map::new()) {
                    self.send(frame).await;
                }
            }
            Ok(Message::Request(request)) => self.start(request).await,
            Ok(Message::Notification(notification)) => self.notified(&notification),
            Ok(Message::Response(response)) => match &self.session {
                Some(session) => session.responded(response),
                None => tracing::warn!("the client sent a response; nothing was asked of it, so it is left aside"),
            },
            Err(malformed) => {
                tracing::debug!(message = malformed.error.message, "malformed frame");
                self.send(encode::error(malformed.id.as_ref(), &malformed.error)).await;
            }
        }
    }

    /// Refuses a frame that was too long to be read.
    #[cfg(feature = "stdio")]
    pub(super) async fn refuse_oversized(&self) {
        let malformed = haft_wire::too_large(&[], &self.limits);
        self.send(encode::error(malformed.id.as_ref(), &malformed.error)).await;
    }

    /// Ends subscriptions, waits for what is in flight, for `grace` at most; then cancels the rest.
    pub(super) async fn finish(mut self, grace: Duration) {
        self.in_flight.end_all();
        if let Some(session) = &self.session {
            session.hang_up();
        }
        if let Some(telling) = &self.telling {
            telling.cancel();
        }
        if self.all_end(grace).await {
            return;
        }
        self.in_flight.cancel_all();
        if !self.all_end(NOTICE).await {
            // What is left has an answer and a client that doesn't read.
            self.tasks.shutdown().await;
        }
    }

    async fn all_end(&mut self, patience: Duration) -> bool {
        let all = async { while self.tasks.join_next().await.is_some() {} };
        tokio::time::timeout(patience, all).await.is_ok()
    }

    async fn start(&mut self, request: Request) {
        let slot = match request.method.as_str() {
            method::SUBSCRIPTIONS_LISTEN => match Arc::clone(&self.subscriptions).try_acquire_owned() {
                Ok(slot) => slot,
                Err(_) => return self.send(encode::error(Some(&request.id), too_many_subscriptions().object())).await,
            },
            _ => tokio::select! {
                biased;
                slot = Arc::clone(&self.slots).acquire_owned() => match slot {
                    Ok(slot) => slot,
                    Err(_) => return,
                },
                () = self.asks() => return self.send(encode::error(Some(&request.id), &busy())).await,
            },
        };
        let cancellation = match self.in_flight.begin(&request.id) {
            Ok(cancellation) => cancellation,
            Err(error) => return self.send(encode::error(Some(&request.id), &error)).await,
        };
        let (server, frames, in_flight) = (self.server.clone(), self.frames.clone(), Arc::clone(&self.in_flight));
        let session = self.session.clone().filter(|_| !legacy::is_modern(&request));
        // Boxed: a task is moved several times before it runs.
        self.tasks.spawn(Box::pin(async move {
            let id = request.id.clone();
            let outbound = Outbound::multiplexed(frames.clone());
            let answer = match session {
                Some(session) => {
                    let way = Way { outbound, hears: true, let_go: None };
                    Box::pin(session.answer(request, Principal::Local, cancellation, way)).await
                }
                None => {
                    let principal = Principal::Local;
                    let incoming = Incoming { request, principal, cancellation, outbound, settled: None };
                    answer(&server, incoming).await.map(|answer| answer.frame)
                }
            };
            in_flight.end(&id);
            if let Some(answer) = answer
                && frames.send(answer).await.is_err()
            {
                tracing::debug!(%id, "the client is gone; an answer has no reader");
            }
            drop(slot);
        }));
    }

    fn notified(&mut self, notification: &Notification) {
        match notification.method.as_str() {
            method::NOTIFICATION_CANCELLED => match cancelled_request(notification.params.as_deref()) {
                Some(id) => self.in_flight.cancel(&id),
                None => tracing::debug!("a cancellation that names no request"),
            },
            legacy::INITIALIZED => self.tell(),
            method => tracing::debug!(method, "a notification that asks nothing of this server"),
        }
    }

    fn opens_session(&self, request: &Request) -> bool {
        self.server.settings().legacy && self.session.is_none() && legacy::opens(request)
    }

    /// Waits until a call waits for the client, whose answer has to be read.
    async fn asks(&self) {
        match &self.session {
            Some(session) => session.asks().await,
            None => std::future::pending().await,
        }
    }

    /// In place, as the requests that follow need the session.
    async fn open_session(&mut self, request: &Request) {
        match Session::open(&self.server, request, Principal::Local, legacy::Version::V2024_11_05) {
            Ok((session, answer)) => {
                self.session = Some(Arc::new(session));
                self.send(answer).await;
            }
            Err(error) => self.send(encode::error(Some(&request.id), &error)).await,
        }
    }

    /// Begins to tell a client with a session what changes, once.
    fn tell(&mut self) {
        let Some(session) = self.session.clone().filter(|_| self.telling.is_none()) else { return };
        let telling = Cancellation::default();
        self.telling = Some(telling.clone());
        let frames = self.frames.clone();
        self.tasks.spawn(async move {
            loop {
                let (news, last) = tokio::select! {
                    biased;
                    () = telling.cancelled() => return,
                    news = session.next_news() => news,
                };
                for frame in news {
                    if frames.send(frame).await.is_err() {
                        return;
                    }
                }
                if last {
                    return;
                }
            }
        });
    }

    async fn send(&self, frame: Vec<u8>) {
        if self.frames.send(frame).await.is_err() {
            tracing::debug!("the client is gone; a frame has no reader");
        }
    }
}

/// What a request gets that would keep the answer to a question from being read.
fn busy() -> ErrorObject {
    ErrorObject::internal(
        "This server runs as many requests as it takes, and waits for an answer to its own. Try again.",
    )
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use serde_json::{Value, json};

    use super::*;

    fn listen(id: i64) -> Vec<u8> {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let params = json!({"notifications": {"toolsListChanged": true}, "_meta": meta});
        let request = json!({"jsonrpc": "2.0", "id": id, "method": "subscriptions/listen", "params": params});
        request.to_string().into_bytes()
    }

    #[tokio::test]
    async fn subscriptions_end_with_the_input_and_take_no_time_of_the_grace() {
        let server = Server::new("dynamic", "1.0.0").dynamic_tools().build().unwrap();
        let (frames, mut sent) = mpsc::channel(16);
        let mut connection = Connection::new(server, frames);
        for id in 0..3 {
            connection.receive(&listen(id)).await;
            let acknowledged: Value = serde_json::from_slice(&sent.recv().await.unwrap()).unwrap();
            assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
        }
        let started = std::time::Instant::now();
        connection.finish(Duration::from_secs(3600)).await;
        assert!(started.elapsed() < Duration::from_secs(60));
        let mut ends: HashMap<i64, Vec<String>> = HashMap::new();
        while let Some(frame) = sent.recv().await {
            let frame: Value = serde_json::from_slice(&frame).unwrap();
            let id = frame["params"]["requestId"].as_i64().or(frame["id"].as_i64()).unwrap();
            let what = frame["method"].as_str().or(frame["result"]["resultType"].as_str()).unwrap();
            ends.entry(id).or_default().push(what.to_owned());
        }
        assert_eq!(ends.len(), 3);
        assert!(ends.values().all(|end| *end == ["notifications/cancelled", "complete"]), "{ends:?}");
    }

    #[tokio::test]
    async fn a_question_has_no_answer_once_the_input_has_ended() {
        let asks = crate::Tool::builder("asks")
            .description("Asks.")
            .input_schema(r#"{"type":"object"}"#)
            .read_only(true)
            .handler(|_: crate::Arguments, context: crate::Context| async move {
                let (one, two) = (context.ask::<bool>("one", "One?").await, context.ask::<bool>("two", "Two?").await);
                format!("{:?} {:?}", one.map_err(|error| error.kind()), two.map_err(|error| error.kind()))
            });
        let server = Server::new("asking", "1.0.0").tool(asks).build().unwrap();
        let (frames, mut sent) = mpsc::channel(16);
        let mut connection = Connection::new(server, frames);
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}}});
        for (method, params) in [("initialize", hello), ("tools/call", json!({"name": "asks"}))] {
            let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
            connection.receive(request.to_string().as_bytes()).await;
            sent.recv().await.unwrap();
        }
        let started = std::time::Instant::now();
        connection.finish(Duration::from_secs(3600)).await;
        assert!(started.elapsed() < Duration::from_secs(60));
        let answer: Value = serde_json::from_slice(&sent.recv().await.unwrap()).unwrap();
        assert_eq!(answer["result"]["content"][0]["text"], "Err(Failed) Err(Failed)");
    }

    #[tokio::test]
    async fn a_client_that_does_not_read_holds_up_the_end_for_the_grace_at_most() {
        let server = Server::new("dynamic", "1.0.0").dynamic_tools().build().unwrap();
        let (frames, mut sent) = mpsc::channel(1);
        let mut connection = Connection::new(server, frames);
        for id in 0..3 {
            connection.receive(&listen(id)).await;
            sent.recv().await.unwrap();
        }
        let end = connection.finish(Duration::from_millis(50));
        tokio::time::timeout(Duration::from_secs(60), end).await.expect("an end");
    }
}
