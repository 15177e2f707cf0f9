//! The loads, and rounds of them: every server in turn, again and again, so that what the machine does meanwhile hits all.

use std::path::Path;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::http::Connections;
use crate::pipes::Pipes;
use crate::process::Server;
use crate::servers::{FEW, Peer, Way};
use crate::wire::{Call, Check};

pub struct Load {
    pub name: &'static str,
    pub way: Way,
    pub call: Call,
    pub in_flight: usize,
    pub tools: usize,
}

impl Load {
    pub fn new(name: &'static str, way: Way, call: Call, in_flight: usize) -> Self {
        Self { name, way, call, in_flight, tools: FEW }
    }

    pub fn tools(mut self, tools: usize) -> Self {
        self.tools = tools;
        self
    }
}

pub fn all() -> Vec<Load> {
    use Way::{Http, Stdio};
    vec![
        Load::new("stdio, get_order, one at a time", Stdio, Call::get_order(), 1),
        Load::new("stdio, get_order, 64 in flight", Stdio, Call::get_order(), 64),
        Load::new("HTTP, get_order, 1 connection", Http, Call::get_order(), 1),
        Load::new("HTTP, get_order, 16 connections", Http, Call::get_order(), 16),
        Load::new("HTTP, get_order, 64 connections", Http, Call::get_order(), 64),
        Load::new("stdio, tools/list of 100 tools", Stdio, Call::list(), 1).tools(100),
        Load::new("HTTP, tools/list of 100 tools", Http, Call::list(), 1).tools(100),
        Load::new("stdio, an argument of 10 KB", Stdio, Call::place_order(44), 1),
        Load::new("stdio, refused by validation", Stdio, Call::refused(), 1),
        Load::new("stdio, a result of 1 MiB", Stdio, Call::report(), 1),
        Load::new("HTTP, 10 progress events", Http, Call::track(), 1),
    ]
}

/// What one server did under one load.
#[derive(Serialize)]
pub struct Figures {
    pub load: String,
    pub server: &'static str,
    /// Per call: CPU time of the server and wall time, in microseconds; one of each for a round.
    pub cpu: Vec<f64>,
    pub wall: Vec<f64>,
    /// The most memory that it took, in KiB.
    pub peak: u64,
    /// The bytes of an answer.
    pub answer: usize,
    /// Why there are no figures.
    pub missing: Option<String>,
}

enum Client {
    Pipes(Pipes),
    Http(Connections),
}

struct Running {
    server: Server,
    client: Client,
    check: Check,
}

impl Running {
    fn start(peer: &Peer, bench: &Path, load: &Load, length: usize) -> Option<Result<Self, String>> {
        let command = peer.command(bench, load.way, load.tools, length)?;
        Some(Self::begin(peer, &command, bench, load, length))
    }

    fn begin(peer: &Peer, command: &[String], bench: &Path, load: &Load, length: usize) -> Result<Self, String> {
        let mut server = Server::start(command, bench, load.way == Way::Http)?;
        let client = match &server.host {
            Some(host) => Client::Http(Connections::open(host, load.in_flight)?),
            None => {
                let (input, output) = (server.child.stdin.take(), server.child.stdout.take());
                let (Some(input), Some(output)) = (input, output) else { return Err("no pipes".to_owned()) };
                Client::Pipes(Pipes::new(input, output))
            }
        };
        let length = peer.is_floor().then_some(length);
        Ok(Self { server, client, check: Check::new(load.call.clone(), length) })
    }

    fn run(&mut self, load: &Load, time: Duration) -> Result<(u64, usize), String> {
        match &mut self.client {
            Client::Pipes(pipes) => pipes.run(&load.call, &mut self.check, load.in_flight, time),
            Client::Http(connections) => connections.run(&load.call, &mut self.check, time),
        }
    }
}

/// Every server under one load. The first of `peers` has to answer: the floors send as much as it does.
pub fn run(load: &Load, peers: &[&Peer], bench: &Path, rounds: usize, time: Duration) -> Vec<Figures> {
    let (mut length, mut running) = (0, Vec::new());
    for peer in peers {
        let Some(started) = Running::start(peer, bench, load, length) else { continue };
        let warmed = started.and_then(|mut running| {
            let (_, bytes) = running.run(load, time.min(Duration::from_millis(200)))?;
            Ok((running, bytes))
        });
        let mut figures = Figures {
            load: load.name.to_owned(),
            server: peer.name,
            cpu: Vec::new(),
            wall: Vec::new(),
            peak: 0,
            answer: 0,
            missing: None,
        };
        match warmed {
            Ok((warm, bytes)) => {
                if length == 0 {
                    length = bytes;
                }
                figures.answer = bytes;
                running.push((Some(warm), figures));
            }
            Err(why) => {
                eprintln!("{}, {}: {why}", load.name, peer.name);
                figures.missing = Some(why);
                running.push((None, figures));
            }
        }
    }
    for _ in 0..rounds {
        for (running, figures) in &mut running {
            let Some(server) = running else { continue };
            let (cpu, started) = (server.server.cpu(), Instant::now());
            match server.run(load, time) {
                Ok((count, _)) => {
                    #[expect(clippy::cast_precision_loss, reason = "far less than 2^53")]
                    let per_call = |nanoseconds: u64| nanoseconds as f64 / 1000.0 / count.max(1) as f64;
                    figures.wall.push(per_call(u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX)));
                    figures.cpu.push(per_call(server.server.cpu().since(&cpu)));
                    figures.peak = server.server.memory("VmHWM");
                }
                Err(why) => {
                    eprintln!("{}, {}: {why}", load.name, figures.server);
                    figures.missing = Some(why);
                    *running = None;
                }
            }
        }
    }
    running.into_iter().map(|(_, figures)| figures).collect()
}
