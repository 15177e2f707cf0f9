//! A server in memory, called as a host would call it.

use std::time::{Duration, Instant};

use haft::prelude::*;
use haft::{CallToolResult, Client};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

/// Tools in a server of their own, with a client.
pub(super) struct Trial {
    runtime: Runtime,
    client: Client,
    /// Each definition as it was published.
    definitions: Vec<String>,
}

impl Trial {
    pub(super) fn new(tools: impl IntoIterator<Item = Tool>) -> Result<Self, String> {
        let runtime = runtime()?;
        let mut server = Server::new("types", "1.0.0");
        for tool in tools {
            server = server.tool(tool);
        }
        let server = server.build().map_err(|error| error.to_string())?;
        let (client, listed) = runtime.block_on(async {
            let client = Client::in_memory(&server);
            let listed = client.list_tools().await;
            (client, listed)
        });
        let listed = listed.map_err(|error| error.to_string())?;
        let definitions = listed.iter().map(serde_json::to_string).collect::<Result<_, _>>();
        Ok(Self { runtime, client, definitions: definitions.map_err(|error| error.to_string())? })
    }

    fn definition(&self, name: &str) -> Result<Value, String> {
        let definitions = self.definitions.iter().filter_map(|text| serde_json::from_str::<Value>(text).ok());
        definitions.into_iter().find(|tool| tool["name"] == name).ok_or_else(|| format!("`{name}` is not listed"))
    }

    pub(super) fn input_schema(&self, name: &str) -> Result<Value, String> {
        Ok(self.definition(name)?["inputSchema"].clone())
    }

    /// The input schema as its bytes were published.
    pub(super) fn raw_input_schema(&self, name: &str) -> Result<String, String> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase", crate = "serde")]
        struct Definition {
            name: String,
            input_schema: Box<serde_json::value::RawValue>,
        }
        let definitions = self.definitions.iter().filter_map(|text| serde_json::from_str::<Definition>(text).ok());
        let found = definitions.into_iter().find(|tool| tool.name == name);
        found.map(|tool| tool.input_schema.get().to_owned()).ok_or_else(|| format!("`{name}` is not listed"))
    }

    pub(super) fn output_schema(&self, name: &str) -> Result<Option<Value>, String> {
        Ok(self.definition(name)?.get("outputSchema").cloned())
    }

    pub(super) fn call(&self, name: &str, arguments: Value) -> Result<CallToolResult, String> {
        self.runtime
            .block_on(self.client.call(name, arguments))
            .map(|called| called.result)
            .map_err(|error| format!("{name}: {error}"))
    }

    /// A call that runs; gives its text.
    pub(super) fn taken(&self, name: &str, arguments: Value) -> Result<String, String> {
        let result = self.call(name, arguments.clone())?;
        let text = text(&result);
        must(result.is_error != Some(true), &format!("{name} takes {arguments}"), &json!(text))?;
        Ok(text)
    }

    /// A call that is refused in a text with these parts.
    pub(super) fn refused(&self, name: &str, arguments: Value, parts: &[&str]) -> Result<(), String> {
        let result = self.call(name, arguments.clone())?;
        let text = text(&result);
        must(result.is_error == Some(true), &format!("{name} refuses {arguments}"), &json!(text))?;
        parts.iter().try_for_each(|part| must(text.contains(part), &format!("the text names {part}"), &json!(text)))
    }

    /// The line of a refusal that is about one place.
    pub(super) fn refusal_line(&self, name: &str, arguments: Value, place: &str) -> Result<String, String> {
        self.refused(name, arguments.clone(), &[place])?;
        let text = text(&self.call(name, arguments)?);
        let start = format!("- {place}: ");
        let line = text.lines().find(|line| line.starts_with(&start));
        line.map(str::to_owned).ok_or_else(|| format!("no line begins with {start:?} in {text}"))
    }
}

fn runtime() -> Result<Runtime, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| format!("tokio: {error}"))
}

pub(super) fn must(holds: bool, what: &str, came: &Value) -> Result<(), String> {
    if holds { Ok(()) } else { Err(format!("expected: {what}; came: {came}")) }
}

/// What a model reads.
pub(super) fn text(result: &CallToolResult) -> String {
    let blocks = serde_json::to_value(&result.content).unwrap_or_default();
    let blocks = blocks.as_array().into_iter().flatten();
    blocks.filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n")
}

/// Visits every object in a schema.
pub(super) fn walk(value: &Value, visit: &mut dyn FnMut(&Value) -> Result<(), String>) -> Result<(), String> {
    match value {
        Value::Object(members) => {
            visit(value)?;
            members.values().try_for_each(|member| walk(member, visit))
        }
        Value::Array(items) => items.iter().try_for_each(|item| walk(item, visit)),
        _ => Ok(()),
    }
}

pub(super) fn admits(schema: &Value, instance: &Value) -> Result<bool, String> {
    let validator = jsonschema::validator_for(schema).map_err(|error| error.to_string())?;
    Ok(validator.is_valid(instance))
}

/// A list of names, sorted.
pub(super) fn names(list: &Value) -> Vec<&str> {
    let mut names: Vec<&str> = list.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    names.sort_unstable();
    names
}

/// A33 with plain functions: 32 calls that block a thread leave a quick one its turn.
pub(in super::super) fn blocking_calls() -> Result<(), String> {
    const SLOW: Duration = Duration::from_secs(1);

    /// Use this to hold a thread.
    #[tool(read_only, closed_world)]
    fn hold_thread() -> String {
        std::thread::sleep(SLOW);
        "done".to_owned()
    }

    /// Use this to get an answer at once.
    #[tool(read_only, closed_world)]
    async fn answer_now() -> String {
        "now".to_owned()
    }

    let server = Server::new("types", "1.0.0").tool(hold_thread::tool()).tool(answer_now::tool()).build();
    let server = server.map_err(|error| error.to_string())?;
    runtime()?.block_on(async {
        let client = std::sync::Arc::new(Client::in_memory(&server));
        let started = Instant::now();
        let calls: Vec<_> = (0..32)
            .map(|_| {
                let client = std::sync::Arc::clone(&client);
                tokio::spawn(async move { client.call("hold_thread", json!({})).await.map(|result| text(&result)) })
            })
            .collect();
        tokio::task::yield_now().await;
        client.call("answer_now", json!({})).await.map_err(|error| error.to_string())?;
        let quick = started.elapsed();
        for call in calls {
            let text = call.await.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
            must(text == "done", "a blocking call ends well", &json!(text))?;
        }
        let all = started.elapsed();
        must(quick < Duration::from_millis(500), "a quick call overtakes blocking ones", &json!(quick.as_millis()))?;
        must(all < SLOW * 2, "32 blocking calls run side by side", &json!(all.as_millis()))
    })
}
