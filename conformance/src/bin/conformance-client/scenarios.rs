//! What a client does in each scenario.

use std::time::Duration;

use haft::{Client, ClientBuilder, Elicited, Root, Sampled};
use serde_json::{Map, Value, json};

use crate::{Failure, Run, auth};

/// How long a session may take to end.
const GOODBYE: Duration = Duration::from_secs(2);

/// Plays one scenario to its end.
pub(crate) async fn play(run: Run) -> Result<(), Failure> {
    if run.scenario.starts_with("auth/") {
        return auth::play(&run).await;
    }
    let client = client().connect(run.url.as_str()).await?;
    let played = match run.scenario.as_str() {
        "initialize" | "request-metadata" | "json-schema-ref-no-deref" => list(&client).await,
        "tools_call" => call(&client, "add_numbers", json!({"a": 2, "b": 3})).await,
        "elicitation-sep1034-client-defaults" => call(&client, "test_client_elicitation_defaults", json!({})).await,
        "sse-retry" => call(&client, "test_reconnection", json!({})).await,
        "sep-2322-client-request-state" => state(&client).await,
        "http-standard-headers" => everything(&client).await,
        "http-custom-headers" => given(&client, &run.context).await,
        "http-invalid-tool-headers" => all_valid(&client).await,
        "json-schema-2020-12-preservation" => echo_schema(&client).await,
        other => Err(format!("the scenario {other} is not known").into()),
    };
    client.close(GOODBYE).await?;
    played
}

/// A client that answers whatever it is asked.
pub(crate) fn client() -> ClientBuilder {
    let root = Root { uri: "file:///work".to_owned(), name: Some("work".to_owned()), meta: None };
    Client::builder()
        .info("haft-conformance-client", env!("CARGO_PKG_VERSION"))
        .timeout(Duration::from_secs(15))
        .on_elicitation(|asked| async move { Elicited::Accept(filled_in(&asked.form, asked.defaults())) })
        .on_sampling(|_| async { Ok(Sampled { text: "Paris".to_owned(), model: "scripted".to_owned() }) })
        .roots([root])
}

/// A form with its defaults, and with something in each field that must be filled in and has none.
fn filled_in(form: &Option<Map<String, Value>>, mut content: Map<String, Value>) -> Map<String, Value> {
    let Some(form) = form else { return content };
    for name in form.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        let field = &form["properties"][name];
        let value = match field["type"].as_str() {
            Some("boolean") => json!(true),
            Some("integer" | "number") => field.get("minimum").cloned().unwrap_or(json!(1)),
            Some("array") => json!([]),
            _ => field.pointer("/enum/0").or(field.pointer("/oneOf/0/const")).cloned().unwrap_or(json!("haft")),
        };
        content.entry(name).or_insert(value);
    }
    content
}

async fn list(client: &Client) -> Result<(), Failure> {
    let tools = client.list_tools().await?;
    match tools.first() {
        Some(tool) => {
            let arguments = arguments_for(tool.input_schema.get())?;
            // Whether the tool does anything is not the point here.
            let called = client.call(&tool.name, arguments).await;
            called.map(|_| ()).or_else(|error| match error.kind() {
                haft::ErrorKind::Protocol(_) | haft::ErrorKind::UnknownTool => Ok(()),
                _ => Err(error.into()),
            })
        }
        None => Ok(()),
    }
}

async fn call(client: &Client, tool: &str, arguments: Value) -> Result<(), Failure> {
    client.list_tools().await?;
    let called = client.call(tool, arguments).await?;
    if called.is_error == Some(true) { Err(called.text().into()) } else { Ok(()) }
}

/// The tools of this scenario ask, and look at what comes back with the next call.
async fn state(client: &Client) -> Result<(), Failure> {
    for tool in ["test_mrtr_echo_state", "test_mrtr_unrelated", "test_mrtr_no_state", "test_mrtr_no_result_type"] {
        call(client, tool, json!({})).await?;
    }
    Ok(())
}

async fn everything(client: &Client) -> Result<(), Failure> {
    for tool in client.list_tools().await? {
        let arguments = arguments_for(tool.input_schema.get())?;
        client.call(&tool.name, arguments).await?;
    }
    for resource in client.list_resources().await? {
        client.read_resource(&resource.uri).await?;
    }
    client.read_resource("file:///path/to/file%20name.txt").await?;
    for prompt in client.list_prompts().await? {
        client.get_prompt(&prompt.name, [("", ""); 0]).await?;
    }
    Ok(())
}

/// The calls that the suite wants, as it wants them.
async fn given(client: &Client, context: &Value) -> Result<(), Failure> {
    let calls = context["toolCalls"].as_array().ok_or("the context has no toolCalls")?;
    client.list_tools().await?;
    for wanted in calls {
        let name = wanted["name"].as_str().ok_or("a tool call without a name")?;
        client.call(name, wanted["arguments"].clone()).await?;
    }
    Ok(())
}

async fn all_valid(client: &Client) -> Result<(), Failure> {
    for tool in client.list_tools().await? {
        let arguments = arguments_for(tool.input_schema.get())?;
        client.call(&tool.name, arguments).await?;
    }
    Ok(())
}

async fn echo_schema(client: &Client) -> Result<(), Failure> {
    let tools = client.list_tools().await?;
    let tool = tools.iter().find(|tool| tool.name == "json_schema_2020_12_tool").ok_or("the tool is not listed")?;
    let schema: Value = serde_json::from_str(tool.input_schema.get())?;
    client.call("json_schema_echo", json!({"schema": schema})).await?;
    Ok(())
}

/// Something for each argument of a tool.
fn arguments_for(schema: &str) -> Result<Value, Failure> {
    let schema: Map<String, Value> = serde_json::from_str(schema)?;
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    let values = properties.map(|(name, property)| {
        let value = match property["type"].as_str() {
            Some("boolean") => json!(true),
            Some("integer" | "number") => json!(1),
            Some("array") => json!([]),
            Some("object") => json!({}),
            _ => property.pointer("/enum/0").cloned().unwrap_or(json!("haft")),
        };
        (name.clone(), value)
    });
    Ok(Value::Object(values.collect()))
}
