//! Streamable HTTP, as a client has it: each message a POST, each answer JSON or a stream of events.
//!
//! spec: `basic/transports/streamable-http`

pub(super) mod headers;
mod sse;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use haft_wire::{CancelledParams, Limits, Message, Request, RequestId, Response as Answered, VERSION, encode, method};
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use reqwest::{Response, Url};
use tokio::task::JoinHandle;

use self::sse::Events;
use super::authorize::{Authorize, HttpTarget, Refusal};
use super::frames::{read, spoilt_answer};
use super::inbound::Inbound;
use super::link::{Answer, Mirrored, Outgoing};
use super::replies::Replies;
use super::wire::OnWire;
use super::{ClientError, ErrorKind};
use crate::error::causes;

const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const MCP_METHOD: HeaderName = HeaderName::from_static("mcp-method");
const MCP_NAME: HeaderName = HeaderName::from_static("mcp-name");
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

/// How often one request is sent while the server asks for other authorization.
const MAX_ATTEMPTS: usize = 5;
/// How often in a row a stream that breaks off is read on without anything new on it.
const MAX_RESUMED: u32 = 10;
/// After what time a stream is read on, unless the server says so; and what it can't say less or more than.
const RETRY: Duration = Duration::from_secs(1);
const SOONEST: Duration = Duration::from_millis(50);
const LATEST: Duration = Duration::from_secs(60);
/// What the answer to a request of the server's may take to send.
const REPLY: Duration = Duration::from_secs(30);
/// Hosts that a request may be sent on to, one after the other: all of them the same.
const MAX_REDIRECTS: usize = 5;

/// A server behind a URL.
pub(super) struct Http {
    inner: Arc<Inner>,
    listening: Mutex<Option<JoinHandle<()>>>,
}

struct Inner {
    client: reqwest::Client,
    /// As it was given.
    url: String,
    parsed: Url,
    headers: HeaderMap,
    authorize: Option<Arc<dyn Authorize>>,
    limits: Limits,
    on_wire: OnWire,
    /// The last authorization, and how many there were.
    identity: Mutex<(Vec<(HeaderName, HeaderValue)>, u64)>,
    spoken: Mutex<Spoken>,
}

/// What the server was found to speak.
#[derive(Debug, Clone, Default)]
enum Spoken {
    #[default]
    Modern,
    /// A revision with sessions, once it is agreed on, and the session's id, if the server gave one.
    Legacy { version: Option<&'static str>, session: Option<HeaderValue> },
}

/// How a server is reached over HTTP.
#[derive(Default, Clone)]
pub(super) struct HttpSettings {
    pub(super) headers: HeaderMap,
    pub(super) authorize: Option<Arc<dyn Authorize>>,
    pub(super) max_message: Option<usize>,
    pub(super) on_wire: OnWire,
}

impl Http {
    pub(super) fn new(url: &str, settings: HttpSettings) -> Result<Self, ClientError> {
        let wrong = |what: String| ClientError::new(ErrorKind::Connect, what);
        let parsed = Url::parse(url).map_err(|error| wrong(format!("{url:?} is no URL: {error}")))?;
        if !matches!(parsed.scheme(), "http" | "https") || parsed.host().is_none() {
            return Err(wrong(format!("{url:?} is no http: or https: URL")));
        }
        let client = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::custom(same_origin))
            .connect_timeout(Duration::from_secs(30))
            .tcp_nodelay(true)
            .build()
            .map_err(|error| wrong(format!("no HTTP client could be made: {}", causes(&error))))?;
        let HttpSettings { headers, authorize, max_message, on_wire } = settings;
        let limits = Limits { max_bytes: max_message.unwrap_or(Limits::default().max_bytes), ..Limits::default() };
        let (url, spoken) = (url.to_owned(), Mutex::default());
        let inner =
            Inner { client, url, parsed, headers, authorize, limits, on_wire, identity: Mutex::default(), spoken };
        Ok(Self { inner: Arc::new(inner), listening: Mutex::new(None) })
    }

    /// From here on messages are those of a revision with sessions; without a version, the first of them.
    pub(super) fn speak_legacy(&self, agreed: Option<&'static str>) {
        let mut spoken = self.inner.spoken();
        let session = match &*spoken {
            Spoken::Legacy { session, .. } if agreed.is_some() => session.clone(),
            _ => None,
        };
        *spoken = Spoken::Legacy { version: agreed, session };
    }

    pub(super) fn speak_modern(&self) {
        *self.inner.spoken() = Spoken::Modern;
    }

    pub(super) async fn request(&self, outgoing: Outgoing, inbound: &Arc<Inbound>) -> Result<Answer, ClientError> {
        let Outgoing { id, frame, mirrored } = outgoing;
        let mut cancel = CancelOnDrop { inner: Arc::clone(&self.inner), id, armed: self.inner.is_legacy() };
        let headers = self.inner.headers_of(&mirrored);
        let answer = Arc::clone(&self.inner).request(id, frame.into(), headers, inbound).await;
        cancel.armed = false;
        answer
    }

    pub(super) async fn notify(&self, method: &str, frame: Vec<u8>) -> Result<(), ClientError> {
        let mirrored = Mirrored { method: method.to_owned(), ..Mirrored::default() };
        self.inner.post(frame.into(), self.inner.headers_of(&mirrored)).await
    }

    /// Which authorization requests have now: another number for another one.
    pub(super) async fn identity(&self) -> u64 {
        let target = HttpTarget { method: &Method::POST, url: &self.inner.url };
        match &self.inner.authorize {
            // Where there is none to be had, the next request says why.
            Some(authorize) => match authorize.headers(target).await {
                Ok(headers) => self.inner.note_identity(&headers),
                Err(_) => self.inner.note_identity(&[]),
            },
            None => 0,
        }
    }

    /// Begins to listen for what a server of an older revision says without being asked, if it has such a stream.
    pub(super) fn listen(&self, inbound: &Arc<Inbound>) {
        let listening = tokio::spawn(Arc::clone(&self.inner).listen(Arc::clone(inbound)));
        let before = self.listening.lock().unwrap_or_else(PoisonError::into_inner).replace(listening);
        if let Some(before) = before {
            before.abort();
        }
    }

    /// Ends the session, if there is one. That the server doesn't care is no error.
    pub(super) async fn close(&self) {
        let session = matches!(&*self.inner.spoken(), Spoken::Legacy { session: Some(_), .. });
        if session && let Err(error) = self.inner.send(Method::DELETE, None, self.inner.headers_of_stream()).await {
            tracing::debug!(%error, "the session could not be ended");
        }
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        if let Some(listening) = self.listening.get_mut().unwrap_or_else(PoisonError::into_inner) {
            listening.abort();
        }
    }
}

impl Inner {
    fn spoken(&self) -> std::sync::MutexGuard<'_, Spoken> {
        self.spoken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note_identity(&self, sent: &[(HeaderName, HeaderValue)]) -> u64 {
        // A proof is another one for each request.
        let lasting: Vec<_> = sent.iter().filter(|(name, _)| name.as_str() != "dpop").cloned().collect();
        let mut identity = self.identity.lock().unwrap_or_else(PoisonError::into_inner);
        if identity.0 != lasting {
            *identity = (lasting, identity.1 + 1);
        }
        identity.1
    }

    fn is_legacy(&self) -> bool {
        matches!(&*self.spoken(), Spoken::Legacy { .. })
    }

    /// spec: `basic/transports/streamable-http#standard-request-headers`
    fn headers_of(&self, mirrored: &Mirrored) -> HeaderMap {
        let mut headers = self.headers_of_stream();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        if !self.is_legacy() {
            headers.insert(PROTOCOL_VERSION, HeaderValue::from_static(VERSION));
            headers.extend(headers::value(&mirrored.method).map(|method| (MCP_METHOD, method)));
            headers.extend(mirrored.name.as_deref().and_then(headers::value).map(|name| (MCP_NAME, name)));
            headers.extend(mirrored.arguments.clone());
        }
        headers
    }

    /// What each request of a session carries.
    fn headers_of_stream(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if let Spoken::Legacy { version, session } = &*self.spoken() {
            headers.extend(version.map(|version| (PROTOCOL_VERSION, HeaderValue::from_static(version))));
            headers.extend(session.clone().map(|session| (SESSION, session)));
        }
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        headers
    }

    /// Sends one HTTP request, with whatever authorization it takes.
    async fn send(&self, method: Method, body: Option<Bytes>, headers: HeaderMap) -> Result<Response, ClientError> {
        let target = HttpTarget { method: &method, url: &self.url };
        let unauthorized = |what: String| ClientError::new(ErrorKind::Unauthorized, what);
        for attempt in 1.. {
            let mut all = self.headers.clone();
            all.extend(headers.clone());
            let mut sent = Vec::new();
            if let Some(authorize) = &self.authorize {
                sent = authorize.headers(target).await.map_err(|error| unauthorized(error.to_string()))?;
                self.note_identity(&sent);
                for (name, value) in &sent {
                    let mut value = value.clone();
                    value.set_sensitive(true);
                    all.insert(name.clone(), value);
                }
            }
            self.on_wire.request(&method, &self.url, &all);
            if let Some(body) = &body {
                self.on_wire.sent(body);
            }
            let mut request = self.client.request(method.clone(), self.parsed.clone()).headers(all);
            if let Some(body) = &body {
                request = request.body(body.clone());
            }
            let response = request.send().await.map_err(|error| {
                let what = format!("{} could not be reached: {}", self.url, causes(&error));
                ClientError::new(ErrorKind::Connect, what)
            })?;
            let status = response.status();
            self.on_wire.response(status, response.headers());
            if !matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
                return Ok(response);
            }
            let Some(authorize) = &self.authorize else {
                let what = format!("{} wants authorization ({status}), and this client has none", self.url);
                return if status == StatusCode::UNAUTHORIZED { Err(unauthorized(what)) } else { Ok(response) };
            };
            let refusal = Refusal { status, headers: response.headers(), sent: &sent };
            let again = authorize.refused(target, refusal).await.map_err(|error| unauthorized(error.to_string()))?;
            if !again || attempt == MAX_ATTEMPTS {
                let what = format!("{} refuses the authorization of this client ({status})", self.url);
                return Err(unauthorized(what));
            }
        }
        Err(unauthorized(format!("{} refuses the authorization of this client", self.url)))
    }

    /// Sends a message that has no answer.
    async fn post(&self, frame: Bytes, headers: HeaderMap) -> Result<(), ClientError> {
        let response = self.send(Method::POST, Some(frame), headers).await?;
        let status = response.status();
        if status.is_success() { Ok(()) } else { Err(self.refused(status)) }
    }

    fn refused(&self, status: StatusCode) -> ClientError {
        ClientError::new(ErrorKind::Http(status.as_u16()), format!("{} answered with {status}", self.url))
    }

    async fn request(
        self: Arc<Self>,
        id: i64,
        frame: Bytes,
        headers: HeaderMap,
        inbound: &Arc<Inbound>,
    ) -> Result<Answer, ClientError> {
        let in_session = headers.contains_key(SESSION);
        let mut response = self.send(Method::POST, Some(frame), headers).await?;
        let status = response.status();
        if in_session && status == StatusCode::NOT_FOUND {
            return Err(ClientError::new(ErrorKind::SessionOver, format!("{} has ended the session", self.url)));
        }
        if let Spoken::Legacy { session: session @ None, .. } = &mut *self.spoken() {
            *session = response.headers().get(SESSION).cloned();
        }
        match kind(&response) {
            Kind::Events if status.is_success() => self.stream(response, id, inbound).await,
            Kind::Json => {
                let body = self.body(&mut response).await?;
                match read(&body, &self.limits) {
                    Ok(Message::Response(Answered { id: answered, outcome })) => match (&answered, &outcome) {
                        (Some(RequestId::Int(answered)), _) if *answered == id => Ok(outcome),
                        // A server that can't read a request doesn't know its id.
                        (None, Err(_)) => Ok(outcome),
                        _ => Err(ClientError::invalid("the server answered another request than this one")),
                    },
                    _ if !status.is_success() => Err(self.refused(status)),
                    _ => Err(ClientError::invalid(format!("{} answered with what is no response", self.url))),
                }
            }
            _ if status.is_success() => {
                Err(ClientError::invalid(format!("{} answered with neither JSON nor events", self.url)))
            }
            _ => Err(self.refused(status)),
        }
    }

    async fn body(&self, response: &mut Response) -> Result<Vec<u8>, ClientError> {
        let most = self.limits.max_bytes;
        let too_long = || ClientError::invalid(format!("an answer of {} is longer than {most} bytes", self.url));
        if response.content_length().is_some_and(|length| length > most as u64) {
            return Err(too_long());
        }
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| self.broken(&error))? {
            if body.len() + chunk.len() > most {
                return Err(too_long());
            }
            body.extend_from_slice(&chunk);
        }
        self.on_wire.received(&body);
        Ok(body)
    }

    fn broken(&self, error: &reqwest::Error) -> ClientError {
        let what = format!("the connection to {} broke off: {}", self.url, causes(error));
        ClientError::new(ErrorKind::Closed, what)
    }

    /// Reads a stream up to the answer. One of an older revision that breaks off is read on.
    ///
    /// spec: 2025-11-25 `basic/transports#resumability-and-redelivery`
    async fn stream(
        self: Arc<Self>,
        mut response: Response,
        id: i64,
        inbound: &Arc<Inbound>,
    ) -> Result<Answer, ClientError> {
        let mut events = Events::new(self.limits.max_bytes);
        // What the server asks meanwhile; given up with the request.
        let mut replies = Replies::default();
        let mut resumed = 0;
        loop {
            match response.chunk().await {
                Ok(Some(bytes)) => {
                    for data in self.fed(&mut events, &bytes)? {
                        resumed = 0;
                        self.on_wire.received(&data);
                        match read(&data, &self.limits) {
                            Ok(Message::Response(Answered { id: Some(RequestId::Int(answered)), outcome }))
                                if answered == id =>
                            {
                                return Ok(outcome);
                            }
                            Ok(Message::Response(Answered { id: None, outcome: Err(error) })) => return Ok(Err(error)),
                            Ok(Message::Response(_)) => {
                                tracing::warn!("the server answered another request than this one");
                            }
                            Ok(Message::Notification(notification)) => inbound.notification(&notification),
                            Ok(Message::Request(request)) => {
                                let this = Arc::clone(&self);
                                replies.answer(request, |request| this.reply(request, Arc::clone(inbound))).await;
                            }
                            Err(malformed) if spoilt_answer(&data, &malformed) == Some(id) => {
                                let what = format!("{} answered with what is no message of the protocol", self.url);
                                return Err(ClientError::invalid(what));
                            }
                            Err(malformed) => {
                                tracing::warn!(message = malformed.error.message, "an event is no message");
                            }
                        }
                    }
                }
                ended => {
                    let Some(last) = events.last_id.clone().filter(|_| self.is_legacy() && resumed < MAX_RESUMED)
                    else {
                        let what = format!("{} ended the stream before it answered", self.url);
                        return Err(ended
                            .err()
                            .map_or_else(|| ClientError::new(ErrorKind::Closed, what), |error| self.broken(&error)));
                    };
                    resumed += 1;
                    tokio::time::sleep(pause(&events)).await;
                    response = self.resume(&last).await?;
                    events = events.anew();
                }
            }
        }
    }

    fn fed(&self, events: &mut Events, bytes: &[u8]) -> Result<Vec<Vec<u8>>, ClientError> {
        events.feed(bytes).map_err(|_| {
            let what = format!("{} sent an event of more than {} bytes", self.url, self.limits.max_bytes);
            ClientError::invalid(what)
        })
    }

    async fn resume(&self, last: &str) -> Result<Response, ClientError> {
        let mut headers = self.headers_of_stream();
        headers.extend(HeaderValue::from_str(last).ok().map(|last| (LAST_EVENT, last)));
        let response = self.send(Method::GET, None, headers).await?;
        let status = response.status();
        if status.is_success() && kind(&response) == Kind::Events {
            return Ok(response);
        }
        let what = format!("{} ended the stream before it answered, and gives no more of it ({status})", self.url);
        Err(ClientError::new(ErrorKind::Closed, what))
    }

    async fn reply(self: Arc<Self>, request: Request, inbound: Arc<Inbound>) {
        let answer = inbound.request(&request).await;
        let sent = self.post(answer.into(), self.headers_of(&Mirrored::default()));
        match tokio::time::timeout(REPLY, sent).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, "an answer to the server could not be sent"),
            Err(_) => tracing::warn!("an answer to the server was not taken in time"),
        }
    }

    /// spec: 2025-11-25 `basic/transports#listening-for-messages-from-the-server`
    async fn listen(self: Arc<Self>, inbound: Arc<Inbound>) {
        let mut last: Option<String> = None;
        let mut replies = Replies::default();
        let mut wait = RETRY;
        loop {
            let mut headers = self.headers_of_stream();
            headers
                .extend(last.as_deref().and_then(|last| HeaderValue::from_str(last).ok()).map(|id| (LAST_EVENT, id)));
            match self.send(Method::GET, None, headers).await {
                Ok(mut response) if response.status().is_success() && kind(&response) == Kind::Events => {
                    let mut events = Events::new(self.limits.max_bytes);
                    let mut news = false;
                    while let Ok(Some(bytes)) = response.chunk().await {
                        let Ok(complete) = events.feed(&bytes) else { return };
                        for data in complete {
                            news = true;
                            self.on_wire.received(&data);
                            match read(&data, &self.limits) {
                                Ok(Message::Notification(notification)) => inbound.notification(&notification),
                                Ok(Message::Request(request)) => {
                                    let this = Arc::clone(&self);
                                    replies.answer(request, |request| this.reply(request, Arc::clone(&inbound))).await;
                                }
                                _ => tracing::warn!("an event on the stream of news is no news"),
                            }
                        }
                    }
                    last = events.last_id.take().or(last);
                    // One that only ever ends is asked less and less often.
                    wait = if news { pause(&events) } else { pause(&events).max((wait * 2).min(LATEST)) };
                }
                // 405: it has no such stream. 404: the session is over; the next request finds out.
                Ok(response) if response.status().is_client_error() => return,
                Ok(_) | Err(_) => wait = (wait * 2).min(LATEST),
            }
            tokio::time::sleep(wait).await;
        }
    }
}

/// How long to wait before a stream is read on.
fn pause(events: &Events) -> Duration {
    events.retry.unwrap_or(RETRY).clamp(SOONEST, LATEST)
}

/// What an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Json,
    Events,
    Other,
}

fn kind(response: &Response) -> Kind {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if kind.eq_ignore_ascii_case("application/json") {
        Kind::Json
    } else if kind.eq_ignore_ascii_case("text/event-stream") {
        Kind::Events
    } else {
        Kind::Other
    }
}

/// Follows a server to another path of its own, and to nobody else: a request carries what is for this one only.
fn same_origin(attempt: reqwest::redirect::Attempt<'_>) -> reqwest::redirect::Action {
    let from = attempt.previous().first().map(Url::origin);
    if attempt.previous().len() <= MAX_REDIRECTS && from == Some(attempt.url().origin()) {
        attempt.follow()
    } else {
        attempt.stop()
    }
}

/// Tells a server of an older revision, to which a closed connection says nothing.
struct CancelOnDrop {
    inner: Arc<Inner>,
    id: i64,
    armed: bool,
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        if !self.armed {
            return;
        }
        let (inner, params) = (
            Arc::clone(&self.inner),
            CancelledParams { request_id: RequestId::Int(self.id), reason: None, meta: None },
        );
        let Ok(frame) = encode::notification(method::NOTIFICATION_CANCELLED, Some(&params)) else { return };
        // Nobody waits for it: it ends with the request, after the time that a connection may take.
        runtime.spawn(async move {
            let headers = inner.headers_of(&Mirrored::default());
            let sent = tokio::time::timeout(Duration::from_secs(30), inner.post(frame.into(), headers)).await;
            if !matches!(sent, Ok(Ok(()))) {
                tracing::debug!("a cancellation could not be sent");
            }
        });
    }
}
