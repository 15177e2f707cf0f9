use std::time::{Duration, SystemTime};

use anstream::{print, println};
use anyhow::anyhow;
use clap::Args;
use haft_check::{Host, Rule};
use serde_json::json;

use crate::show::{BOLD, DIM, pretty};
use crate::{Format, Outcome};

#[derive(Args)]
pub(crate) struct Rules {
    /// Show this rule, with all that is known of it.
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// Only the rules of this host.
    #[arg(long, value_name = "HOST", conflicts_with = "id")]
    host: Option<String>,
    /// Only the rules whose source is older than this, such as 180d.
    #[arg(long, value_name = "DAYS", conflicts_with = "id", value_parser = days)]
    stale: Option<Duration>,
}

fn days(text: &str) -> Result<Duration, String> {
    let number = text.strip_suffix('d').unwrap_or(text);
    let days: u64 = number.parse().map_err(|_| "write a number of days, such as 180d".to_owned())?;
    days.checked_mul(24 * 60 * 60).map(Duration::from_secs).ok_or_else(|| "that is too long".to_owned())
}

impl Rules {
    pub(crate) fn run(self, format: Format) -> anyhow::Result<Outcome> {
        if let Some(id) = &self.id {
            let rule =
                haft_check::rule(id).ok_or_else(|| anyhow!("no rule is called {id:?}; `haft rules` lists them"))?;
            match format {
                Format::Json => println!("{}", pretty(&describe(rule))?),
                Format::Text => print!("{}", rule.page()),
            }
            return Ok(Outcome::Good);
        }
        let host = match &self.host {
            Some(name) => Some(Host::named(name).ok_or_else(|| anyhow!("no host is called {name:?}"))?),
            None => None,
        };
        let now = SystemTime::now();
        let is_stale = |rule: &&Rule| self.stale.is_none_or(|longest| rule.age(now) > longest);
        let of_host = |rule: &&Rule| host.is_none_or(|host| rule.hosts.contains(&host));
        let rules: Vec<&Rule> = haft_check::rules().filter(of_host).filter(is_stale).collect();
        match format {
            Format::Json => println!("{}", pretty(&rules.iter().map(|rule| describe(rule)).collect::<Vec<_>>())?),
            Format::Text => {
                for rule in rules {
                    let (severity, date) = (rule.severity.name(), rule.date);
                    println!("{BOLD}{:<16}{BOLD:#} {severity:<9} {DIM}{date}{DIM:#}  {}", rule.id, rule.title);
                }
            }
        }
        Ok(Outcome::Good)
    }
}

fn describe(rule: &Rule) -> serde_json::Value {
    json!({
        "id": rule.id,
        "title": rule.title,
        "subject": rule.subject.name(),
        "family": rule.family.name(),
        "hosts": rule.hosts.iter().map(|host| host.name()).collect::<Vec<_>>(),
        "severity": rule.severity.name(),
        "blast": rule.blast.name(),
        "confidence": rule.confidence.name(),
        "source": rule.source,
        "date": rule.date,
        "consequence": rule.consequence,
        "fix": rule.fix,
        "note": rule.note,
    })
}
