//! A server as a child process: lines in, lines out.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStdin, ChildStdout};

use super::ProbeError;
use super::frame::{self, Frame, Wants};
use crate::exchange::{End, Exchange, Spoken};

/// How long what may come late is waited for once the server has answered what was sent after it.
const GRACE: Duration = Duration::from_millis(500);
/// How long a server that answered nothing has to answer something simple.
const SIGN_OF_LIFE: Duration = Duration::from_secs(5);
/// How long a process has to end once its stdin is closed.
const FAREWELL: Duration = Duration::from_secs(5);

/// A process. Killed when dropped, with all that it has started.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    group: Option<u32>,
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    pending: Vec<u8>,
    /// How much of it has no line break.
    looked_at: usize,
    /// The most bytes that are read in one exchange.
    most: usize,
    started: Instant,
    fences: u64,
}

impl Drop for Process {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(group) = self.group.and_then(|id| rustix::process::Pid::from_raw(id.cast_signed())) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.start_kill();
    }
}

/// What came, and how it ended.
struct Heard {
    lines: Vec<String>,
    end: End,
}

impl Process {
    pub(super) fn start(command: &Command, most: usize) -> Result<Self, ProbeError> {
        let name = command.get_program().to_string_lossy().into_owned();
        let failed = |what: &dyn std::fmt::Display| ProbeError(format!("{name} could not be started: {what}"));
        let mut child = again(command)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| failed(&error))?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed(&"it has no pipes"));
        };
        let group = child.id();
        Ok(Self {
            child,
            group,
            stdin: Some(stdin),
            stdout,
            pending: Vec::new(),
            looked_at: 0,
            most,
            started: Instant::now(),
            fences: 0,
        })
    }

    /// Sends a message and writes down what comes. Whether the process can still be talked to comes with it.
    pub(super) async fn exchange(&mut self, frame: &Frame) -> (Exchange, bool) {
        let begun = Instant::now();
        let (lines, end, alive) = match &frame.wants {
            Wants::Answer(id) => self.ask(frame, id).await,
            Wants::Any | Wants::Nothing => self.tell(frame).await,
        };
        let mut exchange = Exchange::new(frame.probe, frame.body.as_str());
        exchange.received = lines;
        exchange.end = end;
        exchange.ms = millis(begun.elapsed());
        exchange.since_start_ms = Some(millis(self.started.elapsed()));
        (exchange, alive)
    }

    async fn ask(&mut self, frame: &Frame, id: &str) -> (Vec<String>, End, bool) {
        let theirs = |line: &str| match frame::answered(line) {
            Some(Some(got)) => got == id,
            Some(None) => true,
            None => false,
        };
        let heard = self.speak(&frame.body, frame.deadline, theirs).await;
        let alive = match heard.end {
            End::Answered => true,
            End::Silent => self.fence(frame.era, SIGN_OF_LIFE, |_| false).await.end == End::Answered,
            End::Died | End::Flooded => false,
        };
        (heard.lines, heard.end, alive)
    }

    /// What may get no answer is followed by something that must: once that is answered, nothing more is to come.
    async fn tell(&mut self, frame: &Frame) -> (Vec<String>, End, bool) {
        let first = match self.write(&frame.body).await {
            Ok(()) => self.fence(frame.era, frame.deadline, |_| false).await,
            Err(()) => Heard { lines: Vec::new(), end: End::Died },
        };
        let mut lines = first.lines;
        match first.end {
            End::Answered => {}
            // Not even what came after was answered.
            End::Silent | End::Died => return (lines, End::Died, false),
            End::Flooded => return (lines, End::Flooded, false),
        }
        let is_answer = |line: &str| frame::answered(line).is_some();
        if !lines.iter().any(|line| is_answer(line)) {
            lines.extend(self.listen(GRACE, is_answer).await.lines);
        }
        let silent = frame.wants == Wants::Any && !lines.iter().any(|line| is_answer(line));
        (lines, if silent { End::Silent } else { End::Answered }, true)
    }

    /// Asks something simple; what else comes is kept, the answer to it isn't.
    async fn fence(&mut self, era: Spoken, deadline: Duration, mut also: impl FnMut(&str) -> bool) -> Heard {
        self.fences += 1;
        let id = format!("haft-still-there-{}", self.fences);
        let method = if era == Spoken::Modern { "server/discover" } else { "ping" };
        let params = frame::with_meta(era, serde_json::Map::new());
        let body = frame::message(Some(serde_json::json!(id)), method, params);
        let is_its = |line: &str| frame::answered(line).flatten().as_deref() == Some(&id);
        let mut heard = self.speak(&body, deadline, |line| is_its(line) || also(line)).await;
        heard.lines.retain(|line| !is_its(line));
        heard
    }

    async fn write(&mut self, body: &str) -> Result<(), ()> {
        let Some(stdin) = &mut self.stdin else { return Err(()) };
        let line = format!("{body}\n");
        let written = async {
            stdin.write_all(line.as_bytes()).await?;
            stdin.flush().await
        };
        match tokio::time::timeout(SIGN_OF_LIFE, written).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(()),
        }
    }

    async fn speak(&mut self, body: &str, deadline: Duration, until: impl FnMut(&str) -> bool) -> Heard {
        let written = self.write(body).await;
        let mut heard = self.listen(if written.is_ok() { deadline } else { GRACE }, until).await;
        if written.is_err() && heard.end == End::Silent {
            heard.end = End::Died;
        }
        heard
    }

    async fn listen(&mut self, deadline: Duration, mut until: impl FnMut(&str) -> bool) -> Heard {
        let mut lines = Vec::new();
        let mut bytes = 0;
        let mut chunk = vec![0; 64 << 10];
        let deadline = tokio::time::Instant::now() + deadline;
        loop {
            while let Some(line) = self.line() {
                if line.is_empty() {
                    continue;
                }
                let last = until(&line);
                lines.push(line);
                if last {
                    return Heard { lines, end: End::Answered };
                }
            }
            let read = match tokio::time::timeout_at(deadline, self.stdout.read(&mut chunk)).await {
                Ok(read) => read.unwrap_or(0),
                Err(_) => return Heard { lines, end: End::Silent },
            };
            if read == 0 {
                return Heard { lines, end: End::Died };
            }
            bytes += read;
            if bytes > self.most {
                return Heard { lines: Vec::new(), end: End::Flooded };
            }
            self.pending.extend_from_slice(chunk.get(..read).unwrap_or_default());
        }
    }

    /// The next line that is whole, without the spaces around it.
    fn line(&mut self) -> Option<String> {
        let unseen = self.pending.get(self.looked_at..).unwrap_or_default();
        let Some(end) = unseen.iter().position(|&byte| byte == b'\n') else {
            self.looked_at = self.pending.len();
            return None;
        };
        let line: Vec<u8> = self.pending.drain(..=self.looked_at + end).collect();
        self.looked_at = 0;
        Some(String::from_utf8_lossy(&line).trim().to_owned())
    }

    /// Closes stdin, and sees whether the process ends.
    pub(super) async fn close(&mut self) -> End {
        self.stdin = None;
        match tokio::time::timeout(FAREWELL, self.child.wait()).await {
            Ok(_) => End::Answered,
            Err(_) => End::Silent,
        }
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// The same command, in a process group of its own.
fn again(command: &Command) -> tokio::process::Command {
    let mut copy = Command::new(command.get_program());
    copy.args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => copy.env(name, value),
            None => copy.env_remove(name),
        };
    }
    if let Some(directory) = command.get_current_dir() {
        copy.current_dir(directory);
    }
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut copy, 0);
    copy.into()
}
