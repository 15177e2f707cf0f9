//! Phone calls as tools: `dialer` places simulated ones, follows them, ends them and lists them.
//!
//! `cargo run -q -p dialer` serves stdin and stdout, `-- --http 127.0.0.1:8080` HTTP. A request goes through `tools.rs` to
//! `calls.rs`, which asks `rules/` and has `provider/` dial; what becomes of the call comes back by way of
//! `calls.rs`, directly or through `webhook.rs`, and is kept in a store, by which any other process can answer for it.

mod accounts;
mod call;
mod calls;
mod clock;
mod http;
mod number;
mod options;
mod provider;
mod refusal;
mod rules;
mod tools;
mod view;
mod webhook;
mod workers;
mod zones;

use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use haft::store::{MemoryStore, RedbStore, RedisStore, Store};
use haft::{Handles, RateLimit, Server, ServerBuilder, TaskOptions, TaskSupport, Tool, Toolset};

use accounts::{Accounts, READ, WRITE};
use calls::Calls;
use clock::Clock;
use options::{Command, Options};
use provider::Network;
use rules::{OptOuts, Rate, Rules};
use tools::{Dialer, PLACE};
use webhook::{Secret, Webhook};
use workers::Worker;

type Failure = Box<dyn Error + Send + Sync>;

#[tokio::main]
async fn main() -> ExitCode {
    let options = Options::parse();
    // Standard output is the transport.
    tracing_subscriber::fmt().with_writer(std::io::stderr).with_max_level(tracing::Level::WARN).init();
    match run(options).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("dialer: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(options: Options) -> Result<(), Failure> {
    if let Some(Command::NewAccount { id }) = &options.command {
        return Ok(std::io::stdout().write_all(accounts::new_account(id)?.as_bytes())?);
    }
    let secret = match &options.webhook_secret {
        Some(path) => Some(Secret::new(read(path)?.trim_end())),
        None => None,
    };
    let calls = open(&options, secret.clone()).await?;
    calls.worker.renew().await?;
    // What the last process left, if nobody but this one can have its store.
    workers::look_after(&calls).await.map_err(|error| error.to_string())?;
    let server = server(Arc::clone(&calls), &options)?;
    let served = {
        let tending = workers::tend(Arc::clone(&calls));
        let serving = serve(server, &options, Arc::clone(&calls), secret);
        tokio::select! {
            served = serving => served,
            () = tending => Ok(()),
        }
    };
    let left = workers::leave(&calls).await;
    served?;
    left.map_err(|error| error.to_string().into())
}

/// All that the tools need.
async fn open(options: &Options, secret: Option<Secret>) -> Result<Arc<Calls>, Failure> {
    let store: Arc<dyn Store> = match (&options.redis, &options.store) {
        (Some(url), _) => Arc::new(RedisStore::connect(url).await?),
        (None, Some(path)) => Arc::new(RedbStore::open(path)?),
        (None, None) => Arc::new(MemoryStore::new()),
    };
    let listed = match &options.opt_out {
        Some(path) => OptOuts::parse(&read(path)?).map_err(|problems| format!("{}: {problems}", path.display()))?,
        None => Vec::new(),
    };
    let webhook = match (&options.webhook_url, secret) {
        (Some(url), Some(secret)) => Some(Arc::new(Webhook::new(url.clone(), secret))),
        _ => None,
    };
    let calls = Calls {
        handles: Handles::new(Arc::clone(&store)),
        rules: Rules::new(Arc::clone(&store), Rate::per_hour(options.calls_per_hour), listed)?,
        provider: Arc::new(Network::new(options.seed, options.speed)),
        worker: Worker::new(Arc::clone(&store), options.lease, options.redis.is_none())?,
        clock: options.clock.map_or(Clock::System, Clock::starting_at),
        store,
        webhook,
    };
    Ok(Arc::new(calls))
}

fn server(calls: Arc<Calls>, options: &Options) -> Result<Server, haft::BuildError> {
    let rate = options.requests_per_second.get();
    let store = Arc::clone(&calls.store);
    // A task is kept for as long as the longest call, and long enough to be asked for.
    let task = TaskSupport::new().later().ttl(Duration::from_secs(3600)).poll_interval(Duration::from_secs(2));
    let tools = Arc::new(Dialer::new(calls, options.on_behalf_of.clone())).tools().into_iter();
    let with_tasks = |tool: Tool| if options.tasks && tool.name() == PLACE { tool.task(task) } else { tool };
    let server = Server::new("dialer", env!("CARGO_PKG_VERSION"))
        .title("Dialer")
        .instructions(
            "Places phone calls. Ask the user before each call. place_call returns at once: follow the call with \
             get_call and wait_seconds until resolution.outcome is no longer pending, and tell the user what was said. \
             list_calls finds a call whose id is lost.",
        )
        .rate_limit(RateLimit::per_second(rate).burst(rate.saturating_mul(10)))
        .scope_implies(WRITE, [READ]);
    let server = if options.redis.is_some() { server.shared(Arc::clone(&store)) } else { server };
    let in_store = TaskOptions::new().store_in(store).lease(options.lease);
    let server = if options.tasks { server.tasks(in_store) } else { server };
    tools.map(with_tasks).fold(server, ServerBuilder::tool).build()
}

async fn serve(server: Server, options: &Options, calls: Arc<Calls>, secret: Option<Secret>) -> Result<(), Failure> {
    let Some(address) = &options.http else { return Ok(server.serve_stdio().await?) };
    let accounts = match &options.accounts {
        Some(path) => Accounts::parse(&read(path)?).map_err(|problems| format!("{}: {problems}", path.display()))?,
        None => {
            let (accounts, token) = Accounts::temporary(&options.on_behalf_of)?;
            eprintln!("the access token, until this process ends: {token}");
            accounts
        }
    };
    Ok(http::serve(server, address, options.allow_host.clone(), accounts, calls, secret).await?)
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}
