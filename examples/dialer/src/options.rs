//! The command line.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand};
use jiff::Timestamp;

/// Phone calls as MCP tools, over a simulated telephone network.
///
/// Serves stdin and stdout unless told otherwise; calls are forgotten at the end unless there is a store.
#[derive(Debug, Parser)]
#[command(name = "dialer", version)]
pub(crate) struct Options {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// Serve HTTP at this address, such as 127.0.0.1:8080, instead of stdin and stdout
    #[arg(long, value_name = "ADDR")]
    pub(crate) http: Option<String>,
    /// A name by which this server is called over HTTP; may be repeated
    #[arg(long, value_name = "NAME", requires = "http")]
    pub(crate) allow_host: Vec<String>,
    /// Keep calls in this file, which one process has open at a time
    #[arg(long, value_name = "FILE", conflicts_with = "redis")]
    pub(crate) store: Option<PathBuf>,
    /// Keep calls in this Redis, which any number of processes share, such as redis://127.0.0.1/
    #[arg(long, value_name = "URL")]
    pub(crate) redis: Option<String>,
    /// Who may call over HTTP: a file as `dialer new-account` writes it. Without it there is one account, whose token is
    /// written to stderr
    #[arg(long, value_name = "FILE", requires = "http")]
    pub(crate) accounts: Option<PathBuf>,
    /// For clients that know tasks, place_call goes on as one until the call is over
    #[arg(long)]
    pub(crate) tasks: bool,
    /// In whose name calls are made for the local user, or for the one account
    #[arg(long, value_name = "NAME", default_value = "one of our customers")]
    pub(crate) on_behalf_of: String,
    /// How many calls an account may place in an hour
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) calls_per_hour: u32,
    /// How many requests an account may send in a second, to each tool; ten times as many at once
    #[arg(long, value_name = "N", default_value = "20")]
    pub(crate) requests_per_second: NonZeroU32,
    /// Numbers that are never called: a file, one a line
    #[arg(long, value_name = "FILE")]
    pub(crate) opt_out: Option<PathBuf>,
    /// The simulated provider tells what happens by webhook to this URL, instead of directly
    #[arg(long, value_name = "URL", requires = "webhook_secret")]
    pub(crate) webhook_url: Option<String>,
    /// A file with the secret that webhooks are signed with. Without it, none are taken
    #[arg(long, value_name = "FILE")]
    pub(crate) webhook_secret: Option<PathBuf>,
    /// How many times faster than real ones simulated calls go
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    pub(crate) speed: f64,
    /// What simulated numbers do is drawn from this
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// What time it is for the rules at the start, such as 2026-12-01T18:00:00Z
    #[arg(long, value_name = "TIME")]
    pub(crate) clock: Option<Timestamp>,
    /// After how long without a sign of life a process counts as dead, and its calls are ended, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub(crate) lease: Duration,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write a new token to stdout, and the lines that let it in, for the file of --accounts
    NewAccount {
        /// The account's id
        id: String,
    },
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("{text:?} is no number of seconds"))?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}
