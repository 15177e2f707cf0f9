//! Bodies of answers: in one piece, or a stream of server-sent events.

use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderName, HeaderValue, Response, StatusCode};
use http_body::{Body, Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep};

use super::HttpOptions;
use super::exchange::{Exchange, Step};

/// The body of an answer of [`HttpService`](crate::HttpService).
///
/// Dropping one whose request is still running cancels that request, unless it is one of a session, whose client may come
/// back for the answer.
pub struct HttpBody(Kind);

enum Kind {
    Whole(Bytes),
    /// One that goes on without its reader.
    Stream(BoxStream<'static, Bytes>),
    Events(Box<Events>),
}

/// A stream that is not at its end.
struct Events {
    /// What goes out first.
    ready: Option<Bytes>,
    /// `None` once the answer has gone out.
    exchange: Option<Exchange>,
    keep_alive: Duration,
    quiet: Pin<Box<Sleep>>,
}

impl HttpBody {
    pub(super) fn empty() -> Self {
        Self(Kind::Whole(Bytes::new()))
    }

    pub(super) fn whole(bytes: impl Into<Bytes>) -> Self {
        Self(Kind::Whole(bytes.into()))
    }
}

/// A stream that begins with `first`.
pub(super) fn stream(
    status: StatusCode,
    first: Bytes,
    exchange: Exchange,
    options: &HttpOptions,
) -> Response<HttpBody> {
    let keep_alive = options.keep_alive;
    let (ready, exchange, quiet) = (Some(first), Some(exchange), Box::pin(sleep(keep_alive)));
    answer(status, HttpBody(Kind::Events(Box::new(Events { ready, exchange, keep_alive, quiet }))))
}

/// A stream of events that come from elsewhere.
pub(super) fn of(status: StatusCode, events: BoxStream<'static, Bytes>) -> Response<HttpBody> {
    answer(status, HttpBody(Kind::Stream(events)))
}

/// A stream of one event.
pub(super) fn whole(status: StatusCode, frame: &[u8]) -> Response<HttpBody> {
    answer(status, HttpBody::whole(event(frame)))
}

fn answer(status: StatusCode, body: HttpBody) -> Response<HttpBody> {
    let mut answer = Response::new(body);
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store, no-transform"));
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    answer
}

/// A message as an event. It is one line, so one `data` field holds it.
pub(super) fn event(frame: &[u8]) -> Bytes {
    [b"event: message\ndata: ", frame, b"\n\n"].concat().into()
}

/// A sign of life that readers skip.
pub(super) fn comment() -> Bytes {
    Bytes::from_static(b":\n\n")
}

impl Events {
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if let Some(ready) = self.ready.take() {
            return Poll::Ready(Some(ready));
        }
        let Some(exchange) = &mut self.exchange else { return Poll::Ready(None) };
        let bytes = match exchange.poll_step(cx) {
            Poll::Ready(Step::Frame(frame)) => event(&frame),
            Poll::Ready(Step::Answer(answer)) => {
                self.exchange = None;
                event(&answer.frame)
            }
            Poll::Pending if self.quiet.as_mut().poll(cx).is_ready() => comment(),
            Poll::Pending => return Poll::Pending,
        };
        self.quiet.as_mut().reset(Instant::now() + self.keep_alive);
        Poll::Ready(Some(bytes))
    }
}

impl Body for HttpBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let next = match &mut self.0 {
            Kind::Whole(bytes) if bytes.is_empty() => Poll::Ready(None),
            Kind::Whole(bytes) => Poll::Ready(Some(std::mem::take(bytes))),
            Kind::Events(events) => events.poll_next(cx),
            Kind::Stream(events) => events.poll_next_unpin(cx),
        };
        next.map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Kind::Whole(bytes) => bytes.is_empty(),
            Kind::Events(events) => events.ready.is_none() && events.exchange.is_none(),
            Kind::Stream(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Kind::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Kind::Events(_) | Kind::Stream(_) => SizeHint::default(),
        }
    }
}

impl fmt::Debug for HttpBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Whole(bytes) => f.debug_tuple("HttpBody").field(&bytes.len()).finish(),
            Kind::Events(_) | Kind::Stream(_) => f.write_str("HttpBody(events)"),
        }
    }
}
