use std::future::poll_fn;
use std::pin::pin;
use std::time::Duration;

use bytes::Buf;
use http::StatusCode;
use http_body::Body;

/// How long a client may take to send its body.
const READ_DEADLINE: Duration = Duration::from_secs(30);

/// So much of a body that is too long is read on, and dropped: a client that is still writing when its connection is
/// closed often misses the answer.
const DRAINED: usize = 32 << 20;

/// Why a body was not taken.
pub(super) struct Unread {
    pub(super) status: StatusCode,
    pub(super) why: String,
}

impl Unread {
    fn new(status: StatusCode, why: impl Into<String>) -> Self {
        Self { status, why: why.into() }
    }
}

/// Reads a body of `max` bytes at most.
pub(super) async fn read<B>(body: B, max: usize) -> Result<Vec<u8>, Unread>
where
    B: Body,
    B::Error: std::fmt::Display,
{
    let late = || Unread::new(StatusCode::REQUEST_TIMEOUT, "The body took too long to arrive.");
    tokio::time::timeout(READ_DEADLINE, collect(body, max)).await.unwrap_or_else(|_| Err(late()))
}

async fn collect<B>(body: B, max: usize) -> Result<Vec<u8>, Unread>
where
    B: Body,
    B::Error: std::fmt::Display,
{
    let mut body = pin!(body);
    let (mut read, mut skipped) = (Vec::new(), 0_usize);
    while let Some(frame) = poll_fn(|cx| body.as_mut().poll_frame(cx)).await {
        let frame =
            frame.map_err(|error| Unread::new(StatusCode::BAD_REQUEST, format!("The body can't be read: {error}")))?;
        let Ok(mut data) = frame.into_data() else { continue };
        if skipped > 0 || read.len() + data.remaining() > max {
            skipped += read.len() + data.remaining();
            read = Vec::new();
            if skipped > DRAINED {
                break;
            }
        }
        while skipped == 0 && data.has_remaining() {
            let chunk = data.chunk();
            read.extend_from_slice(chunk);
            let taken = chunk.len();
            data.advance(taken);
        }
    }
    if skipped > 0 {
        let why = format!("The body is longer than {max} bytes. Send a shorter one, or set HttpOptions::max_body.");
        return Err(Unread::new(StatusCode::PAYLOAD_TOO_LARGE, why));
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use bytes::Bytes;
    use http_body::Frame;

    use super::*;

    /// So many pieces of a megabyte each, and then nothing more, without an end.
    struct Endless(usize);

    impl Body for Endless {
        type Data = Bytes;
        type Error = Infallible;

        fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
            if self.0 == 0 {
                return Poll::Pending;
            }
            self.0 -= 1;
            Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(&[b' '; 1 << 20])))))
        }
    }

    async fn status(pieces: usize) -> Option<StatusCode> {
        read(Endless(pieces), 4 << 20).await.err().map(|unread| unread.status)
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_does_not_arrive_is_given_up() {
        assert_eq!(status(0).await, Some(StatusCode::REQUEST_TIMEOUT));
        assert_eq!(status(3).await, Some(StatusCode::REQUEST_TIMEOUT));
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_is_far_too_long_is_not_read_to_its_end() {
        assert_eq!(status(usize::MAX).await, Some(StatusCode::PAYLOAD_TOO_LARGE));
    }
}
