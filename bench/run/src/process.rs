//! Servers as processes: pinned to a core, and what they take.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::thread::{CpuSet, sched_setaffinity};

/// The core of the server, and that of the load.
const SERVER: usize = 0;
const LOAD: usize = 1;

pub struct Server {
    pub child: Child,
    /// Where it listens, if it does: `127.0.0.1:PORT`.
    pub host: Option<String>,
}

/// CPU time of all its threads so far, in nanoseconds.
pub struct Cpu(u64);

/// This thread's core, for what it does itself.
pub fn pin_load() {
    pin(LOAD);
}

fn pin(core: usize) {
    let mut cores = CpuSet::new();
    cores.set(core);
    if let Err(error) = sched_setaffinity(None, &cores) {
        eprintln!("not pinned to core {core}: {error}");
    }
}

impl Server {
    /// Starts it on the server's core.
    pub fn start(command: &[String], folder: &Path, http: bool) -> Result<Self, String> {
        let (program, arguments) = command.split_first().ok_or("no command")?;
        let mut command = Command::new(program);
        command.args(arguments).current_dir(folder);
        command.stdin(Stdio::piped()).stdout(if http { Stdio::null() } else { Stdio::piped() });
        command.stderr(if http { Stdio::piped() } else { Stdio::null() });
        pin(SERVER);
        let child = command.spawn();
        pin(LOAD);
        let mut server = Self { child: child.map_err(|error| format!("{program}: {error}"))?, host: None };
        if http {
            let stderr = server.child.stderr.take().ok_or("no stderr")?;
            let mut lines = BufReader::new(stderr).lines();
            let said = lines.by_ref().map_while(Result::ok).find_map(|line| {
                let url = line.split_once("listening on http://")?.1.to_owned();
                Some(url.split('/').next().unwrap_or_default().to_owned())
            });
            server.host = Some(said.ok_or("it did not say where it listens")?);
            // What it says later is nobody's business, but must not fill the pipe.
            std::thread::spawn(move || lines.for_each(drop));
        }
        Ok(server)
    }

    pub fn cpu(&self) -> Cpu {
        let mut all = 0;
        let tasks = fs::read_dir(format!("/proc/{}/task", self.child.id()));
        for task in tasks.into_iter().flatten().flatten() {
            let text = fs::read_to_string(task.path().join("schedstat")).unwrap_or_default();
            all += text.split(' ').next().and_then(|time| time.parse::<u64>().ok()).unwrap_or(0);
        }
        Cpu(all)
    }

    /// A line of its status in KiB, such as `VmRSS` and `VmHWM`.
    pub fn memory(&self, what: &str) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix(what)?.strip_prefix(':'));
        line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Cpu {
    pub fn since(&self, earlier: &Cpu) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}
