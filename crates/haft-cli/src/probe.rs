use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Args;
use haft_check::Exchange;
use serde_json::{Map, Value};

use crate::target::Target;

/// Whether and how a server is probed.
#[derive(Args)]
pub(crate) struct Probing {
    /// Talk to the server, well and badly, and judge its answers. A command is probed unless told otherwise, a URL is not.
    /// Tools are called if they are marked read-only.
    #[arg(long, overrides_with = "no_probe")]
    probe: bool,
    /// Look at the list alone.
    #[arg(long)]
    no_probe: bool,
    /// Let probes call the tools that write, too. They do what they do.
    #[arg(long)]
    call_writes: bool,
    /// A JSON file with arguments to call tools with, by the tools' names: an object, or an array of such.
    #[arg(long, value_name = "FILE")]
    args: Option<PathBuf>,
}

impl Probing {
    /// What went over the wire; nothing where the server isn't to be probed.
    pub(crate) async fn exchanges(&self, target: &Target) -> anyhow::Result<Vec<Exchange>> {
        if self.no_probe || !(self.probe || target.is_command()?) {
            return Ok(Vec::new());
        }
        let mut prober = target.prober().await?.call_writes(self.call_writes);
        for (tool, arguments) in self.arguments()? {
            prober = prober.arguments(tool, arguments);
        }
        Ok(prober.run().await?)
    }

    fn arguments(&self) -> anyhow::Result<Vec<(String, Value)>> {
        let Some(path) = &self.args else { return Ok(Vec::new()) };
        let shown = path.display();
        let text = std::fs::read_to_string(path).with_context(|| format!("{shown} can't be read"))?;
        let tools: Map<String, Value> =
            serde_json::from_str(&text).with_context(|| format!("{shown} is no object of arguments by tool"))?;
        let mut all = Vec::new();
        for (tool, arguments) in tools {
            let each = if let Value::Array(each) = arguments { each } else { vec![arguments] };
            if let Some(other) = each.iter().find(|it| !it.is_object()) {
                bail!("{shown}: the arguments of {tool} are {other}, and not an object");
            }
            all.extend(each.into_iter().map(|arguments| (tool.clone(), arguments)));
        }
        Ok(all)
    }
}
