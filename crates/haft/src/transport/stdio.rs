//! Stops 1 and 9 on stdio. in: lines from stdin; out: lines on stdout; next: `haft-wire/message`.

use std::io;
use std::time::Duration;

use super::connection::Connection;
use super::lines::Line;
use super::{ServeError, streams};
use crate::server::Server;

/// How long a client that reads slowly has for what is still to be written, at least.
const LAST_WORDS: Duration = Duration::from_secs(1);

impl Server {
    /// Serves this process's stdin and stdout until stdin ends: one line, one message.
    ///
    /// A line that can't be read as a message is answered with an error, and the connection lives on. When stdin ends,
    /// what is in flight may finish for the [grace time](crate::ServerBuilder::shutdown_grace); the rest is cancelled.
    /// While it serves, nothing else may write to stdout (`println!` included): log to stderr.
    ///
    /// # Errors
    /// When stdin can't be read or stdout can't be written for another reason than that the client is gone.
    ///
    /// spec: `basic/transports/stdio`
    pub async fn serve_stdio(self) -> Result<(), ServeError> {
        let grace = self.settings().grace;
        let mut lines = streams::reader("haft-stdin", io::stdin(), self.settings().max_line)?;
        let (frames, written) = streams::writer("haft-stdout", io::stdout())?;
        let mut connection = Connection::new(self, frames.clone());
        loop {
            let line = tokio::select! {
                line = lines.recv() => line,
                () = frames.closed() => break,
            };
            match line {
                Some(Ok(Line::Whole(line))) => connection.receive(&line).await,
                Some(Ok(Line::TooLong)) => connection.refuse_oversized().await,
                Some(Err(error)) => return Err(error.into()),
                None => break,
            }
        }
        drop(frames);
        connection.finish(grace).await;
        match tokio::time::timeout(grace.max(LAST_WORDS), written).await {
            Ok(Ok(Err(error))) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
            Ok(_) => Ok(()),
            Err(_) => {
                tracing::warn!("the client has closed its end and doesn't read; what was left to write is lost");
                Ok(())
            }
        }
    }
}
