//! The `haft` command: looks at MCP servers and calls their tools from a shell.

mod arguments;
mod ask;
mod call;
mod demo;
mod list;
mod login;
mod servers;
mod show;
mod target;
mod watch;

use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};

/// Lists and calls the tools of any MCP server, of every protocol revision.
#[derive(Parser)]
#[command(name = "haft", version, propagate_version = true)]
struct Cli {
    /// How to print.
    #[arg(long, value_enum, default_value_t, global = true)]
    format: Format,
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
    /// Start an example server and show what a model reads when it calls its tools well and badly.
    Demo(demo::Demo),
}

/// How to print.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
}

/// What a run came to, by its exit code.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Good,
    ToolFailed,
}

#[tokio::main]
async fn main() -> ExitCode {
    let Cli { format, command } = Cli::parse();
    let outcome = match command {
        Command::List(list) => list.run(format).await,
        Command::Call(call) => call.run(format).await,
        Command::Login(login) => login.run(format).await,
        Command::Watch(watch) => watch.run(format).await,
        Command::Demo(demo) => demo.run(format).await,
    };
    match outcome {
        Ok(Outcome::Good) => ExitCode::SUCCESS,
        Ok(Outcome::ToolFailed) => ExitCode::from(1),
        Err(error) => {
            anstream::eprintln!("haft: {error:#}");
            ExitCode::from(2)
        }
    }
}
