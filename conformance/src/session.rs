//! Plays a script to a server and keeps what came of it.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::{Exit, Id, Message, Process, Sent, Step};

/// How long the answers to everything sent may take, waits in the script not counted.
const ANSWER_DEADLINE: Duration = Duration::from_secs(20);

/// One process from start to exit.
#[derive(Debug)]
pub struct Run {
    /// The requests, in the order in which they were written.
    pub sent: Vec<Sent>,
    /// The messages, in the order in which they came.
    pub messages: Vec<Message>,
    /// Lines of output that are no message of the protocol.
    pub faults: Vec<String>,
    /// How it ended.
    pub exit: Exit,
    /// Most memory held at once, in KiB, where the system tells.
    pub peak_kib: Option<u64>,
    /// The last of its standard error, as an appendix to a message; empty if it said nothing.
    pub stderr: String,
}

/// One conversation: several runs if the script restarts the server.
#[derive(Debug)]
pub struct Session {
    /// The processes, in order.
    pub runs: Vec<Run>,
}

impl Session {
    /// Every request of every run.
    pub fn sent(&self) -> impl Iterator<Item = &Sent> {
        self.runs.iter().flat_map(|run| &run.sent)
    }

    /// Every message of every run.
    pub fn messages(&self) -> impl Iterator<Item = &Message> {
        self.runs.iter().flat_map(|run| &run.messages)
    }

    /// The responses with an id.
    pub fn replies(&self, id: &Id) -> Vec<&Message> {
        self.messages().filter(|message| message.is_response() && message.id() == *id).collect()
    }

    /// The one response with an id.
    ///
    /// # Errors
    ///
    /// There is none, or more than one.
    pub fn reply(&self, id: &Id) -> Result<&Message, String> {
        match self.replies(id).as_slice() {
            [one] => Ok(one),
            [] => Err(format!("no reply to {id}{}", self.stderr())),
            more => Err(format!("{} replies to {id}", more.len())),
        }
    }

    /// What the servers said on standard error, as an appendix to a message.
    pub fn stderr(&self) -> String {
        self.runs.iter().map(|run| run.stderr.as_str()).collect()
    }

    /// What holds for every conversation: each line of output is a message, no request is answered twice, nothing is
    /// answered that was not asked, and the end of input ends the server with code 0.
    ///
    /// # Errors
    ///
    /// Whatever doesn't hold.
    pub fn check(&self) -> Result<(), String> {
        for run in &self.runs {
            if let Some(fault) = run.faults.first() {
                return Err(format!("on standard output: {fault}"));
            }
            if run.exit.code != Some(0) {
                let code = run.exit.code.map_or("it had to be killed".to_owned(), |code| format!("exit code {code}"));
                return Err(format!("{code} {:.1?} after the end of its input{}", run.exit.after, run.stderr));
            }
            let mut answered: Vec<Id> = Vec::new();
            for message in run.messages.iter().filter(|message| message.is_response()) {
                let id = message.id();
                if id != Id::Absent && answered.contains(&id) {
                    return Err(format!("{id} was answered twice"));
                }
                if id != Id::Absent && !run.sent.iter().any(|sent| sent.id == id) {
                    return Err(format!("an answer to {id}, which nobody asked"));
                }
                answered.push(id);
            }
        }
        Ok(())
    }
}

/// Plays `steps` to `program`. Answers are awaited before the input is closed, except to requests in `silent`.
///
/// # Errors
///
/// The server can't be started or doesn't read. What it answers is not judged here.
pub fn play(program: &Path, steps: &[Step], silent: &[Id]) -> Result<Session, String> {
    let mut runs = Vec::new();
    let mut process = Process::start(program)?;
    let mut closed = false;
    for step in steps {
        if closed {
            return Err("a step after the end of input".to_owned());
        }
        match step {
            Step::Write(_) | Step::Fill { .. } => process.write(step)?,
            Step::Wait(time) => {
                process.collect(Instant::now() + *time, |_| false);
            }
            Step::CloseStdin => closed = true,
            Step::Restart => {
                runs.push(finish(process, silent, true)?);
                process = Process::start(program)?;
            }
        }
    }
    runs.push(finish(process, silent, !closed)?);
    Ok(Session { runs })
}

fn finish(mut process: Process, silent: &[Id], wait: bool) -> Result<Run, String> {
    if wait {
        let mut open: Vec<Id> = process.sent.iter().map(|sent| sent.id.clone()).collect();
        open.retain(|id| !silent.contains(id));
        let mut seen = 0;
        process.collect(Instant::now() + ANSWER_DEADLINE, |lines| {
            for (at, line) in &lines[seen..] {
                if let Ok(message) = Message::read(*at, line)
                    && message.is_response()
                {
                    open.retain(|id| *id != message.id());
                }
            }
            seen = lines.len();
            open.is_empty()
        });
    }
    let exit = process.end()?;
    let (mut messages, mut faults) = (Vec::new(), Vec::new());
    for (at, line) in &process.lines {
        match Message::read(*at, line) {
            Ok(message) => messages.push(message),
            Err(fault) => faults.push(fault),
        }
    }
    let stderr = process.stderr();
    Ok(Run { sent: std::mem::take(&mut process.sent), messages, faults, exit, peak_kib: process.peak_kib, stderr })
}
