//! What is compared, and how each is built and started.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Stdio,
    Http,
}

/// One of those that are compared.
pub struct Peer {
    pub name: &'static str,
    /// What the tables say of it.
    pub about: &'static str,
    kind: Kind,
}

enum Kind {
    /// A package of this workspace, and what its command line begins with.
    Rust(&'static str, &'static [&'static str]),
    /// No MCP: the length of its answers is on the command line.
    Floor(&'static str),
    Python,
    TypeScript,
}

pub const PEERS: &[Peer] = &[
    Peer { name: "haft", about: "haft, all checks on, one thread", kind: Kind::Rust("bench-haft", &[]) },
    Peer {
        name: "rmcp",
        about: "rmcp 3.11.0 at its best: stdio_pipes, JSON answers, TCP_NODELAY, the router built once, one thread",
        kind: Kind::Rust("bench-rmcp", &["best"]),
    },
    Peer {
        name: "rmcp as it comes",
        about: "rmcp 3.11.0 as its documentation has it: stdio, axum, its defaults",
        kind: Kind::Rust("bench-rmcp", &["plain"]),
    },
    Peer { name: "turbomcp", about: "turbomcp 4.0.0-alpha.5, one thread", kind: Kind::Rust("bench-turbomcp", &[]) },
    Peer {
        name: "tower-mcp",
        about: "tower-mcp 0.25.0 with schema-validation, one thread",
        kind: Kind::Rust("bench-tower-mcp", &[]),
    },
    Peer { name: "Python mcp", about: "mcp 2.3.0, JSON answers, uvicorn", kind: Kind::Python },
    Peer { name: "TypeScript", about: "@modelcontextprotocol/server 2.4.0 with Node.js", kind: Kind::TypeScript },
    Peer {
        name: "floor",
        about: "no MCP: a line for each line over pipes, written one by one; hyper with a fixed body",
        kind: Kind::Floor("stdio"),
    },
    Peer {
        name: "floor, batched",
        about: "no MCP: the answers to all lines that came at once in one write",
        kind: Kind::Floor("batched"),
    },
];

impl Peer {
    pub fn is_floor(&self) -> bool {
        matches!(self.kind, Kind::Floor(_))
    }

    /// Builds it, or says why that can't be.
    pub fn build(&self, bench: &Path) -> Result<(), String> {
        match &self.kind {
            Kind::Rust(package, _) => run("cargo", &["build", "--quiet", "--release", "-p", package], bench),
            Kind::Floor(_) => run("cargo", &["build", "--quiet", "--release", "-p", "bench-floor"], bench),
            Kind::Python => {
                let venv = target(bench).join("python");
                if !venv.join("bin/python").exists() {
                    run("python3", &["-m", "venv", &venv.display().to_string()], bench)?;
                }
                let pip = venv.join("bin/pip").display().to_string();
                let list = bench.join("servers/python/requirements.txt").display().to_string();
                run(&pip, &["install", "-q", "--disable-pip-version-check", "-r", &list], bench)
            }
            Kind::TypeScript => {
                run("npm", &["ci", "--no-audit", "--no-fund", "--loglevel=error"], &bench.join("servers/typescript"))
            }
        }
    }

    /// `length`: of a floor's answers. `None` where it has no such server.
    pub fn command(&self, bench: &Path, way: Way, tools: usize, length: usize) -> Option<Vec<String>> {
        let transport = if way == Way::Http { "http" } else { "stdio" };
        let program = |name: &str| target(bench).join("release").join(name).display().to_string();
        let script = |name: &str| bench.join("servers").join(name).display().to_string();
        let mut command = match &self.kind {
            Kind::Rust(package, before) => {
                let mut command = vec![program(package)];
                command.extend(before.iter().map(|&word| word.to_owned()));
                command
            }
            Kind::Floor("batched") if way == Way::Http => return None,
            Kind::Floor(how) => {
                let how = if way == Way::Http { "http" } else { how };
                return Some(vec![program("bench-floor"), how.to_owned(), length.to_string()]);
            }
            Kind::Python => {
                vec![target(bench).join("python/bin/python").display().to_string(), script("python/server.py")]
            }
            Kind::TypeScript => vec!["node".to_owned(), script("typescript/server.mjs")],
        };
        if tools > FEW && !matches!(self.name, "haft" | "rmcp" | "Python mcp" | "TypeScript") {
            return None;
        }
        command.extend([transport.to_owned(), tools.to_string()]);
        Some(command)
    }

    /// The binary, where it is one that the size of means something.
    pub fn binary(&self, bench: &Path) -> Option<PathBuf> {
        match &self.kind {
            Kind::Rust(package, _) => Some(target(bench).join("release").join(package)),
            _ => None,
        }
    }
}

/// What every server has at least.
pub const FEW: usize = 4;

/// Where things are built.
pub fn target(bench: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| bench.join("target"), PathBuf::from)
}

pub fn run(program: &str, arguments: &[&str], folder: &Path) -> Result<(), String> {
    let mut command = Command::new(program);
    let output = command.args(arguments).current_dir(folder).stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("{program}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let last: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).collect();
    Err(format!(
        "{program} {}: {}",
        arguments.join(" "),
        last.iter().rev().take(3).rev().copied().collect::<Vec<_>>().join("; ")
    ))
}
