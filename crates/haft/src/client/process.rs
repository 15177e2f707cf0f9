use std::collections::VecDeque;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use haft_wire::Limits;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::process::Child;
use tokio::sync::mpsc;

use super::error::{ClientError, ErrorKind};
use crate::transport::{Line, Lines};

/// Frames of this client that may wait for the server to read them.
const QUEUE: usize = 64;
/// Frames of the server that may wait here: each may be as long as a message may be.
const WAITING: usize = 2;
/// Bytes that are read at once.
const CHUNK: usize = 64 << 10;
/// Bytes of stderr that are kept.
const TAIL: usize = 64 << 10;
/// How long a process that was told to end has, before it is killed.
const TERMINATED: Duration = Duration::from_secs(2);

/// What to start, as often as it takes.
pub(super) struct Program {
    program: OsString,
    arguments: Vec<OsString>,
    environment: Vec<(OsString, Option<OsString>)>,
    directory: Option<PathBuf>,
}

impl From<Command> for Program {
    fn from(command: Command) -> Self {
        let environment = command.get_envs().map(|(name, value)| (name.to_owned(), value.map(ToOwned::to_owned)));
        Self {
            program: command.get_program().to_owned(),
            arguments: command.get_args().map(ToOwned::to_owned).collect(),
            environment: environment.collect(),
            directory: command.get_current_dir().map(ToOwned::to_owned),
        }
    }
}

impl Program {
    pub(super) fn name(&self) -> String {
        self.program.to_string_lossy().into_owned()
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments);
        for (name, value) in &self.environment {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        command
    }
}

/// A server that runs as a child process, with whatever it has started. Killed when dropped.
pub(super) struct Process {
    program: String,
    child: Child,
    group: Group,
    stderr: Arc<Mutex<VecDeque<u8>>>,
}

type Started = (Process, mpsc::Sender<Vec<u8>>, mpsc::Receiver<Vec<u8>>);

/// Starts a program with pipes on all three streams, in a process group of its own.
///
/// The tasks that serve the pipes end with the pipes, or when the connection is dropped.
pub(super) fn spawn(program: &Program, limits: Limits) -> Result<Started, ClientError> {
    let name = program.name();
    let mut command = program.command();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = tokio::process::Command::from(command)
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| ClientError::new(ErrorKind::Spawn, format!("{name} could not be started: {error}")))?;
    let group = Group::of(&child);
    let (Some(stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(ClientError::new(ErrorKind::Spawn, format!("{name} was started without its pipes")));
    };
    let (frames, incoming) = lines(stdout, stdin, limits);
    let tail = Arc::new(Mutex::new(VecDeque::new()));
    tokio::spawn(drain(stderr, Arc::clone(&tail)));
    Ok((Process { program: name, child, group, stderr: tail }, frames, incoming))
}

/// Frames to and from a pair of streams, a line each. The tasks that serve them end with the streams, or when their other
/// end is dropped.
pub(super) fn lines(
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
    limits: Limits,
) -> (mpsc::Sender<Vec<u8>>, mpsc::Receiver<Vec<u8>>) {
    let (frames, outgoing) = mpsc::channel(QUEUE);
    let (sender, incoming) = mpsc::channel(WAITING);
    tokio::spawn(write(output, outgoing));
    tokio::spawn(read(input, sender, limits));
    (frames, incoming)
}

async fn write(mut output: impl AsyncWrite + Unpin, mut frames: mpsc::Receiver<Vec<u8>>) {
    while let Some(mut frame) = frames.recv().await {
        frame.push(b'\n');
        let written = async {
            output.write_all(&frame).await?;
            output.flush().await
        };
        if let Err(error) = written.await {
            tracing::debug!(%error, "the server doesn't read any more");
            return;
        }
    }
}

async fn read(mut input: impl AsyncRead + Unpin, sender: mpsc::Sender<Vec<u8>>, limits: Limits) {
    let mut lines = Lines::new(limits.max_bytes);
    let mut chunk = vec![0; CHUNK];
    loop {
        let read = tokio::select! {
            read = input.read(&mut chunk) => read,
            () = sender.closed() => return,
        };
        let ended = match read {
            Ok(0) => {
                lines.end();
                true
            }
            Ok(count) => {
                lines.feed(chunk.get(..count).unwrap_or_default());
                false
            }
            Err(error) => {
                tracing::warn!(%error, "the server can't be read");
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
                Line::TooLong(beginning) => {
                    tracing::warn!("the server sent a line that is too long; it is left aside");
                    // It may say which request it was to answer.
                    if sender.send(beginning).await.is_err() {
                        return;
                    }
                }
            }
        }
        if ended {
            return;
        }
    }
}

async fn drain(mut stderr: impl AsyncRead + Unpin, tail: Arc<Mutex<VecDeque<u8>>>) {
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

    /// Waits for the child to exit; after `patience` it is told to, and then killed. Its stdin must be closed by then.
    ///
    /// spec: `basic/transports/stdio#shutdown`
    pub(super) async fn finish(mut self, patience: Duration) -> Result<ExitStatus, ClientError> {
        let program = self.program.clone();
        let failed = |error: io::Error| {
            ClientError::new(ErrorKind::Spawn, format!("the end of {program} could not be learnt: {error}"))
        };
        if let Ok(exited) = tokio::time::timeout(patience, self.child.wait()).await {
            self.group.kill();
            return exited.map_err(failed);
        }
        tracing::warn!(program = self.program, ?patience, "the server didn't exit when its stdin closed; terminated");
        self.group.terminate();
        if let Ok(exited) = tokio::time::timeout(TERMINATED, self.child.wait()).await {
            self.group.kill();
            return exited.map_err(failed);
        }
        tracing::warn!(program = self.program, "the server didn't exit when it was told to; killed");
        self.group.kill();
        self.child.kill().await.map_err(failed)?;
        self.child.wait().await.map_err(failed)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The child itself, and whatever it has started and left behind. Once its end has been taken note of, its number
        // may be somebody else's.
        if self.child.id().is_some() {
            self.group.kill();
        }
    }
}

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Process").field("program", &self.program).field("id", &self.child.id()).finish_non_exhaustive()
    }
}

/// A child and its own children.
struct Group {
    #[cfg(unix)]
    leader: Option<rustix::process::Pid>,
}

#[cfg(unix)]
impl Group {
    fn of(child: &Child) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        Self { leader: id.and_then(rustix::process::Pid::from_raw) }
    }

    fn terminate(&self) {
        self.signal(rustix::process::Signal::TERM);
    }

    fn kill(&self) {
        self.signal(rustix::process::Signal::KILL);
    }

    fn signal(&self, signal: rustix::process::Signal) {
        // That there is nobody left is what was wanted.
        if let Some(Err(error)) = self.leader.map(|leader| rustix::process::kill_process_group(leader, signal)) {
            tracing::debug!(%error, "nobody is left in the server's process group");
        }
    }
}

#[cfg(not(unix))]
impl Group {
    fn of(_: &Child) -> Self {
        Self {}
    }

    fn terminate(&self) {}

    fn kill(&self) {}
}
