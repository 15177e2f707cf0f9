use std::io::Read as _;
use std::path::PathBuf;

use anstream::print;
use anyhow::{Context, anyhow, bail};
use clap::{Args, ValueEnum};
use haft_check::{Baseline, Host, Options, Report, ServerFacts, Severity, printable_json};
use serde_json::json;

use crate::probe::Probing;
use crate::target::{Target, finish, is_url};
use crate::{AnyFormat, Outcome, allowances};

#[derive(Args)]
pub(crate) struct CheckTools {
    /// A file of definitions ({"tools": [...]}, an array, or a result of tools/list), `-` for stdin, or the server's URL; or
    /// `--` and a command.
    #[arg(value_name = "FILE|URL")]
    what: Option<String>,
    /// The hosts to check for, separated by commas; `all` for every one that is known.
    #[arg(long, value_name = "HOSTS", value_delimiter = ',', default_value = "portable")]
    host: Vec<String>,
    /// The name under which users add the server, which hosts put before each tool's; that of `--server` unless given.
    #[arg(long, value_name = "NAME")]
    server_key: Option<String>,
    /// From which severity on the exit code is 1.
    #[arg(long, value_enum, default_value_t)]
    fail_on: FailOn,
    /// Leave out a rule, by its id; may be given more than once.
    #[arg(long, value_name = "RULE")]
    allow: Vec<String>,
    /// An earlier report (`--format json`): only what is new is shown and counts.
    #[arg(long, value_name = "REPORT")]
    baseline: Option<PathBuf>,
    #[command(flatten)]
    probing: Probing,
    /// Show every message that went back and forth in the probes; with `--format json`, as `exchanges`.
    #[arg(long)]
    verbose: bool,
    #[command(flatten)]
    target: Target,
}

/// The least that fails.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// A host refuses it.
    #[default]
    Rejects,
    /// A host cuts, renames or strips it.
    Truncates,
    /// A host takes it with something lost.
    Degraded,
    /// Anything.
    Advice,
    /// Nothing.
    Never,
}

impl FailOn {
    fn severity(self) -> Option<Severity> {
        match self {
            Self::Rejects => Some(Severity::Rejects),
            Self::Truncates => Some(Severity::Truncates),
            Self::Degraded => Some(Severity::Degraded),
            Self::Advice => Some(Severity::Advice),
            Self::Never => None,
        }
    }
}

/// The largest file that is read.
const LARGEST: u64 = 512 << 20;

impl CheckTools {
    pub(crate) async fn run(self, format: AnyFormat) -> anyhow::Result<Outcome> {
        let (allowances, expired) = allowances::read()?;
        let options = allowances.into_iter().fold(self.options()?, Options::allowance);
        let fail_on = self.fail_on.severity();
        let facts = match self.what.as_deref().filter(|what| !is_url(what)) {
            Some(file) if self.target.is_given() => bail!("there are two things to check: {file} and a server"),
            Some(file) => from_file(file)?,
            None if self.what.is_none() && !self.target.is_given() => {
                bail!(
                    "there is nothing to check: give a file of definitions, `-` for stdin, a URL, or `--` and a command"
                )
            }
            None => {
                let target = self.target.or_url(self.what.as_deref());
                from_server(&target).await?.with_exchanges(self.probing.exchanges(&target).await?)
            }
        };
        let report = haft_check::check(&facts, &options);
        show(&report, format, fail_on);
        let unused = report
            .unused
            .iter()
            .map(|allowance| format!("nothing breaks {} any more: take the allowance out", allowance.rule));
        for line in expired.into_iter().chain(unused) {
            anstream::eprintln!("haft: {}", crate::show::line(&line));
        }
        let faulty = fail_on.is_some_and(|severity| report.fails(severity));
        Ok(if faulty { Outcome::Faulty } else { Outcome::Good })
    }

    fn options(&self) -> anyhow::Result<Options> {
        let mut hosts = Vec::new();
        for name in &self.host {
            match Host::named(name) {
                Some(host) => hosts.push(host),
                None if name == "all" => hosts.extend(Host::all()),
                None => {
                    let known: Vec<&str> = Host::all().map(Host::name).collect();
                    bail!("no host is called {name:?}; the known ones are all, {}", known.join(", "));
                }
            }
        }
        let mut options = Options::default().hosts(hosts).verbose(self.verbose);
        for id in &self.allow {
            let rule = haft_check::rule(id).ok_or_else(|| anyhow!("no rule is called {id:?}; see `haft rules`"))?;
            options = options.allow(rule.id);
        }
        if let Some(path) = &self.baseline {
            let shown = path.display();
            let text = std::fs::read_to_string(path).with_context(|| format!("{shown} can't be read"))?;
            options = options.baseline(Baseline::read(&text).with_context(|| shown.to_string())?);
        }
        Ok(match self.server_key.as_deref().or(self.target.key()) {
            Some(key) => options.server_key(key),
            None => options,
        })
    }
}

fn from_file(file: &str) -> anyhow::Result<ServerFacts> {
    let (name, text) = read_definitions(file)?;
    Ok(ServerFacts::from_definitions(&name, &text)?)
}

/// What a file of definitions is called, and what is in it; `-` is stdin.
pub(crate) fn read_definitions(file: &str) -> anyhow::Result<(String, String)> {
    let mut bytes = Vec::new();
    let name = if file == "-" {
        std::io::stdin().lock().take(LARGEST).read_to_end(&mut bytes).context("stdin can't be read")?;
        "stdin"
    } else {
        let opened = std::fs::File::open(file).with_context(|| format!("{file} can't be read"))?;
        opened.take(LARGEST).read_to_end(&mut bytes).with_context(|| format!("{file} can't be read"))?;
        file
    };
    if bytes.len() as u64 == LARGEST {
        bail!("{name} has {LARGEST} bytes or more: no list of tools is that long");
    }
    let text = String::from_utf8(bytes).map_err(|_| anyhow!("{name} is not UTF-8"))?;
    Ok((name.to_owned(), text))
}

/// The pages as they came: what a client leaves out is what is looked for.
async fn from_server(target: &Target) -> anyhow::Result<ServerFacts> {
    let client = target.connect()?;
    let seen = async {
        let pages = client.tool_pages().await?;
        Ok((pages, client.server().await?))
    };
    let seen = seen.await;
    let (pages, server) = finish(client, seen).await?;
    let count = pages.len();
    let name =
        |index: usize| if count == 1 { "tools/list".to_owned() } else { format!("tools/list, page {}", index + 1) };
    let names: Vec<String> = (0..count).map(name).collect();
    let facts = ServerFacts::from_pages(names.iter().map(String::as_str).zip(pages.iter().map(|page| page.get())))?;
    let description = json!({"capabilities": server.capabilities, "instructions": server.instructions});
    Ok(facts.with_discover("server/discover", &description.to_string())?)
}

fn show(report: &Report, format: AnyFormat, fail_on: Option<Severity>) {
    match format {
        AnyFormat::Text => print!("{}", report.to_text(true)),
        AnyFormat::Json => print!("{}", printable_json(&report.to_json())),
        AnyFormat::Sarif => print!("{}", printable_json(&report.to_sarif())),
        AnyFormat::Markdown => print!("{}", report.to_markdown()),
        AnyFormat::Junit => print!("{}", report.to_junit(fail_on.unwrap_or(Severity::Rejects))),
    }
}
