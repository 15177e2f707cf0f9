//! Stop 1 over HTTP. in: an HTTP request; out: its answer, by way of a message; next: `haft-wire/message`.

use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use haft_wire::{ErrorObject, Limits, Malformed, Message, Request, RequestId, method, parse};
use http::header::{ALLOW, ORIGIN, RETRY_AFTER};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode};
use http_body::Body;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower_service::Service;

use super::accept::{Accepts, sends_json};
use super::exchange::Exchange;
use super::session::{self, Legacy, Sent};
use super::{HttpBody, HttpOptions, admission, body, cors, gate, mirror, reply};
use crate::auth::ProtectedResource;
use crate::server::{Principal, Server};

/// A server as a [`tower_service::Service`] of HTTP requests: an MCP endpoint to mount in an application.
///
/// Every request that it is given is taken for one to the endpoint, whatever its path. Clones share their bounds. It
/// answers whatever comes (the error type is [`Infallible`]) and needs a running tokio runtime. Sessions, and what runs in
/// them, end with the last clone.
///
/// ```
/// use haft::prelude::*;
/// use haft::HttpOptions;
/// use tower_service::Service;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = Server::new("empty", "1.0.0").build()?;
/// let mut service = server.into_http_service(HttpOptions::new());
///
/// // An axum application would have it by `.route_service("/mcp", service)`.
/// let request = http::Request::get("http://localhost/mcp").body(String::new())?;
/// assert_eq!(service.call(request).await?.status(), 405);
/// # Ok(())
/// # }
/// ```
///
/// spec: `basic/transports/streamable-http`
#[derive(Clone)]
pub struct HttpService {
    pub(super) inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub(super) server: Server,
    pub(super) options: HttpOptions,
    /// Where clients of older revisions are served.
    legacy: Option<Legacy>,
    /// For requests, and for those of them that last: what waits for changes keeps nobody busy.
    slots: Arc<Semaphore>,
    subscriptions: Arc<Semaphore>,
    /// For what ends a request that takes up a slot, when there is none left: an answer to its question, a cancellation.
    spare: Arc<Semaphore>,
}

/// How many of these are taken side by side.
const SPARE: usize = 64;

impl Server {
    /// The server as an HTTP service, for applications that have a router of their own.
    ///
    /// `options` hold for whatever the application does around it: `Host` and `Origin` are checked in here.
    pub fn into_http_service(self, options: HttpOptions) -> HttpService {
        let bound = |permits: usize| Arc::new(Semaphore::new(permits.min(Semaphore::MAX_PERMITS)));
        if let Some(problem) = options.resource.as_ref().and_then(ProtectedResource::problem) {
            tracing::error!(problem, "the protected resource is not one that clients can use");
        }
        let (slots, subscriptions) = (bound(options.max_in_flight), bound(options.max_subscriptions));
        let legacy = self.settings().legacy.then(|| Legacy::new(&self, &options));
        let spare = bound(SPARE);
        HttpService { inner: Arc::new(Inner { server: self, options, legacy, slots, subscriptions, spare }) }
    }
}

impl HttpService {
    /// What has no end of its own would hold up the end of its connection.
    pub(super) fn end_subscriptions(&self) {
        self.inner.server.handle().end_subscriptions();
        if let Some(legacy) = &self.inner.legacy {
            legacy.end_streams();
        }
    }
}

impl<B> Service<http::Request<B>> for HttpService
where
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: fmt::Display + Send,
{
    type Response = Response<HttpBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<HttpBody>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<B>) -> Self::Future {
        let inner = Arc::clone(&self.inner);
        Box::pin(async move { Ok(inner.answer(request).await) })
    }
}

impl Inner {
    async fn answer<B>(&self, request: http::Request<B>) -> Response<HttpBody>
    where
        B: Body,
        B::Error: fmt::Display,
    {
        let (parts, body) = request.into_parts();
        if let Err(why) = gate::check(&self.options, &parts.uri, &parts.headers) {
            tracing::warn!(why, "request refused");
            return reply::refused(StatusCode::FORBIDDEN, why);
        }
        let mut answer = if self.options.cors && cors::is_preflight(&parts.method, &parts.headers) {
            cors::preflight(&parts.headers)
        } else {
            self.endpoint(&parts, body).await.unwrap_or_else(|refusal| *refusal)
        };
        if self.options.cors {
            cors::open(&mut answer, parts.headers.get(ORIGIN).cloned());
        }
        answer
    }

    /// A request from somebody who may ask. Refusals are answers, too.
    async fn endpoint<B>(&self, parts: &Parts, body: B) -> Result<Response<HttpBody>, Box<Response<HttpBody>>>
    where
        B: Body,
        B::Error: fmt::Display,
    {
        let (mut slot, busy) = match slot(&self.slots, None) {
            Ok(slot) => (slot, None),
            Err(busy) => match self.spare(parts) {
                Some(slot) => (slot, Some(busy)),
                None => return Err(busy),
            },
        };
        let principal = admission::admit(&self.options, &self.server, parts).await?;
        if let Some(legacy) =
            self.legacy.as_ref().filter(|_| parts.method != Method::POST && session::named(&parts.headers))
        {
            drop(slot);
            let slot = || self::slot(&self.subscriptions, None);
            return legacy.other(&parts.method, &parts.headers, &principal, slot, &self.options);
        }
        let accepts = examine(parts)?;
        let known = || self.legacy.as_ref().is_some_and(|legacy| legacy.knows(&parts.headers, &principal));
        let busy = match busy {
            Some(busy) if !known() => return Err(busy),
            busy => busy,
        };
        let body = body::read(body, self.options.max_body).await;
        let body = body.map_err(|unread| reply::refused(unread.status, unread.why))?;
        let limits = Limits { max_bytes: self.options.max_body, ..Limits::default() };
        let malformed = |malformed: Malformed| {
            Box::new(reply::error(StatusCode::BAD_REQUEST, malformed.id.as_ref(), &malformed.error))
        };
        if let Some(legacy) = &self.legacy
            && let Some(batch) = legacy.batch(&parts.headers, &principal, &body)
        {
            let batch = batch.map_err(|error| reply::error(StatusCode::BAD_REQUEST, None, &error))?;
            let messages = batch.iter().map(|message| parse(message, &limits)).collect::<Result<Vec<_>, _>>();
            let messages = messages.map_err(malformed)?;
            drop(body);
            let requests = messages.iter().filter(|message| matches!(message, Message::Request(_))).count();
            match busy {
                Some(busy) if requests > 0 => return Err(busy),
                _ => slot.merge(slots(&self.slots, requests.saturating_sub(1), None)?),
            }
            let sent = Sent { headers: &parts.headers, accepts, principal, slot };
            return legacy.post_batch(sent, messages, &self.options).await;
        }
        let message = parse(&body, &limits).map_err(malformed)?;
        drop(body);
        match busy {
            Some(busy) if matches!(message, Message::Request(_)) => return Err(busy),
            _ => {}
        }
        let sent = Sent { headers: &parts.headers, accepts, principal, slot };
        if let Some(legacy) = self.legacy.as_ref().filter(|legacy| legacy.claims(&parts.headers, &message)) {
            return legacy.post(sent, message, &self.options).await;
        }
        let Sent { slot, principal, .. } = sent;
        match message {
            Message::Request(request) => self.request(&parts.headers, principal, accepts, request, slot).await,
            // A stream is cancelled by closing it, so there is no notification that asks anything of this server.
            Message::Notification(notification) => {
                tracing::debug!(method = notification.method, "a notification that asks nothing of this server");
                Ok(reply::empty(StatusCode::ACCEPTED))
            }
            Message::Response(response) => {
                let error = ErrorObject::invalid_request("This server asked nothing: send requests, not responses.");
                Err(reply::error(StatusCode::BAD_REQUEST, response.id.as_ref(), &error).into())
            }
        }
    }

    fn spare(&self, parts: &Parts) -> Option<OwnedSemaphorePermit> {
        let spare = self.legacy.is_some() && session::named(&parts.headers);
        Arc::clone(&self.spare).try_acquire_owned().ok().filter(|_| spare)
    }

    async fn request(
        &self,
        headers: &HeaderMap,
        principal: Principal,
        accepts: Accepts,
        request: Request,
        held: OwnedSemaphorePermit,
    ) -> Result<Response<HttpBody>, Box<Response<HttpBody>>> {
        let refused = |status, error: &ErrorObject| Box::new(reply::error(status, Some(&request.id), error));
        mirror::check(&self.server, &principal, headers, &request)
            .map_err(|error| refused(StatusCode::BAD_REQUEST, &error))?;
        let slot = if request.method == method::SUBSCRIPTIONS_LISTEN {
            if !accepts.events {
                let error = ErrorObject::invalid_request("A subscription is a stream: accept text/event-stream.");
                return Err(refused(StatusCode::NOT_ACCEPTABLE, &error));
            }
            slot(&self.subscriptions, Some(&request.id))?
        } else {
            held
        };
        let exchange = Exchange::start(&self.server, principal, request, &self.options, slot);
        Ok(exchange.respond(accepts, &self.options).await)
    }
}

fn slot(slots: &Arc<Semaphore>, id: Option<&RequestId>) -> Result<OwnedSemaphorePermit, Box<Response<HttpBody>>> {
    self::slots(slots, 1, id)
}

fn slots(
    slots: &Arc<Semaphore>,
    count: usize,
    id: Option<&RequestId>,
) -> Result<OwnedSemaphorePermit, Box<Response<HttpBody>>> {
    // A batch has few messages.
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    Arc::clone(slots).try_acquire_many_owned(count).map_err(|_| {
        let why = "This server is answering as many requests as it can. Try again later.";
        let mut busy = reply::error(StatusCode::SERVICE_UNAVAILABLE, id, &ErrorObject::internal(why));
        busy.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
        busy.into()
    })
}

/// Method and headers, before the body is read.
fn examine(parts: &Parts) -> Result<Accepts, Box<Response<HttpBody>>> {
    if parts.method != Method::POST {
        let mut refusal = reply::refused(StatusCode::METHOD_NOT_ALLOWED, "This endpoint takes POST only.");
        refusal.headers_mut().insert(ALLOW, HeaderValue::from_static("POST"));
        return Err(refusal.into());
    }
    if !sends_json(&parts.headers) {
        let why = "The body must be JSON: send `Content-Type: application/json`.";
        return Err(reply::refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, why).into());
    }
    let accepts = Accepts::read(&parts.headers);
    if accepts.nothing() {
        let why = "Answers are JSON or events: send `Accept: application/json, text/event-stream`.";
        return Err(reply::refused(StatusCode::NOT_ACCEPTABLE, why).into());
    }
    Ok(accepts)
}

impl fmt::Debug for HttpService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpService")
            .field("server", &self.inner.server)
            .field("options", &self.inner.options)
            .finish_non_exhaustive()
    }
}
