use std::process::ExitStatus;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use haft_wire::Limits;
use tokio::sync::mpsc;

use super::connection::Connection;
use super::error::{ClientError, ErrorKind};
use super::inbound::Inbound;
use super::link::{Answer, Outgoing};
use super::process::{self, Program};

/// Restarts within [`LATELY`] after which a server that keeps exiting is given up.
const MAX_RESTARTS: usize = 3;
const LATELY: Duration = Duration::from_secs(60);

/// A server on one stream of messages. A child process that exits is started again for the next request.
pub(super) struct Streams {
    program: Option<Program>,
    inbound: Arc<Inbound>,
    limits: Limits,
    /// Which of the connections it is: what was agreed on with one doesn't hold for the next.
    generation: AtomicU64,
    state: Mutex<State>,
}

struct State {
    connection: Arc<Connection>,
    process: Option<process::Process>,
    restarts: Vec<Instant>,
}

impl Streams {
    /// Both ends of a connection that is there already.
    pub(super) fn new(
        frames: mpsc::Sender<Vec<u8>>,
        incoming: mpsc::Receiver<Vec<u8>>,
        inbound: &Arc<Inbound>,
        limits: Limits,
    ) -> Self {
        let connection = Arc::new(Connection::new(frames, incoming, Arc::clone(inbound), limits));
        let state = Mutex::new(State { connection, process: None, restarts: Vec::new() });
        Self { program: None, inbound: Arc::clone(inbound), limits, generation: AtomicU64::new(0), state }
    }

    /// Starts a program.
    pub(super) fn spawn(program: Program, inbound: &Arc<Inbound>, limits: Limits) -> Result<Self, ClientError> {
        let (process, frames, incoming) = process::spawn(&program, limits)?;
        let mut streams = Self::new(frames, incoming, inbound, limits);
        streams.program = Some(program);
        streams.lock().process = Some(process);
        Ok(streams)
    }

    /// Which connection the next request will go to. One that has ended is opened again, if it can be.
    pub(super) fn generation(&self) -> Result<u64, ClientError> {
        let mut state = self.lock();
        if let Some(program) = self.program.as_ref().filter(|_| state.connection.is_ended()) {
            state.restarts.retain(|restart| restart.elapsed() < LATELY);
            if state.restarts.len() >= MAX_RESTARTS {
                let what = format!("{} has exited {MAX_RESTARTS} times within {LATELY:?}", program.name());
                return Err(ClientError::new(ErrorKind::Closed, what));
            }
            tracing::warn!(program = program.name(), "the server has exited; it is started again");
            state.restarts.push(Instant::now());
            let (process, frames, incoming) = process::spawn(program, self.limits)?;
            let connection = Connection::new(frames, incoming, Arc::clone(&self.inbound), self.limits);
            (state.connection, state.process) = (Arc::new(connection), Some(process));
            self.generation.fetch_add(1, Ordering::AcqRel);
        }
        Ok(self.generation.load(Ordering::Acquire))
    }

    pub(super) async fn request(&self, outgoing: Outgoing) -> Result<Answer, ClientError> {
        let connection = Arc::clone(&self.lock().connection);
        connection.request(outgoing.id, outgoing.frame).await
    }

    pub(super) async fn notify(&self, frame: Vec<u8>) -> Result<(), ClientError> {
        let connection = Arc::clone(&self.lock().connection);
        connection.notify(frame).await
    }

    pub(super) fn stderr_tail(&self) -> String {
        self.lock().process.as_ref().map(process::Process::stderr_tail).unwrap_or_default()
    }

    /// Ends the connection, and the child process by and by.
    pub(super) async fn close(self, patience: Duration) -> Result<Option<ExitStatus>, ClientError> {
        let State { connection, process, .. } = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        drop(connection);
        match process {
            None => Ok(None),
            Some(process) => process.finish(patience).await.map(Some),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
