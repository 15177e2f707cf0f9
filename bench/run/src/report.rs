//! Tables for people, and all figures as JSON.

use std::fmt::Write;
use std::fs;
use std::process::Command;

use serde::Serialize;

use crate::growth::Curve;
use crate::loads::Figures;
use crate::once::Once;

#[derive(Serialize)]
pub struct Report {
    pub machine: Machine,
    pub rounds: usize,
    pub seconds: f64,
    /// Servers that are not there, and why.
    pub missing: Vec<(&'static str, String)>,
    pub loads: Vec<Figures>,
    pub once: Vec<Once>,
    pub growth: Vec<Curve>,
}

#[derive(Serialize)]
pub struct Machine {
    pub processor: String,
    pub cores: usize,
    pub system: String,
    pub versions: Vec<String>,
    pub commit: String,
    /// How busy it was: the load average when the run began.
    pub busy: String,
}

impl Machine {
    pub fn here() -> Self {
        let said = |program: &str, arguments: &[&str]| {
            let output = Command::new(program).args(arguments).output();
            output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default()
        };
        let processors = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let name = processors.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
        let versions = [("rustc", "--version"), ("python3", "--version"), ("node", "--version")];
        Self {
            processor: name.map(|(_, name)| name.to_owned()).unwrap_or_default(),
            cores: std::thread::available_parallelism().map_or(0, Into::into),
            system: said("uname", &["-sr"]),
            versions: versions.iter().map(|(program, how)| format!("{program}: {}", said(program, &[how]))).collect(),
            commit: said("git", &["rev-parse", "--short", "HEAD"]),
            busy: fs::read_to_string("/proc/loadavg").unwrap_or_default().trim().to_owned(),
        }
    }
}

pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        length if length % 2 == 1 => sorted[length / 2],
        length => f64::midpoint(sorted[length / 2 - 1], sorted[length / 2]),
    }
}

/// Three digits that matter.
fn figure(value: f64) -> String {
    match value {
        value if !value.is_finite() => "–".to_owned(),
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 10.0 => format!("{value:.1}"),
        value => format!("{value:.2}"),
    }
}

fn spread(values: &[f64]) -> String {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    format!("{}–{}", figure(least), figure(most))
}

impl Report {
    /// The CPU time of haft by that of others under one load, and calls per second the other way round.
    pub fn markdown(&self) -> String {
        let mut out = String::new();
        let Machine { processor, cores, system, versions, commit, busy } = &self.machine;
        let _ = writeln!(
            out,
            "Machine: {processor}, {cores} cores, {system}; {}. Commit {commit}. {} rounds of {} s for each server and load, \
             in turn; load average at the start {busy}.\n",
            versions.join(", "),
            self.rounds,
            self.seconds,
        );
        for (server, why) in &self.missing {
            let _ = writeln!(out, "Not there: {server} ({why}).\n");
        }
        let mut load = "";
        for figures in &self.loads {
            if figures.load != load {
                load = &figures.load;
                let _ = writeln!(
                    out,
                    "\n**{load}**\n\n| server | CPU µs a call | spread | ×haft | calls/s | ×haft | bytes | peak MiB |\n|---|---|---|---|---|---|---|---|"
                );
            }
            if let Some(why) = &figures.missing {
                let why: String = why.chars().take(80).collect();
                let _ = writeln!(out, "| {} | – | {} | | | | | |", figures.server, why.replace(['|', '\n', '\r'], " "));
                continue;
            }
            let haft = self.loads.iter().find(|other| other.load == figures.load && other.server == "haft");
            let (cpu, rate) = (median(&figures.cpu), 1e6 / median(&figures.wall));
            let (haft_cpu, haft_rate) =
                haft.map_or((f64::NAN, f64::NAN), |haft| (median(&haft.cpu), 1e6 / median(&haft.wall)));
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} | {rate:.0} | {} | {} | {:.1} |",
                figures.server,
                figure(cpu),
                spread(&figures.cpu),
                figure(cpu / haft_cpu),
                figure(rate / haft_rate),
                figures.answer,
                figures.peak as f64 / 1024.0,
            );
        }
        if !self.once.is_empty() {
            out.push_str("\n**Start, memory, size**\n\n| server | start to first answer, ms | spread | idle MiB | MiB by subscriptions | binary MB |\n|---|---|---|---|---|---|\n");
        }
        for once in &self.once {
            let subscriptions =
                once.subscriptions.iter().map(|(count, size)| format!("{count}: {:.1}", *size as f64 / 1024.0));
            let subscriptions = subscriptions.collect::<Vec<_>>().join(", ");
            let _ = writeln!(
                out,
                "| {} | {} | {} | {:.1} | {} | {} |",
                once.server,
                figure(median(&once.start)),
                if once.start.is_empty() { String::new() } else { spread(&once.start) },
                once.idle as f64 / 1024.0,
                subscriptions,
                once.binary.map_or(String::new(), |bytes| format!("{:.2}", bytes as f64 / 1e6)),
            );
        }
        out
    }
}
