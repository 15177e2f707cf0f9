//! The `haft` command: looks at MCP servers and calls their tools from a shell.

mod allowances;
mod arguments;
mod ask;
mod call;
mod check;
mod demo;
mod diff;
mod list;
mod login;
mod probe;
mod progress;
mod rules;
mod servers;
mod show;
mod target;
mod verbose;
mod watch;

use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};

/// Lists, calls and checks the tools of any MCP server, of every protocol revision.
#[derive(Parser)]
#[command(name = "haft", version, propagate_version = true)]
struct Cli {
    /// How to print.
    #[arg(long, value_enum, default_value_t, global = true)]
    format: AnyFormat,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List the tools of a server.
    List(list::List),
    /// Call a tool. Exits with 1 when the tool says that it failed, with 2 when it could not be called.
    Call(call::Call),
    /// Log in at a server over HTTP; the other commands use the token.
    Login(login::Login),
    /// Print what changes, until the server ends it: lists of tools, prompts and resources, and single resources.
    Watch(watch::Watch),
    /// Say what AI hosts will do with a server's tools. Exits with 1 when something is found that is as grave as
    /// `--fail-on`, with 2 when there is nothing to check.
    Check(Box<check::CheckTools>),
    /// Say what changed between two files of definitions, and whom it breaks. Exits with 1 when something is as grave as
    /// `--fail-on`, with 2 when they can't be compared.
    Diff(diff::Compare),
    /// List the rules of `check`, or show one.
    Rules(rules::Rules),
    /// Start an example server and show what a model reads when it calls its tools well and badly.
    Demo(demo::Demo),
}

/// How to print.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum AnyFormat {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
    /// For code scanning: SARIF 2.1.0 (`check` only).
    Sarif,
    /// For a comment on a pull request (`check` only).
    Markdown,
    /// For test reports of CI systems (`check` only).
    Junit,
}

/// How all commands but `check` can print.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Text,
    Json,
}

impl AnyFormat {
    fn plain(self) -> anyhow::Result<Format> {
        match self {
            Self::Text => Ok(Format::Text),
            Self::Json => Ok(Format::Json),
            Self::Sarif | Self::Markdown | Self::Junit => {
                anyhow::bail!("only `haft check` prints this format; use text or json")
            }
        }
    }
}

/// What a run came to, by its exit code.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Good,
    ToolFailed,
    /// What was checked has faults.
    Faulty,
}

#[tokio::main]
async fn main() -> ExitCode {
    let Cli { format, command } = Cli::parse();
    let outcome = run(format, command).await;
    match outcome {
        Ok(Outcome::Good) => ExitCode::SUCCESS,
        Ok(Outcome::ToolFailed | Outcome::Faulty) => ExitCode::from(1),
        Err(error) => {
            // A server's words may be among these.
            anstream::eprintln!("haft: {}", show::indented(&format!("{error:#}")));
            ExitCode::from(2)
        }
    }
}

async fn run(format: AnyFormat, command: Command) -> anyhow::Result<Outcome> {
    match command {
        Command::List(list) => list.run(format.plain()?).await,
        Command::Call(call) => call.run(format.plain()?).await,
        Command::Login(login) => login.run(format.plain()?).await,
        Command::Watch(watch) => watch.run(format.plain()?).await,
        Command::Check(check) => check.run(format).await,
        Command::Diff(diff) => diff.run(format.plain()?),
        Command::Rules(rules) => rules.run(format.plain()?),
        Command::Demo(demo) => demo.run(format.plain()?).await,
    }
}
