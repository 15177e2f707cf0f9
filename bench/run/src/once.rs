//! What isn't a load: the start, the memory of a server that waits, and of one that many clients listen to.

use std::path::Path;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::http::Connection;
use crate::pipes::Pipes;
use crate::process::Server;
use crate::servers::{FEW, Peer, Way};
use crate::wire::{Call, Check, FIRST_ID};

#[derive(Serialize)]
pub struct Once {
    pub server: &'static str,
    /// Process start to first answer over stdio, in milliseconds, each start.
    pub start: Vec<f64>,
    /// Memory after the first answers, in KiB.
    pub idle: u64,
    /// Memory by subscriptions that are open, in KiB, and the CPU time of a call meanwhile, in microseconds.
    pub subscriptions: Vec<(usize, u64)>,
    /// Bytes of the binary.
    pub binary: Option<u64>,
    pub missing: Option<String>,
}

/// Starts each so many times, in turn.
pub fn starts(peers: &[&Peer], bench: &Path, times: usize, length: usize) -> Vec<Once> {
    let mut all: Vec<Once> = peers
        .iter()
        .map(|peer| {
            let binary = peer.binary(bench).and_then(|file| file.metadata().ok()).map(|file| file.len());
            let (start, subscriptions) = (Vec::new(), Vec::new());
            Once { server: peer.name, start, idle: 0, subscriptions, binary, missing: None }
        })
        .collect();
    for _ in 0..times {
        for (peer, once) in peers.iter().zip(&mut all) {
            // The slow ones are slow enough to be measured less often.
            if once.missing.is_some() || (once.start.len() >= 3 && once.start[0] > 200.0) {
                continue;
            }
            match start(peer, bench, length) {
                Ok((milliseconds, idle)) => {
                    once.start.push(milliseconds);
                    once.idle = idle;
                }
                Err(why) => once.missing = Some(why),
            }
        }
    }
    all
}

fn start(peer: &Peer, bench: &Path, length: usize) -> Result<(f64, u64), String> {
    let command = peer.command(bench, Way::Stdio, FEW, length).ok_or("no such server")?;
    let started = Instant::now();
    let mut server = Server::start(&command, bench, false)?;
    let (input, output) = (server.child.stdin.take(), server.child.stdout.take());
    let (Some(input), Some(output)) = (input, output) else { return Err("no pipes".to_owned()) };
    let mut pipes = Pipes::new(input, output);
    let call = Call::get_order();
    let mut check = Check::new(call.clone(), peer.is_floor().then_some(length));
    pipes.run(&call, &mut check, 1, Duration::ZERO)?;
    Ok((started.elapsed().as_secs_f64() * 1000.0, server.memory("VmRSS")))
}

/// Memory by open subscriptions, each on a connection of its own.
pub fn subscriptions(peer: &Peer, bench: &Path, counts: &[usize]) -> Result<Vec<(usize, u64)>, String> {
    let command = peer.command(bench, Way::Http, FEW, 0).ok_or("no such server")?;
    let server = Server::start(&command, bench, true)?;
    let host = server.host.clone().ok_or("no address")?;
    let (mut open, mut out, mut figures) = (Vec::new(), Vec::new(), Vec::new());
    for &count in counts {
        for number in open.len()..count {
            let mut connection = Connection::open(&host)?;
            connection.send(&Call::subscribe(), FIRST_ID + number as u64, &mut out)?;
            match connection.begins()? {
                200 => open.push(connection),
                status => return Err(format!("a subscription is answered with {status}")),
            }
        }
        figures.push((count, server.memory("VmRSS")));
    }
    Ok(figures)
}
