use anstream::println;
use clap::Args;
use haft::ToolDefinition;
use serde_json::{Value, json};

use crate::show::{BOLD, DIM, cut, line, pretty};
use crate::target::{Target, finish};
use crate::{Format, Outcome};

/// Definitions that can't be used and are named.
const SHOWN: usize = 20;
/// Characters of a description.
const LONGEST: usize = 20_000;

#[derive(Args)]
pub(crate) struct List {
    /// The server's URL; or `--` and a command.
    #[arg(value_name = "URL")]
    place: Option<String>,
    #[command(flatten)]
    target: Target,
}

impl List {
    pub(crate) async fn run(self, format: Format) -> anyhow::Result<Outcome> {
        let client = self.target.or_url(self.place.as_deref()).connect()?;
        let listed = client.tools().await;
        let haft::ToolList { tools, left_out, .. } = finish(client, listed).await?;
        match format {
            Format::Json => println!("{}", pretty(&json!({"tools": tools}))?),
            Format::Text => show(&tools),
        }
        for left_out in left_out.iter().take(SHOWN) {
            let name = left_out.name.as_deref().unwrap_or("(no name)");
            anstream::eprintln!("haft: {} is left out: {}", line(name), line(&left_out.reason));
        }
        if let more @ 1.. = left_out.len().saturating_sub(SHOWN) {
            anstream::eprintln!("haft: {more} more are left out");
        }
        Ok(Outcome::Good)
    }
}

/// One paragraph a tool: name, title, hints; description; arguments.
pub(crate) fn show(tools: &[ToolDefinition]) {
    if tools.is_empty() {
        println!("The server has no tools.");
    }
    for tool in tools {
        let title = tool.title.as_deref().map(|title| format!("  {}", line(title))).unwrap_or_default();
        println!("{BOLD}{}{BOLD:#}{title}  {DIM}{}{DIM:#}", line(&tool.name), hints(tool).join(", "));
        for part in cut(tool.description.as_deref().unwrap_or("(no description)"), LONGEST).lines() {
            println!("  {}", line(part));
        }
        for argument in arguments(tool) {
            println!("    {argument}");
        }
    }
}

fn hints(tool: &ToolDefinition) -> Vec<&'static str> {
    let Some(hints) = &tool.annotations else { return vec!["no annotations"] };
    [
        (hints.read_only_hint, "read-only", "writes"),
        (hints.destructive_hint.filter(|_| hints.read_only_hint != Some(true)), "destructive", "additive"),
        (hints.idempotent_hint.filter(|&idempotent| idempotent), "idempotent", ""),
        (hints.open_world_hint, "open world", "closed world"),
    ]
    .into_iter()
    .filter_map(|(hint, yes, no)| hint.map(|hint| if hint { yes } else { no }))
    .collect()
}

fn arguments(tool: &ToolDefinition) -> Vec<String> {
    let schema: Value = serde_json::to_value(&tool.input_schema).unwrap_or_default();
    let required: Vec<&str> =
        schema["required"].as_array().map(|names| names.iter().filter_map(Value::as_str).collect()).unwrap_or_default();
    let Some(properties) = schema["properties"].as_object() else { return Vec::new() };
    properties
        .iter()
        .map(|(name, property)| {
            let kind = line(property["type"].as_str().unwrap_or("any"));
            let optional = if required.contains(&name.as_str()) { "" } else { ", optional" };
            let description = property["description"].as_str().map(|text| format!("  {}", line(text)));
            format!("{}: {kind}{optional}{}", line(name), description.unwrap_or_default())
        })
        .collect()
}
