//! Clients with a session, over HTTP: `Mcp-Session-Id`, a stream of news by GET, and the end by DELETE.
//!
//! A request runs in a task of its own and writes to a [`log`], which its POST reads; a client that loses the connection
//! reads on by GET. Only what the client cancels, or the end of the session, stops a request.
//!
//! spec: 2025-11-25 `basic/transports#streamable-http`

mod log;
mod running;
mod store;
mod stream;

use haft_wire::{ErrorObject, Message, Notification, Request, RequestId, method};
use http::header::{ALLOW, RETRY_AFTER};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;

use self::log::Reader;
use self::running::{Batch, Running};
use self::store::{Held, InUse, Sessions, Unopened};
use super::accept::Accepts;
use super::{HttpBody, HttpOptions, events, reply};
use crate::legacy::{self, Session, Version};
use crate::server::{Principal, Server, cancelled_request};

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

type Answer = Response<HttpBody>;
/// An answer that is a refusal.
type Refused = Box<Answer>;

/// Everybody who has a session.
pub(super) struct Legacy {
    server: Server,
    sessions: Sessions,
}

/// What a message of a session is sent with.
pub(super) struct Sent<'a> {
    pub(super) headers: &'a HeaderMap,
    pub(super) accepts: Accepts,
    pub(super) principal: Principal,
    pub(super) slot: OwnedSemaphorePermit,
}

impl Legacy {
    pub(super) fn new(server: &Server, options: &HttpOptions) -> Self {
        Self { server: server.clone(), sessions: Sessions::new(options.max_sessions, options.session_ttl) }
    }

    /// Whether a message is of a revision with sessions: it opens one, names one, or should.
    pub(super) fn claims(&self, headers: &HeaderMap, message: &Message) -> bool {
        match message {
            Message::Request(request) => {
                legacy::opens(request) || (named(headers) || version(headers).is_some()) && !legacy::is_modern(request)
            }
            Message::Notification(_) | Message::Response(_) => named(headers) || version(headers).is_some(),
        }
    }

    /// The messages of a batch, where the session's revision has batches and this is one.
    pub(super) fn batch<'a>(
        &self,
        headers: &HeaderMap,
        principal: &Principal,
        body: &'a [u8],
    ) -> Option<Result<Vec<&'a [u8]>, ErrorObject>> {
        if !named(headers) {
            return None;
        }
        let batch = self.find(headers, principal, None).ok()?.session.batch(body)?;
        Some(batch.map(|batch| batch.into_iter().map(|message| message.get().as_bytes()).collect()))
    }

    /// A POST of one message.
    pub(super) async fn post(
        &self,
        sent: Sent<'_>,
        message: Message,
        options: &HttpOptions,
    ) -> Result<Answer, Refused> {
        match message {
            Message::Request(request) if legacy::opens(&request) && !self.knows(sent.headers, &sent.principal) => {
                self.open(&request, sent.principal, sent.accepts)
            }
            message => self.post_all(sent, vec![message], Batch::None, options).await,
        }
    }

    /// A POST of the messages of a batch.
    pub(super) async fn post_batch(
        &self,
        sent: Sent<'_>,
        messages: Vec<Message>,
        options: &HttpOptions,
    ) -> Result<Answer, Refused> {
        let batch = if sent.accepts.events { Batch::Each } else { Batch::Whole };
        self.post_all(sent, messages, batch, options).await
    }

    /// Whether a request names a session that it can have.
    pub(super) fn knows(&self, headers: &HeaderMap, principal: &Principal) -> bool {
        named(headers) && self.find(headers, principal, None).is_ok()
    }

    async fn post_all(
        &self,
        sent: Sent<'_>,
        messages: Vec<Message>,
        batch: Batch,
        options: &HttpOptions,
    ) -> Result<Answer, Refused> {
        let id = match messages.as_slice() {
            [Message::Request(request)] => Some(&request.id),
            _ => None,
        };
        let held = self.find(sent.headers, &sent.principal, id)?;
        if let [Message::Request(request)] = messages.as_slice()
            && let Some(refusal) = self.server.forbids(request, &sent.principal)
        {
            return Err(reply::answer(refusal, sent.accepts.json, options).into());
        }
        let mut requests = Vec::new();
        for message in messages {
            match message {
                Message::Request(request) => requests.push(request),
                Message::Notification(notification) => notified(&held, &notification),
                Message::Response(response) => held.session.responded(response),
            }
        }
        if requests.is_empty() {
            return Ok(reply::empty(StatusCode::ACCEPTED));
        }
        let mut accepts = sent.accepts;
        accepts.rather_events |= batch == Batch::Each;
        let log = held.log();
        let reader = log.reader(0);
        let (principal, hears, _slot) = (sent.principal, accepts.events, sent.slot);
        let running = Running { held: held.clone(), principal, log, hears, batch, _slot };
        // It goes on without the connection that it came on. The session owns it: its end is the end of all that runs.
        tokio::spawn(running.run(requests, options.deadline));
        Ok(respond(held, reader, accepts, options).await)
    }

    /// A request that is no POST: a stream of news or the rest of another stream, or the end of the session.
    ///
    /// spec: 2025-11-25 `basic/transports#listening-for-messages-from-the-server`, `#session-management`
    pub(super) fn other(
        &self,
        method: &Method,
        headers: &HeaderMap,
        principal: &Principal,
        slot: impl FnOnce() -> Result<OwnedSemaphorePermit, Refused>,
        options: &HttpOptions,
    ) -> Result<Answer, Refused> {
        let held = self.find(headers, principal, None)?;
        match *method {
            Method::DELETE => {
                self.sessions.end(&held);
                Ok(reply::empty(StatusCode::NO_CONTENT))
            }
            Method::GET if !Accepts::read(headers).events => {
                Err(reply::refused(StatusCode::NOT_ACCEPTABLE, "This is a stream: accept text/event-stream.").into())
            }
            Method::GET => match headers.get(LAST_EVENT) {
                None => {
                    let news = stream::of_news(held, slot()?, options.keep_alive);
                    Ok(events::of(StatusCode::OK, Box::pin(news)))
                }
                Some(last) => {
                    let (log, seen) = last.to_str().ok().and_then(stream::place).ok_or_else(no_event)?;
                    let log = held.kept(log).ok_or_else(no_event)?;
                    let rest = stream::of_log(held, log.reader(seen), false, options.keep_alive);
                    Ok(events::of(StatusCode::OK, Box::pin(rest)))
                }
            },
            _ => {
                let why = "A session takes POST, GET and DELETE.";
                let mut refusal = reply::refused(StatusCode::METHOD_NOT_ALLOWED, why);
                refusal.headers_mut().insert(ALLOW, HeaderValue::from_static("POST, GET, DELETE"));
                Err(refusal.into())
            }
        }
    }

    /// Streams of news have no end of their own, and would hold up that of their connections.
    pub(super) fn end_streams(&self) {
        self.sessions.end_streams();
    }

    /// spec: 2025-11-25 `basic/lifecycle#initialization`
    fn open(&self, request: &Request, principal: Principal, accepts: Accepts) -> Result<Answer, Refused> {
        let refused = |status, error: &ErrorObject| Box::new(reply::error(status, Some(&request.id), error));
        let (session, answer) = Session::open(&self.server, request, principal, Version::V2025_03_26)
            .map_err(|error| refused(StatusCode::OK, &error))?;
        let held = self.sessions.open(session).map_err(|unopened| {
            let why = match unopened {
                Unopened::Full => "This server has as many sessions as it takes. Try again later.",
                Unopened::NoId(error) => {
                    tracing::error!(%error, "the operating system gives no randomness for a session");
                    "This server can open no session."
                }
            };
            let mut busy = refused(StatusCode::SERVICE_UNAVAILABLE, &ErrorObject::internal(why));
            busy.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("60"));
            busy
        })?;
        let mut answer = match accepts.json {
            true => reply::json(StatusCode::OK, answer),
            false => events::whole(StatusCode::OK, &answer),
        };
        // Letters, digits, `-` and `_`: always a value.
        if let Ok(id) = HeaderValue::from_str(&held.id) {
            answer.headers_mut().insert(SESSION, id);
        }
        Ok(answer)
    }

    /// The session that a request names.
    fn find(&self, headers: &HeaderMap, principal: &Principal, id: Option<&RequestId>) -> Result<InUse, Refused> {
        let refused = |status, why: &str| Box::new(reply::error(status, id, &ErrorObject::invalid_request(why)));
        let mut names = headers.get_all(SESSION).iter();
        let (Some(name), None) = (names.next(), names.next()) else {
            let why = "Requests of this protocol version come within a session. Send `initialize` first, and its \
                       `Mcp-Session-Id` with each request.";
            return Err(refused(StatusCode::BAD_REQUEST, why));
        };
        let held = name.to_str().ok().and_then(|id| self.sessions.find(id, principal));
        let held = held.ok_or_else(|| {
            refused(
                StatusCode::NOT_FOUND,
                "There is no such session, or it is over. Send `initialize` to open another.",
            )
        })?;
        if !may_name_version(headers) {
            let why =
                format!("This session speaks {}: say so in `MCP-Protocol-Version`.", held.session.version().name());
            return Err(refused(StatusCode::BAD_REQUEST, &why));
        }
        Ok(held)
    }
}

/// Whether a request names a session.
pub(super) fn named(headers: &HeaderMap) -> bool {
    headers.contains_key(SESSION)
}

/// The revision with sessions that a header names.
fn version(headers: &HeaderMap) -> Option<Version> {
    Version::named(headers.get(VERSION)?.to_str().ok()?.trim())
}

/// Whether the version that a request of a session names, if it names any, is one that sessions speak here.
///
/// spec: 2025-11-25 `basic/transports#protocol-version-header`
fn may_name_version(headers: &HeaderMap) -> bool {
    let mut versions = headers.get_all(VERSION).iter();
    match (versions.next(), versions.next()) {
        (None, _) => true,
        (Some(_), None) => version(headers).is_some_and(|version| version > Version::V2024_11_05),
        (Some(_), Some(_)) => false,
    }
}

/// Not 404, which would tell the client that its session is over.
fn no_event() -> Refused {
    let why = "There is no such event, or it is gone. Open a stream without `Last-Event-ID`.";
    reply::refused(StatusCode::BAD_REQUEST, why).into()
}

fn notified(held: &Held, notification: &Notification) {
    let id = cancelled_request(notification.params.as_deref());
    match id.filter(|_| notification.method == method::NOTIFICATION_CANCELLED) {
        Some(id) => held.in_flight.cancel(&id),
        None => tracing::debug!(method = notification.method, "a notification that asks nothing of this server"),
    }
}

/// The answer to a POST, or its beginning.
async fn respond(held: InUse, reader: Reader, accepts: Accepts, options: &HttpOptions) -> Answer {
    // A client that takes no events waits for as long as it takes. One that would rather have them can come back for the
    // answer, should it lose the connection.
    if accepts.rather_events {
        return events::of(StatusCode::OK, Box::pin(stream::of_log(held, reader, true, options.keep_alive)));
    }
    if accepts.events {
        drop(timeout(options.patience, reader.readable()).await);
    } else {
        reader.log().done().await;
    }
    match reader.answer(accepts.events) {
        Some(frame) if accepts.json => {
            held.drop_log(reader.log().id);
            reply::json(StatusCode::OK, frame)
        }
        _ => events::of(StatusCode::OK, Box::pin(stream::of_log(held, reader, true, options.keep_alive))),
    }
}
