//! `cargo xtask bench`: haft beside its peers and the limits of the machine, in one run.
//!
//! Writes `report.md`, `report.json` and `growth.svg` into the folder that `--out` names.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

mod growth;
mod http;
mod loads;
mod once;
mod pipes;
mod process;
mod report;
mod servers;
mod wire;

use report::{Machine, Report};
use servers::{PEERS, Peer};

const USAGE: &str =
    "usage: cargo xtask bench [--quick] [--out FOLDER] [--only LOAD] [--servers NAME,NAME] [--no-growth] [--no-build]";

struct Options {
    rounds: usize,
    time: Duration,
    out: PathBuf,
    only: Option<String>,
    servers: Option<Vec<String>>,
    growth: bool,
    build: bool,
}

fn main() -> ExitCode {
    let options = match options() {
        Ok(options) => options,
        Err(why) => {
            eprintln!("{why}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match bench(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("bench: {why}");
            ExitCode::FAILURE
        }
    }
}

fn options() -> Result<Options, String> {
    let mut options = Options {
        rounds: 7,
        time: Duration::from_millis(1000),
        out: PathBuf::from("target/bench"),
        only: None,
        servers: None,
        growth: true,
        build: true,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--quick" => (options.rounds, options.time) = (5, Duration::from_millis(350)),
            "--out" => options.out = value()?.into(),
            "--only" => options.only = Some(value()?),
            "--servers" => options.servers = Some(value()?.split(',').map(str::to_owned).collect()),
            "--no-growth" => options.growth = false,
            "--no-build" => options.build = false,
            _ => return Err(format!("unknown argument {argument}")),
        }
    }
    Ok(options)
}

fn bench(options: &Options) -> Result<(), String> {
    let bench = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("no folder above this package")?;
    let machine = Machine::here();
    let (mut there, mut missing): (Vec<&Peer>, _) = (Vec::new(), Vec::new());
    for peer in PEERS {
        if options.servers.as_ref().is_some_and(|servers| !servers.iter().any(|server| server == peer.name)) {
            continue;
        }
        eprintln!("building {}: {}", peer.name, peer.about);
        let built = if options.build { peer.build(bench) } else { Ok(()) };
        match built {
            Ok(()) => there.push(peer),
            Err(why) => {
                eprintln!("{} is left out: {why}", peer.name);
                missing.push((peer.name, why));
            }
        }
    }
    process::pin_load();
    let mut figures = Vec::new();
    for load in loads::all() {
        if options.only.as_ref().is_some_and(|only| !load.name.contains(only.as_str())) {
            continue;
        }
        eprintln!("{}", load.name);
        figures.append(&mut loads::run(&load, &there, bench, options.rounds, options.time));
    }
    let length = figures.iter().find(|figures| figures.server == "haft").map_or(300, |figures| figures.answer);
    let mut all_once = Vec::new();
    if options.only.is_none() {
        eprintln!("starts and memory");
        let starting: Vec<&Peer> = there.iter().copied().filter(|peer| peer.name != "floor, batched").collect();
        all_once = once::starts(&starting, bench, 20, length);
        for (once, peer) in all_once.iter_mut().zip(&starting).filter(|(_, peer)| !peer.is_floor()) {
            match once::subscriptions(peer, bench, &[0, 10_000]) {
                Ok(figures) => once.subscriptions = figures,
                Err(why) => eprintln!("10,000 subscriptions, {}: {why}", peer.name),
            }
        }
    }
    let grown = if options.growth && options.only.is_none() {
        eprintln!("growth");
        growth::measure(bench, 3, options.time.min(Duration::from_millis(300)))
    } else {
        Vec::new()
    };
    let seconds = options.time.as_secs_f64();
    let report =
        Report { machine, rounds: options.rounds, seconds, missing, loads: figures, once: all_once, growth: grown };
    std::fs::create_dir_all(&options.out).map_err(|error| error.to_string())?;
    let write =
        |name: &str, text: String| std::fs::write(options.out.join(name), text).map_err(|error| error.to_string());
    let table = report.markdown();
    println!("{table}");
    write("report.md", table)?;
    write("report.json", serde_json::to_string_pretty(&report).map_err(|error| error.to_string())?)?;
    if !report.growth.is_empty() {
        write("growth.svg", growth::svg(&report.growth))?;
    }
    Ok(())
}
