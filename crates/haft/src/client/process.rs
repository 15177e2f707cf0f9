use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use haft_wire::Limits;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::mpsc;

use super::error::{ClientError, ErrorKind};
use crate::transport::{Line, Lines};

/// Frames that may wait on either side before the other one waits.
const QUEUE: usize = 64;
/// Bytes that are read at once.
const CHUNK: usize = 64 << 10;
/// Bytes of stderr that are kept.
const TAIL: usize = 64 << 10;

/// A server that runs as a child process. Killed when dropped.
pub(super) struct Process {
    program: String,
    child: Child,
    stderr: Arc<Mutex<VecDeque<u8>>>,
}

type Started = (Process, mpsc::Sender<Vec<u8>>, mpsc::Receiver<Vec<u8>>);

/// Starts `command` with pipes on all three streams.
///
/// The tasks that serve the pipes end with the pipes, or when the connection is dropped.
pub(super) fn spawn(mut command: Command) -> Result<Started, ClientError> {
    let program = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = tokio::process::Command::from(command)
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| ClientError::new(ErrorKind::Spawn, format!("{program} could not be started: {error}")))?;
    let (Some(stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(ClientError::new(ErrorKind::Spawn, format!("{program} was started without its pipes")));
    };
    let (frames, outgoing) = mpsc::channel(QUEUE);
    let (sender, incoming) = mpsc::channel(QUEUE);
    let tail = Arc::new(Mutex::new(VecDeque::new()));
    tokio::spawn(write(stdin, outgoing));
    tokio::spawn(read(stdout, sender));
    tokio::spawn(drain(stderr, Arc::clone(&tail)));
    Ok((Process { program, child, stderr: tail }, frames, incoming))
}

async fn write(mut stdin: ChildStdin, mut frames: mpsc::Receiver<Vec<u8>>) {
    while let Some(mut frame) = frames.recv().await {
        frame.push(b'\n');
        if let Err(error) = stdin.write_all(&frame).await {
            tracing::debug!(%error, "the server doesn't read its stdin any more");
            return;
        }
    }
}

async fn read(mut stdout: ChildStdout, sender: mpsc::Sender<Vec<u8>>) {
    let mut lines = Lines::new(Limits::default().max_bytes);
    let mut chunk = vec![0; CHUNK];
    loop {
        let ended = match stdout.read(&mut chunk).await {
            Ok(0) => {
                lines.end();
                true
            }
            Ok(count) => {
                lines.feed(chunk.get(..count).unwrap_or_default());
                false
            }
            Err(error) => {
                tracing::warn!(%error, "the server's stdout can't be read");
                return;
            }
        };
        while let Some(line) = lines.next() {
            match line {
                Line::Whole(frame) => {
                    if sender.send(frame).await.is_err() {
                        return;
                    }
                }
                Line::TooLong => tracing::warn!("the server sent a line that is too long; it is left aside"),
            }
        }
        if ended {
            return;
        }
    }
}

async fn drain(mut stderr: ChildStderr, tail: Arc<Mutex<VecDeque<u8>>>) {
    let mut chunk = vec![0; CHUNK];
    while let Ok(count @ 1..) = stderr.read(&mut chunk).await {
        let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
        tail.extend(chunk.get(..count).unwrap_or_default());
        let excess = tail.len().saturating_sub(TAIL);
        tail.drain(..excess);
    }
}

impl Process {
    pub(super) fn stderr_tail(&self) -> String {
        let tail: Vec<u8> = self.stderr.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect();
        String::from_utf8_lossy(&tail).into_owned()
    }

    /// Waits for the child to exit; after `patience` it is killed. Its stdin must be closed by then.
    pub(super) async fn finish(mut self, patience: Duration) -> Result<ExitStatus, ClientError> {
        let failed = |error: io::Error| {
            ClientError::new(ErrorKind::Spawn, format!("the end of {} could not be learnt: {error}", self.program))
        };
        match tokio::time::timeout(patience, self.child.wait()).await {
            Ok(exited) => exited.map_err(failed),
            Err(_) => {
                tracing::warn!(
                    program = self.program,
                    ?patience,
                    "the server didn't exit when its stdin closed; killed"
                );
                self.child.kill().await.map_err(failed)?;
                self.child.wait().await.map_err(failed)
            }
        }
    }
}

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Process").field("program", &self.program).field("id", &self.child.id()).finish_non_exhaustive()
    }
}
