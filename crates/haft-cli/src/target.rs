use std::ffi::OsString;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, anyhow};
use clap::Args;
use haft::{Client, ClientError, ErrorKind};

/// The server to talk to.
#[derive(Args)]
pub(crate) struct Target {
    /// How long to wait for each answer, in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    timeout: Duration,
    /// The command that starts the server on stdin and stdout.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "write a number of seconds, such as 30 or 0.5".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

/// How long a server has to exit once its stdin is closed.
const PATIENCE: Duration = Duration::from_secs(5);

impl Target {
    /// Starts the server.
    pub(crate) fn connect(&self) -> anyhow::Result<Client> {
        let (program, arguments) = self.command.split_first().context("no command was given after `--`")?;
        let mut command = Command::new(program);
        command.args(arguments);
        Ok(Client::spawn(command)?.with_info("haft-cli", env!("CARGO_PKG_VERSION")).with_timeout(self.timeout))
    }
}

/// Ends the connection, and adds what the server wrote to stderr where talking to it failed.
pub(crate) async fn finish<T>(client: Client, result: Result<T, ClientError>) -> anyhow::Result<T> {
    let result = result.map_err(|error| {
        let broken = !matches!(error.kind(), ErrorKind::Protocol(_) | ErrorKind::InputRequired);
        let stderr = client.stderr_tail();
        match stderr.trim() {
            stderr if broken && !stderr.is_empty() => anyhow!("{error}\nThe server wrote to stderr:\n{stderr}"),
            _ => error.into(),
        }
    });
    if let Err(error) = client.close(PATIENCE).await {
        anstream::eprintln!("haft: {error}");
    }
    result
}
