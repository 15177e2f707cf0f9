//! A server as a child process: one thread writes, one reads, one keeps the last of standard error.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::{Id, Step};

/// How long a server may take to read what is written to it.
const WRITE_DEADLINE: Duration = Duration::from_secs(60);

/// How long it may live on after its input ended.
const EXIT_DEADLINE: Duration = Duration::from_secs(10);

/// How often the figures of a process that is ending are read.
const TICK: Duration = Duration::from_millis(20);

/// Of standard error so much is kept for the report.
const KEPT_STDERR: usize = 4_096;

/// Longer lines are not searched for an id.
const READ_FOR_ID: usize = 4 << 20;

/// A request as it was sent.
#[derive(Debug, Clone)]
pub struct Sent {
    /// Its id.
    pub id: Id,
    /// Just before its first byte was written.
    pub at: Instant,
    /// The request.
    pub request: Value,
}

/// How a process ended.
#[derive(Debug, Clone)]
pub struct Exit {
    /// Its exit code; `None` if a signal ended it, or it had to be killed because it didn't exit.
    pub code: Option<i32>,
    /// From the end of its input to its exit.
    pub after: Duration,
    /// Processor time it used in between, where the system tells.
    pub busy: Option<Duration>,
}

enum Output {
    Line(Instant, Vec<u8>),
    End,
}

type Job = Box<dyn FnOnce(&mut dyn Write) -> std::io::Result<()> + Send>;

/// A running server.
pub struct Process {
    child: Child,
    jobs: Option<Sender<(Job, Sender<std::io::Result<()>>)>>,
    output: Receiver<Output>,
    ended: bool,
    stderr: Arc<Mutex<Vec<u8>>>,
    /// The requests that were written, in order.
    pub sent: Vec<Sent>,
    /// The lines that were read, in order, newlines included.
    pub lines: Vec<(Instant, Vec<u8>)>,
    /// Most memory it held at once, in KiB, where the system tells.
    pub peak_kib: Option<u64>,
}

impl Process {
    /// Starts `program` without arguments.
    ///
    /// # Errors
    ///
    /// It can't be started.
    pub fn start(program: &Path) -> Result<Self, String> {
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{}: {error}", program.display()))?;
        let (Some(mut stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err("a child without pipes".to_owned());
        };
        let (jobs, todo) = channel::<(Job, Sender<std::io::Result<()>>)>();
        thread::spawn(move || {
            for (job, done) in todo {
                // The other end has gone only if the case was given up.
                let _ = done.send(job(&mut stdin).and_then(|()| stdin.flush()));
            }
        });
        let (lines, output) = channel();
        thread::spawn(move || read_lines(BufReader::new(stdout), &lines));
        let kept = Arc::new(Mutex::new(Vec::new()));
        let keeper = Arc::clone(&kept);
        thread::spawn(move || keep_last(stderr, &keeper));
        Ok(Self {
            child,
            jobs: Some(jobs),
            output,
            ended: false,
            stderr: kept,
            sent: Vec::new(),
            lines: Vec::new(),
            peak_kib: None,
        })
    }

    /// Writes what a step says; steps that don't write are the caller's.
    ///
    /// # Errors
    ///
    /// The server doesn't read, or has gone.
    pub fn write(&mut self, step: &Step) -> Result<(), String> {
        let job: Job = match step.clone() {
            Step::Write(bytes) => {
                self.note_requests(&bytes);
                Box::new(move |stdin| stdin.write_all(&bytes))
            }
            Step::Fill { prefix, byte, count, suffix } => {
                let length = usize::try_from(count).unwrap_or(usize::MAX);
                if length <= READ_FOR_ID {
                    let text = [prefix.as_str(), &(byte as char).to_string().repeat(length), &suffix].concat();
                    self.note_requests(text.as_bytes());
                }
                Box::new(move |stdin| {
                    stdin.write_all(prefix.as_bytes())?;
                    std::io::copy(&mut std::io::repeat(byte).take(count), stdin)?;
                    stdin.write_all(suffix.as_bytes())?;
                    stdin.write_all(b"\n")
                })
            }
            Step::Wait(_) | Step::CloseStdin | Step::Restart => return Err("nothing to write".to_owned()),
        };
        let (done, outcome) = channel();
        let jobs = self.jobs.as_ref().ok_or("standard input was closed before")?;
        jobs.send((job, done)).map_err(|_| "the writer has gone".to_owned())?;
        match outcome.recv_timeout(WRITE_DEADLINE) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(format!("the server stopped reading: {error}{}", self.stderr())),
            Err(_) => Err(format!("the server read nothing for {WRITE_DEADLINE:?}{}", self.stderr())),
        }
    }

    fn note_requests(&mut self, bytes: &[u8]) {
        for line in bytes.split(|byte| *byte == b'\n') {
            let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
            let Ok(request) = serde_json::from_slice::<Value>(line) else { continue };
            if let Some(id) = request.get("id").and_then(Id::read) {
                self.sent.push(Sent { id, at: Instant::now(), request });
            }
        }
    }

    /// Collects output until `enough` says so, the output ends or the deadline comes. Says whether it was enough.
    pub fn collect(&mut self, deadline: Instant, mut enough: impl FnMut(&[(Instant, Vec<u8>)]) -> bool) -> bool {
        loop {
            if enough(&self.lines) {
                return true;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if self.ended || left.is_zero() {
                return false;
            }
            self.take_one(left);
        }
    }

    fn take_one(&mut self, timeout: Duration) {
        match self.output.recv_timeout(timeout) {
            Ok(Output::Line(at, line)) => self.lines.push((at, line)),
            Ok(Output::End) | Err(RecvTimeoutError::Disconnected) => self.ended = true,
            Err(RecvTimeoutError::Timeout) => {}
        }
    }

    /// Closes standard input, reads the output to its end and waits for the exit; kills what doesn't exit.
    ///
    /// # Errors
    ///
    /// The system doesn't tell how the process is.
    pub fn end(&mut self) -> Result<Exit, String> {
        self.sample_memory();
        let busy_before = self.processor_time();
        let closed = Instant::now();
        self.jobs = None;
        let mut busy_after = busy_before;
        loop {
            if self.ended {
                thread::sleep(TICK.min(Duration::from_millis(2)));
            } else {
                self.take_one(TICK);
            }
            busy_after = self.processor_time().or(busy_after);
            let late = closed.elapsed() > EXIT_DEADLINE;
            if late {
                self.child.kill().map_err(|error| format!("kill: {error}"))?;
            }
            let status = self.child.try_wait().map_err(|error| format!("wait: {error}"))?;
            if let Some(status) = status {
                let after = closed.elapsed();
                self.collect(Instant::now() + EXIT_DEADLINE, |_| false);
                let busy = busy_before.zip(busy_after).map(|(before, after)| after.saturating_sub(before));
                return Ok(Exit { code: if late { None } else { status.code() }, after, busy });
            }
        }
    }

    /// The last of what the server said on standard error, as an appendix to a message.
    pub fn stderr(&self) -> String {
        let kept = self.stderr.lock().map(|kept| String::from_utf8_lossy(&kept).trim().to_owned()).unwrap_or_default();
        if kept.is_empty() { String::new() } else { format!("; its standard error: {kept}") }
    }

    fn sample_memory(&mut self) {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        self.peak_kib = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    }

    /// User and system time, which Linux counts in hundredths of a second.
    fn processor_time(&self) -> Option<Duration> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).ok()?;
        // The name, in parentheses, may hold blanks; the fields after it are counted from the third.
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks = |field: usize| fields.get(field)?.parse::<u64>().ok();
        Some(Duration::from_millis(10 * (ticks(11)? + ticks(12)?)))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail only for a process that has already been waited for.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read_lines(mut stdout: impl BufRead, lines: &Sender<Output>) {
    loop {
        let mut line = Vec::new();
        let end = !matches!(stdout.read_until(b'\n', &mut line), Ok(1..));
        let output = if end { Output::End } else { Output::Line(Instant::now(), line) };
        if lines.send(output).is_err() || end {
            return;
        }
    }
}

fn keep_last(mut stderr: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 1_024];
    while let Ok(read @ 1..) = stderr.read(&mut buffer) {
        let Ok(mut kept) = kept.lock() else { return };
        kept.extend_from_slice(&buffer[..read]);
        let surplus = kept.len().saturating_sub(KEPT_STDERR);
        kept.drain(..surplus);
    }
}
