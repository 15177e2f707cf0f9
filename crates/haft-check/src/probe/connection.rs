//! The way to the server, opened again when it breaks.

use std::process::Command;

use serde_json::{Map, json};

use super::ProbeError;
use super::frame::{self, Frame, Wants};
use super::http::Endpoint;
use super::stdio::Process;
use crate::exchange::{End, Exchange, Probe, Spoken};

/// How often a process is started again.
const MOST_STARTS: usize = 24;

/// The way to the server.
#[derive(Debug)]
pub(super) enum Connection {
    Process { command: Box<Command>, process: Option<Box<Process>>, starts: usize, most: usize },
    Http(Box<Endpoint>),
}

impl Connection {
    pub(super) fn process(command: Command, most: usize) -> Result<Self, ProbeError> {
        let process = Some(Box::new(Process::start(&command, most)?));
        Ok(Self::Process { command: Box::new(command), process, starts: 1, most })
    }

    pub(super) fn url(url: &str, headers: Vec<(String, String)>, most: usize) -> Result<Self, ProbeError> {
        Ok(Self::Http(Box::new(Endpoint::new(url, headers, most)?)))
    }

    pub(super) fn is_http(&self) -> bool {
        matches!(self, Self::Http(_))
    }

    /// Begins anew: a new process, or no session.
    pub(super) fn renew(&mut self) {
        match self {
            Self::Process { process, .. } => *process = None,
            Self::Http(endpoint) => endpoint.forget_session(),
        }
    }

    /// Sends a message, once the server runs and, for a message of the older revisions, once it has been greeted. None
    /// where it can't be started any more.
    pub(super) async fn exchange(&mut self, frame: &Frame) -> Option<Exchange> {
        let fresh = match self {
            Self::Process { process, .. } => process.is_none(),
            Self::Http(_) => false,
        };
        let greets = matches!(frame.probe, Probe::Initialize | Probe::InitializeUnknown);
        if fresh && frame.era == Spoken::Legacy && !greets {
            self.send(&initialize(0)).await?;
            self.send(&initialized()).await?;
        }
        let exchange = self.send(frame).await?;
        if let (Self::Http(endpoint), Probe::Initialize) = (self, frame.probe) {
            endpoint.open_session(&exchange);
        }
        Some(exchange)
    }

    async fn send(&mut self, frame: &Frame) -> Option<Exchange> {
        let mut exchange = match self {
            Self::Process { command, process, starts, most } => {
                if process.is_none() {
                    if *starts == MOST_STARTS {
                        return None;
                    }
                    *starts += 1;
                    *process = Process::start(command, *most).ok().map(Box::new);
                }
                let (exchange, alive) = process.as_mut()?.exchange(frame).await;
                if !alive {
                    *process = None;
                }
                exchange
            }
            Self::Http(endpoint) => endpoint.exchange(frame).await,
        };
        exchange.detail.clone_from(&frame.detail);
        exchange.era = frame.era;
        exchange.tool.clone_from(&frame.tool);
        if !matches!(frame.probe, Probe::Discover | Probe::Initialize | Probe::List | Probe::ListFirst) {
            exchange.since_start_ms = None;
        }
        Some(exchange)
    }

    /// Closes stdin, and sees whether the process ends; nothing over HTTP.
    pub(super) async fn close(&mut self, era: Spoken) -> Option<Exchange> {
        let Self::Process { process, .. } = self else { return None };
        let mut running = process.take()?;
        let begun = std::time::Instant::now();
        let mut exchange = Exchange::new(Probe::Close, "(stdin is closed)");
        exchange.era = era;
        exchange.end = running.close().await;
        exchange.ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        (exchange.end != End::Died).then_some(exchange)
    }
}

/// A greeting as it should be.
pub(super) fn initialize(id: u64) -> Frame {
    initialize_with(Probe::Initialize, id, frame::LEGACY)
}

/// A greeting with this version.
pub(super) fn initialize_with(probe: Probe, id: u64, version: &str) -> Frame {
    let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": frame::who()});
    let params: Map<_, _> = params.as_object().cloned().unwrap_or_default();
    Frame::request(probe, Spoken::Legacy, id, "initialize", params)
}

/// What follows a greeting.
pub(super) fn initialized() -> Frame {
    let body = frame::message(None, "notifications/initialized", serde_json::Value::Null);
    Frame::raw(Probe::Notification, Spoken::Legacy, body, Wants::Nothing).detail("initialized")
}
