//! Stops 1 and 9 on any two streams. in: lines from one; out: lines on the other; next: `haft-wire/message`.

use std::future::poll_fn;
use std::io;
use std::pin::{Pin, pin};

use futures_util::future::{Either, select};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::mpsc;

use super::ServeError;
use super::converse::{converse, ended, last_words};
use super::lines::{Line, Lines};
use super::streams::{BATCH, CHUNK, QUEUE};
use crate::server::Server;

impl Server {
    /// Serves one client on two streams of bytes as [`serve_stdio`](Self::serve_stdio) serves stdin and stdout: a
    /// socket, a pipe, or both ends in memory. Needs a running tokio runtime.
    ///
    /// The client is taken for one on this machine ([`Principal::Local`](crate::Principal::Local)): who may connect is
    /// for the caller to decide. Dropping the future cuts the connection off and cancels what is in flight.
    ///
    /// ```no_run
    /// use haft::prelude::*;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = Server::new("orders", "1.0.0").build()?;
    /// let listener = tokio::net::UnixListener::bind("/run/user/1000/orders.sock")?;
    /// let (socket, _) = listener.accept().await?;
    /// let (input, output) = socket.into_split();
    /// server.serve_io(input, output).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When `input` can't be read or `output` can't be written for another reason than that the client is gone.
    ///
    /// spec: `basic/transports/stdio`
    pub async fn serve_io(self, input: impl AsyncRead, output: impl AsyncWrite) -> Result<(), ServeError> {
        let (grace, max_line) = (self.settings().grace, self.settings().max_line);
        let (received, lines) = mpsc::channel(QUEUE);
        let (frames, outgoing) = mpsc::channel(QUEUE);
        let talking = async {
            let (conversation, reading) = (pin!(converse(self, lines, frames)), pin!(read(input, max_line, received)));
            match select(conversation, reading).await {
                Either::Left((served, _)) => served,
                Either::Right(((), conversation)) => conversation.await,
            }
        };
        let (talking, writing) = (pin!(talking), pin!(write(output, outgoing)));
        let (served, written) = match select(talking, writing).await {
            Either::Left((served, writing)) => (served, last_words(grace, writing).await),
            Either::Right((written, talking)) => (talking.await, written),
        };
        ended(served)?;
        ended(written)
    }
}

/// Sends the lines of `input`. They end with the stream, or after an error.
async fn read(input: impl AsyncRead, max: usize, sender: mpsc::Sender<io::Result<Line>>) {
    let mut input = pin!(input);
    let mut lines = Lines::new(max);
    let mut chunk = vec![0; CHUNK];
    loop {
        let mut buffer = ReadBuf::new(&mut chunk);
        if let Err(error) = poll_fn(|cx| input.as_mut().poll_read(cx, &mut buffer)).await {
            // The receiver is gone only when nobody wants to know.
            let _ = sender.send(Err(error)).await;
            return;
        }
        let ended = buffer.filled().is_empty();
        if ended {
            lines.end();
        } else {
            lines.feed(buffer.filled());
        }
        while let Some(line) = lines.next() {
            if sender.send(Ok(line)).await.is_err() {
                return;
            }
        }
        if ended {
            return;
        }
    }
}

/// Writes each frame as a line, and flushes once no more are waiting. Ends once all senders are gone.
async fn write(output: impl AsyncWrite, mut frames: mpsc::Receiver<Vec<u8>>) -> io::Result<()> {
    let mut output = pin!(output);
    let mut batch = Vec::new();
    while let Some(frame) = frames.recv().await {
        let mut next = Some(frame);
        while let Some(frame) = next {
            batch.extend_from_slice(&frame);
            batch.push(b'\n');
            next = if batch.len() < BATCH { frames.try_recv().ok() } else { None };
        }
        write_all(output.as_mut(), &batch).await?;
        poll_fn(|cx| output.as_mut().poll_flush(cx)).await?;
        batch.clear();
        batch.shrink_to(BATCH);
    }
    poll_fn(|cx| output.as_mut().poll_shutdown(cx)).await
}

async fn write_all(mut output: Pin<&mut impl AsyncWrite>, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = poll_fn(|cx| output.as_mut().poll_write(cx, bytes)).await?;
        if written == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        bytes = bytes.get(written..).unwrap_or_default();
    }
    Ok(())
}
