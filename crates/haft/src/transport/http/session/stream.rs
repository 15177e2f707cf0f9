//! Streams of events that a client can leave and come back to.

use std::future::Future;
use std::time::Duration;

use bytes::Bytes;
use futures_util::Stream;
use futures_util::stream::unfold;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;

use super::log::{Next, Reader};
use super::store::{Held, InUse};
use crate::legacy::Version;
use crate::transport::http::events;

/// After how many milliseconds a client may come back for more.
const RETRY: u64 = 500;

/// An event by which a client can say where it was.
///
/// spec: 2025-11-25 `basic/transports#resumability-and-redelivery`
fn event(log: u64, number: u64, frame: &[u8]) -> Bytes {
    let mut event = format!("id: {log}-{number}\n").into_bytes();
    event.extend_from_slice(&events::event(frame));
    event.into()
}

/// What tells a client how to come back, before there is anything to say. Clients of earlier revisions would take the
/// empty event for a message.
fn priming(log: u64) -> Bytes {
    format!("id: {log}-0\nretry: {RETRY}\ndata: \n\n").into()
}

/// The log and the event that an id names.
pub(super) fn place(id: &str) -> Option<(u64, u64)> {
    let (log, number) = id.split_once('-')?;
    Some((log.parse().ok()?, number.parse().ok()?))
}

/// What a reader has to say. It ends with the log, or when the server lets the connection go.
pub(super) fn of_log(held: InUse, reader: Reader, fresh: bool, quiet: Duration) -> impl Stream<Item = Bytes> + Send {
    let log = reader.log().id;
    let primes = fresh && held.session.version() >= Version::V2025_11_25;
    let first = primes.then(|| priming(log));
    unfold((held, reader, first), move |(held, mut reader, first)| async move {
        if let Some(first) = first {
            return Some((first, (held, reader, None)));
        }
        let next = or_comment(quiet, reader.next()).await;
        let bytes = match next {
            None => events::comment(),
            Some(Next::Event(number, frame)) => event(log, number, &frame),
            Some(Next::LetGo | Next::End) => return None,
        };
        Some((bytes, (held, reader, None)))
    })
}

/// What the client is told without asking, until the session ends or it opens another such stream.
pub(super) fn of_news(held: InUse, slot: OwnedSemaphorePermit, quiet: Duration) -> impl Stream<Item = Bytes> + Send {
    let mut mine = 0;
    held.listener.send_modify(|listener| {
        *listener += 1;
        mine = *listener;
    });
    let start = (held, slot, Vec::new().into_iter(), false, true);
    unfold(start, move |(held, slot, mut ready, last, first): (_, _, std::vec::IntoIter<Vec<u8>>, _, _)| async move {
        if first {
            // So that the client knows that it is heard.
            return Some((events::comment(), (held, slot, ready, last, false)));
        }
        if let Some(frame) = ready.next() {
            return Some((events::event(&frame), (held, slot, ready, last, false)));
        }
        if last {
            return None;
        }
        let next = {
            let held: &Held = &held;
            let mut listener = held.listener.subscribe();
            let news = async {
                tokio::select! {
                    biased;
                    () = held.ended.cancelled() => None,
                    _ = listener.wait_for(|listener| *listener != mine) => None,
                    news = held.session.next_news() => Some(news),
                }
            };
            or_comment(quiet, news).await
        };
        match next {
            None => Some((events::comment(), (held, slot, ready, false, false))),
            Some(None) => None,
            // Nothing but the end: there is no message for it.
            Some(Some((news, true))) if news.is_empty() => None,
            Some(Some((news, last))) => {
                ready = news.into_iter();
                let frame = ready.next()?;
                Some((events::event(&frame), (held, slot, ready, last, false)))
            }
        }
    })
}

/// What there is next; none, if there is nothing for so long.
async fn or_comment<T>(quiet: Duration, next: impl Future<Output = T>) -> Option<T> {
    timeout(quiet, next).await.ok()
}
