//! Talks to a server, well and badly, and writes down what it answers.

mod arguments;
mod connection;
mod frame;
mod http;
mod script;
mod sse;
mod stdio;

use std::collections::BTreeMap;
use std::fmt;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::exchange::Exchange;
use connection::Connection;

/// Talks to a server, well and badly, and writes down what it answers.
///
/// What is sent: discovery and handshakes, lists, good ones and such with a bad cursor; requests that are malformed,
/// incomplete, of an unknown version, method or tool; over HTTP wrong headers and a foreign `Origin`. Tools are called
/// with arguments that their schema takes (from its `examples` and `default`s, or given) and with such as it refuses, but
/// only those marked `readOnlyHint: true`: a lenient server would run both. Each wait has a deadline, each answer a bound;
/// a process that ends or hangs is started again.
///
/// ```no_run
/// # async fn probe() -> Result<(), haft_check::ProbeError> {
/// let mut command = std::process::Command::new("my-server");
/// command.arg("--stdio");
/// let exchanges = haft_check::Prober::command(command).run().await?;
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Prober {
    target: Target,
    options: Probing,
}

#[derive(Debug)]
enum Target {
    Command(Box<Command>),
    Url { url: String, headers: Vec<(String, String)> },
}

/// The most bytes of one answer that are read, unless it is set.
const MOST: usize = 32 << 20;

/// How to probe.
#[derive(Debug, Clone)]
struct Probing {
    /// How long a start and a call may take.
    patience: Duration,
    /// The most bytes of one answer that are read.
    most: usize,
    call_writes: bool,
    arguments: BTreeMap<String, Vec<Value>>,
}

/// Why nothing could be probed.
#[derive(Debug)]
pub struct ProbeError(String);

impl fmt::Display for ProbeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ProbeError {}

impl Prober {
    /// Probes what this command starts, over its stdin and stdout. It is started several times, each time in a process
    /// group of its own.
    #[must_use]
    pub fn command(command: Command) -> Self {
        Self::new(Target::Command(Box::new(command)))
    }

    /// Probes the server at this URL.
    #[must_use]
    pub fn url(url: impl Into<String>) -> Self {
        Self::new(Target::Url { url: url.into(), headers: Vec::new() })
    }

    fn new(target: Target) -> Self {
        let options =
            Probing { patience: Duration::from_secs(60), most: MOST, call_writes: false, arguments: BTreeMap::new() };
        Self { target, options }
    }

    /// Sends this header with each request over HTTP. Exchanges don't show its value.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        if let Target::Url { headers, .. } = &mut self.target {
            headers.push((name.into(), value.into()));
        }
        self
    }

    /// How long a start and a call may take; 60 seconds unless set. Everything else has ten seconds at most.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.options.patience = patience;
        self
    }

    /// The most bytes of one answer that are read; 32 MiB unless set.
    #[must_use]
    pub fn most_bytes(mut self, most: usize) -> Self {
        self.options.most = most;
        self
    }

    /// Calls tools that aren't marked read-only, too. They do what they do.
    #[must_use]
    pub fn call_writes(mut self, call_writes: bool) -> Self {
        self.options.call_writes = call_writes;
        self
    }

    /// Calls this tool with these arguments, instead of those in its schema. It may be said more than once.
    #[must_use]
    pub fn arguments(mut self, tool: impl Into<String>, arguments: Value) -> Self {
        self.options.arguments.entry(tool.into()).or_default().push(arguments);
        self
    }

    /// Probes, with a tokio runtime that has its clock and its I/O driver.
    ///
    /// # Errors
    /// When the command can't be started, or the URL is none.
    pub async fn run(self) -> Result<Vec<Exchange>, ProbeError> {
        let connection = match self.target {
            Target::Command(command) => Connection::process(*command, self.options.most)?,
            Target::Url { url, headers } => Connection::url(&url, headers, self.options.most)?,
        };
        Ok(script::Script::new(connection, self.options).run().await)
    }
}
