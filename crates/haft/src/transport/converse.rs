use std::future::Future;
use std::io;
use std::time::Duration;

use tokio::sync::mpsc;

use super::ServeError;
use super::connection::Connection;
use super::lines::Line;
use crate::server::Server;

/// How long a client that reads slowly has for what is still to be written, at least.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Takes lines until they end, or nobody reads `frames` any more; then lets what is in flight finish.
pub(super) async fn converse(
    server: Server,
    mut lines: mpsc::Receiver<io::Result<Line>>,
    frames: mpsc::Sender<Vec<u8>>,
) -> io::Result<()> {
    let grace = server.settings().grace;
    let mut connection = Connection::new(server, frames.clone());
    loop {
        let line = tokio::select! {
            line = lines.recv() => line,
            () = frames.closed() => break,
        };
        match line {
            Some(Ok(Line::Whole(line))) => connection.receive(&line).await,
            Some(Ok(Line::TooLong(_))) => connection.refuse_oversized().await,
            Some(Err(error)) => return Err(error),
            None => break,
        }
    }
    drop(frames);
    connection.finish(grace).await;
    Ok(())
}

/// Waits for what is still to be written, for `grace` or a second, whichever is longer.
pub(super) async fn last_words(grace: Duration, written: impl Future<Output = io::Result<()>>) -> io::Result<()> {
    tokio::time::timeout(grace.max(LAST_WORDS), written).await.unwrap_or_else(|_| {
        tracing::warn!("the client has closed its end and doesn't read; what was left to write is lost");
        Ok(())
    })
}

/// A client that is gone is no failure.
pub(super) fn ended(outcome: io::Result<()>) -> Result<(), ServeError> {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset};
    match outcome {
        Err(error) if !matches!(error.kind(), BrokenPipe | ConnectionAborted | ConnectionReset) => Err(error.into()),
        _ => Ok(()),
    }
}
