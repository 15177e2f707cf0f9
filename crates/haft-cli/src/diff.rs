use anstream::println;
use anyhow::Context as _;
use clap::{Args, ValueEnum};
use haft_check::{Diff, Impact};
use serde_json::json;

use crate::check::read_definitions;
use crate::show::{BOLD, DIM, line, pretty};
use crate::{Format, Outcome};

#[derive(Args)]
pub(crate) struct Compare {
    /// The definitions then: {"tools": [...]}, an array, or a result of tools/list, such as `haft list --format json` prints;
    /// `-` for stdin.
    #[arg(value_name = "OLD")]
    old: String,
    /// The definitions now.
    #[arg(value_name = "NEW")]
    new: String,
    /// From which impact on the exit code is 1.
    #[arg(long, value_enum, default_value_t)]
    fail_on: FailOn,
}

/// The least that fails.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// What worked may work no more.
    #[default]
    Breaking,
    /// Anything that is called or returned differs.
    Compatible,
    /// Anything.
    Cosmetic,
    /// Nothing.
    Never,
}

impl FailOn {
    fn impact(self) -> Option<Impact> {
        match self {
            Self::Breaking => Some(Impact::Breaking),
            Self::Compatible => Some(Impact::Compatible),
            Self::Cosmetic => Some(Impact::Cosmetic),
            Self::Never => None,
        }
    }
}

impl Compare {
    pub(crate) fn run(self, format: Format) -> anyhow::Result<Outcome> {
        let (_, old) = read_definitions(&self.old)?;
        let (_, new) = read_definitions(&self.new)?;
        let diff = haft_check::diff(&old, &new).context("there is nothing to compare")?;
        match format {
            Format::Json => println!("{}", pretty(&described(&diff))?),
            Format::Text => show(&diff),
        }
        let fails = self.fail_on.impact().is_some_and(|least| diff.worst() >= Some(least));
        Ok(if fails { Outcome::Faulty } else { Outcome::Good })
    }
}

fn described(diff: &Diff) -> serde_json::Value {
    let changes: Vec<_> = diff
        .changes
        .iter()
        .map(|change| {
            json!({
                "tool": change.tool,
                "pointer": change.pointer,
                "impact": change.impact.name(),
                "message": change.message,
            })
        })
        .collect();
    let worst = diff.worst().map(Impact::name);
    json!({"worst": worst, "old": diff.old, "new": diff.new, "changes": changes})
}

/// One line a change, under its tool.
fn show(diff: &Diff) {
    let mut under = None;
    for change in &diff.changes {
        if under != Some(&change.tool) {
            let tool = change.tool.as_deref().unwrap_or("the list");
            println!("{BOLD}{}{BOLD:#}", line(tool));
            under = Some(&change.tool);
        }
        let (impact, place) = (change.impact.name(), line(&change.pointer));
        println!("  {impact:<10}  {}  {DIM}{place}{DIM:#}", line(&change.message));
    }
    match (diff.changes.is_empty(), diff.old == diff.new) {
        (true, _) => println!("Nothing differs. {DIM}{}{DIM:#}", diff.new),
        (false, true) => println!("The contract is the same. {DIM}{}{DIM:#}", diff.new),
        (false, false) => println!("The contract differs. {DIM}{} then, {} now{DIM:#}", diff.old, diff.new),
    }
}
