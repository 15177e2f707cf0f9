use anstream::println;
use anyhow::Context;
use clap::Args;
use haft::Client;
use serde_json::Value;

use crate::progress::Progress;
use crate::show::{self, pretty};
use crate::target::{Target, finish, is_url};
use crate::{Format, Outcome, arguments};

#[derive(Args)]
pub(crate) struct Call {
    /// The server's URL, unless it is a command after `--`; the tool's name; its arguments as name=value, whose values are
    /// read by the types that the tool's schema gives.
    #[arg(value_name = "[URL] TOOL [NAME=VALUE]", required = true)]
    words: Vec<String>,
    /// All arguments as one JSON object; words add to it.
    #[arg(long, value_name = "OBJECT")]
    json: Option<String>,
    /// Show on stderr what goes over the wire: each message, and each request and answer over HTTP with its headers. What
    /// lets somebody in is left out; arguments and results are not.
    #[arg(long, short)]
    verbose: bool,
    #[command(flatten)]
    target: Target,
}

impl Call {
    pub(crate) async fn run(self, format: Format) -> anyhow::Result<Outcome> {
        let (url, words) = match self.words.split_first() {
            Some((first, words)) if is_url(first) => (Some(first.as_str()), words),
            _ => (None, self.words.as_slice()),
        };
        let (tool, words) = words.split_first().context("no tool was named")?;
        let client = self.target.or_url(url).with_wire(self.verbose).connect()?;
        let schema = match schema(&client, tool, !words.is_empty()).await {
            Ok(schema) => schema,
            Err(error) => return finish(client, Err(error)).await,
        };
        let arguments = arguments::read(self.json.as_deref(), words, &schema)?;
        let progress = Progress::new();
        let called = client.call_with(tool, arguments, progress.options()).await.map(|called| called.result);
        drop(progress);
        let result = finish(client, called).await?;
        match format {
            Format::Json => println!("{}", pretty(&result)?),
            Format::Text => show::result(&result)?,
        }
        Ok(if result.is_error == Some(true) { Outcome::ToolFailed } else { Outcome::Good })
    }
}

/// The tool's input schema, where words need it; null for a tool that isn't listed.
async fn schema(client: &Client, tool: &str, needed: bool) -> Result<Value, haft::ClientError> {
    if !needed {
        return Ok(Value::Null);
    }
    let tools = client.list_tools().await?;
    let listed = tools.into_iter().find(|listed| listed.name == tool);
    Ok(listed.and_then(|listed| serde_json::to_value(listed.input_schema).ok()).unwrap_or_default())
}
