//! Stops 1 and 9 on stdio. in: lines from stdin; out: lines on stdout; next: `haft-wire/message`.

use std::io;

#[cfg(target_os = "linux")]
use tokio::net::unix::pipe;

use super::converse::{converse, ended, last_words};
use super::{ServeError, streams};
use crate::server::Server;

impl Server {
    /// Serves this process's stdin and stdout until stdin ends: one line, one message.
    ///
    /// A line that can't be read as a message is answered with an error, and the connection lives on. When stdin ends,
    /// what is in flight may finish for the [grace time](crate::ServerBuilder::shutdown_grace); the rest is cancelled.
    /// While it serves, nothing else may write to stdout (`println!` included): log to stderr.
    ///
    /// On Linux, pipes (which is what a client gives its servers) are read and written by the runtime itself, whose I/O
    /// and time drivers must be enabled, as `#[tokio::main]` has them; elsewhere, and for files and terminals, two
    /// threads do it.
    ///
    /// # Errors
    /// When stdin can't be read or stdout can't be written for another reason than that the client is gone.
    ///
    /// spec: `basic/transports/stdio`
    pub async fn serve_stdio(self) -> Result<(), ServeError> {
        #[cfg(target_os = "linux")]
        if let Some((input, output)) = pipes() {
            return self.serve_io(input, output).await;
        }
        let grace = self.settings().grace;
        let lines = streams::reader("haft-stdin", io::stdin(), self.settings().max_line)?;
        let (frames, written) = streams::writer("haft-stdout", io::stdout())?;
        converse(self, lines, frames).await?;
        // The thread that writes says how it ended, unless it panicked.
        ended(last_words(grace, async { written.await.unwrap_or(Ok(())) }).await)
    }
}

/// Both ends, if both are pipes. Opened anew: what doesn't block is these, and not stdin and stdout, which other processes
/// may share.
#[cfg(target_os = "linux")]
fn pipes() -> Option<(pipe::Receiver, pipe::Sender)> {
    let input = pipe::OpenOptions::new().open_receiver("/proc/self/fd/0").ok()?;
    let output = pipe::OpenOptions::new().open_sender("/proc/self/fd/1").ok()?;
    Some((input, output))
}
