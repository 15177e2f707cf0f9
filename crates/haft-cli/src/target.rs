use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{anyhow, bail};
use clap::{Args, ValueEnum};
use haft::{Authorize as _, Client, ClientBuilder, ClientError, ErrorKind, HttpTarget};
use haft_check::Prober;

use crate::ask;
use crate::login;
use crate::servers::{self, Named};
use crate::verbose;

/// The server to talk to: a URL, or a command after `--`.
#[derive(Args)]
pub(crate) struct Target {
    /// The server's URL, for a server over HTTP.
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// A header for each request over HTTP, as `Name: value`.
    #[arg(long, value_name = "HEADER", value_parser = header)]
    header: Vec<(http::HeaderName, http::HeaderValue)>,
    /// A file with `mcpServers`, as hosts have it: `--server` names one of them.
    #[arg(long, value_name = "FILE", requires = "server")]
    config: Option<PathBuf>,
    /// The name of a server in the file of `--config`.
    #[arg(long, value_name = "NAME", requires = "config")]
    server: Option<String>,
    /// Don't ask at the terminal what the server asks; such calls fail.
    #[arg(long)]
    no_input: bool,
    /// Whether the wire is shown.
    #[arg(skip)]
    wire: bool,
    /// Which revisions of the protocol to speak.
    #[arg(long, value_enum, default_value_t)]
    era: Era,
    /// How long to wait for each answer, in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    timeout: Duration,
    /// The command that starts the server on stdin and stdout.
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// Which revisions to speak.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Era {
    /// What the server speaks.
    #[default]
    Auto,
    /// 2026-07-28.
    Modern,
    /// Those before it.
    Legacy,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "write a number of seconds, such as 30 or 0.5".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

fn header(text: &str) -> Result<(http::HeaderName, http::HeaderValue), String> {
    let (name, value) = text.split_once(':').ok_or("write a header as `Name: value`")?;
    let name = name.trim().parse().map_err(|_| format!("`{name}` is no name of a header"))?;
    let mut value: http::HeaderValue = value.trim().parse().map_err(|_| "this can't stand in a header".to_owned())?;
    value.set_sensitive(true);
    Ok((name, value))
}

/// How long a server has to exit once its stdin is closed.
const PATIENCE: Duration = Duration::from_secs(5);

impl Target {
    /// The same server, by what may be a URL among the words before.
    pub(crate) fn or_url(mut self, word: Option<&str>) -> Self {
        self.url = self.url.or_else(|| word.map(str::to_owned));
        self
    }

    /// The same server, with the wire shown on stderr.
    pub(crate) fn with_wire(mut self, shown: bool) -> Self {
        self.wire = shown;
        self
    }

    /// Whether a server was given.
    pub(crate) fn is_given(&self) -> bool {
        self.url.is_some() || self.config.is_some() || !self.command.is_empty()
    }

    /// The name that the user's configuration gives the server.
    pub(crate) fn key(&self) -> Option<&str> {
        self.server.as_deref()
    }

    /// Starts the server, or finds it.
    pub(crate) fn connect(&self) -> anyhow::Result<Client> {
        let builder = self.builder();
        match (&self.url, self.command.split_first(), self.config.as_ref().zip(self.server.as_ref())) {
            (None, None, Some((file, name))) => match servers::find(file, name)? {
                Named::Program(command) => Ok(builder.open(command)?),
                Named::Url(url, headers) => {
                    let with = |builder: ClientBuilder, (name, value)| builder.header(name, value);
                    let builder = self.authorized(builder, &url, headers.iter().map(|(name, _)| name))?;
                    Ok(headers.into_iter().fold(builder, with).open(url)?)
                }
            },
            (Some(url), None, None) => Ok(self.authorized(builder, url, [])?.open(url.as_str())?),
            (None, Some((program, arguments)), None) => {
                let mut command = Command::new(program);
                command.args(arguments);
                Ok(builder.open(command)?)
            }
            (None, None, None) => {
                bail!("no server was given: give a URL, a command after `--`, or `--config` and `--server`")
            }
            _ => bail!("there is more than one server: give a URL, a command after `--`, or `--config` and `--server`"),
        }
    }

    /// What probes talk to, and with which headers; messages are sent as they are, without a client in between.
    pub(crate) async fn prober(&self) -> anyhow::Result<Prober> {
        let (prober, url, headers) =
            match (&self.url, self.command.split_first(), self.config.as_ref().zip(self.server.as_ref())) {
                (None, Some((program, arguments)), None) => {
                    let mut command = Command::new(program);
                    command.args(arguments);
                    return Ok(Prober::command(command).patience(self.timeout));
                }
                (None, None, Some((file, name))) => match servers::find(file, name)? {
                    Named::Program(command) => return Ok(Prober::command(command).patience(self.timeout)),
                    Named::Url(url, headers) => (Prober::url(&url), url, headers),
                },
                (Some(url), None, None) => (Prober::url(url), url.clone(), Vec::new()),
                _ => bail!("give one server: a URL, a command after `--`, or `--config` and `--server`"),
            };
        let mut all: Vec<_> = headers.into_iter().chain(self.header.iter().cloned()).collect();
        let authorized = all.iter().any(|(name, _)| name == http::header::AUTHORIZATION);
        if let (false, Some(oauth)) = (authorized, login::logged_in(&url)?) {
            all.extend(oauth.headers(HttpTarget::new(&http::Method::POST, &url)).await?);
        }
        let mut prober = prober.patience(self.timeout);
        for (name, value) in all {
            let value = value.to_str().map_err(|_| anyhow!("the value of {name} isn't plain text"))?;
            prober = prober.header(name.as_str(), value);
        }
        Ok(prober)
    }

    /// Whether the server is a command, and not somewhere else.
    pub(crate) fn is_command(&self) -> anyhow::Result<bool> {
        match (&self.config, &self.server) {
            (Some(file), Some(name)) => Ok(matches!(servers::find(file, name)?, Named::Program(_))),
            _ => Ok(!self.command.is_empty()),
        }
    }

    /// With the token of whoever is logged in, unless the user gives one.
    fn authorized<'a>(
        &'a self,
        builder: ClientBuilder,
        url: &str,
        headers: impl IntoIterator<Item = &'a http::HeaderName>,
    ) -> anyhow::Result<ClientBuilder> {
        let given = self.header.iter().map(|(name, _)| name);
        if given.chain(headers).any(|name| name == http::header::AUTHORIZATION) {
            return Ok(builder);
        }
        Ok(match login::logged_in(url)? {
            Some(oauth) => builder.authorize(oauth),
            None => builder,
        })
    }

    fn builder(&self) -> ClientBuilder {
        let era = match self.era {
            Era::Auto => haft::Era::Auto,
            Era::Modern => haft::Era::Modern,
            Era::Legacy => haft::Era::Legacy,
        };
        let mut builder = Client::builder().info("haft-cli", env!("CARGO_PKG_VERSION")).timeout(self.timeout).era(era);
        for (name, value) in &self.header {
            builder = builder.header(name.clone(), value.clone());
        }
        if self.wire {
            builder = builder.on_wire(verbose::show);
        }
        ask::at_terminal(builder, !self.no_input)
    }
}

/// Whether a word is a URL and not something else.
pub(crate) fn is_url(word: &str) -> bool {
    word.starts_with("http://") || word.starts_with("https://")
}

/// Ends the connection, and adds what the server wrote to stderr where talking to it failed.
pub(crate) async fn finish<T>(client: Client, result: Result<T, ClientError>) -> anyhow::Result<T> {
    let result = result.map_err(|error| {
        let broken =
            !matches!(error.kind(), ErrorKind::Protocol(_) | ErrorKind::InputRequired | ErrorKind::UnknownTool);
        let stderr = client.stderr_tail();
        match stderr.trim() {
            stderr if broken && !stderr.is_empty() => anyhow!("{error}\nThe server wrote to stderr:\n{stderr}"),
            _ => error.into(),
        }
    });
    if let Err(error) = client.close(PATIENCE).await {
        anstream::eprintln!("haft: {}", crate::show::line(&error.to_string()));
    }
    result
}
