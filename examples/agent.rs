//! A host: two servers before one model, with a person between, and a model that is replayed.
//!
//! `cargo build --examples && cargo run -q --example agent` starts the example `orders` as a child process and `weather` over
//! HTTP, and asks at the terminal before anything is changed; `-- --yes` approves all.

use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use haft::{Api, Approval, ApprovalRequest, Client, ServerPolicy, Toolbox, ToolboxEvent};
use serde_json::{Value, json};

/// What a host needs of a model: the next turn, from the tools and the conversation so far.
trait Model {
    fn turn(&mut self, tools: &[Value], messages: &[Value]) -> Result<Value, Box<dyn Error>>;
}

/// A model that says what it is told to.
struct Replay {
    /// Each turn: after good results, and after an error among them. `null` is not expected.
    turns: std::vec::IntoIter<[Value; 2]>,
}

impl Model for Replay {
    fn turn(&mut self, tools: &[Value], messages: &[Value]) -> Result<Value, Box<dyn Error>> {
        let [good, bad] = self.turns.next().ok_or("the model has nothing more to say")?;
        let results = messages.last().and_then(|message| message["content"].as_array());
        let turn = if results.into_iter().flatten().any(|result| result["is_error"] == true) { bad } else { good };
        if turn.is_null() {
            return Err(format!("the model did not expect this: {:?}", messages.last()).into());
        }
        for call in turn.as_array().into_iter().flatten().filter(|block| block["type"] == "tool_use") {
            if !tools.iter().any(|tool| tool["name"] == call["name"]) {
                return Err(format!("the model knows no tool {}", call["name"]).into());
            }
        }
        Ok(turn)
    }
}

/// Asks for an order by a wrong ID, reads what was wrong, and asks again.
fn script() -> Replay {
    let text = |text: &str| json!({"type": "text", "text": text});
    let call = |id: &str, name: &str, input: Value| json!({"type": "tool_use", "id": id, "name": name, "input": input});
    let turns = vec![
        [json!([call("1", "orders__get_order", json!({"order_id": "1002"}))]), Value::Null],
        [Value::Null, json!([call("2", "orders__get_order", json!({"order_id": "A-1002"}))])],
        [
            json!([
                call("3", "orders__cancel_order", json!({"order_id": "A-1002"})),
                call("4", "weather__get_weather_data", json!({"location": "Graz"}))
            ]),
            Value::Null,
        ],
        [
            json!([text("Order A-1002 is canceled. In Graz it is partly cloudy, at 18.5 °C.")]),
            json!([text("Order A-1002 stays as it is. In Graz it is partly cloudy, at 18.5 °C.")]),
        ],
    ];
    Replay { turns: turns.into_iter() }
}

/// The conversation, until the model calls no more tools.
async fn converse(model: &mut dyn Model, toolbox: &Toolbox, prompt: &str) -> Result<String, Box<dyn Error>> {
    let tools = toolbox.render(Api::Anthropic).tools;
    let mut messages = vec![json!({"role": "user", "content": prompt})];
    loop {
        let turn = model.turn(&tools, &messages)?;
        let (mut said, mut results) = (String::new(), Vec::new());
        for block in turn.as_array().into_iter().flatten() {
            match (block["type"].as_str(), block["id"].as_str(), block["name"].as_str()) {
                (Some("tool_use"), Some(id), Some(name)) => {
                    let outcome = toolbox.call(name, block["input"].clone()).await;
                    eprintln!("{name}: {:?}", outcome.kind());
                    results.push(outcome.render(Api::Anthropic, id));
                }
                _ => said.push_str(block["text"].as_str().unwrap_or_default()),
            }
        }
        messages.push(json!({"role": "assistant", "content": turn}));
        if results.is_empty() {
            return Ok(said);
        }
        messages.push(json!({"role": "user", "content": results}));
    }
}

/// Asks at the terminal. No answer is a no.
async fn confirm(asked: ApprovalRequest) -> Approval {
    let answer = tokio::task::spawn_blocking(move || {
        eprint!("{asked}\nDo it? [y/N] ");
        std::io::stderr().flush()?;
        let mut answer = String::new();
        std::io::stdin().lock().read_line(&mut answer).map(|_| answer)
    });
    match answer.await {
        Ok(Ok(answer)) if answer.trim() == "y" => Approval::Approve,
        _ => Approval::Deny,
    }
}

/// An example beside this one.
fn beside(name: &str) -> Result<PathBuf, Box<dyn Error>> {
    let path = std::env::current_exe()?.with_file_name(name);
    if path.exists() { Ok(path) } else { Err(format!("{} is missing: cargo build --examples", path.display()).into()) }
}

/// A server over HTTP, which ends with this.
struct Served(Child, String);

impl Served {
    fn start(name: &str) -> Result<Self, Box<dyn Error>> {
        let mut command = Command::new(beside(name)?);
        let child = command.args(["--http", "127.0.0.1:0"]).stdin(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let mut served = Self(child, String::new());
        let stderr = served.0.stderr.take().ok_or("the server has no stderr")?;
        let mut lines = BufReader::new(stderr).lines();
        let line = lines.next().ok_or("the server said nothing")??;
        served.1 = line.strip_prefix("listening on ").ok_or("the server did not say where it listens")?.to_owned();
        Ok(served)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let yes = std::env::args().any(|argument| argument == "--yes");
    let orders = Client::connect(Command::new(beside("orders")?)).await?;
    let served = Served::start("weather")?;
    let weather = Client::connect(served.1.as_str()).await?;
    let toolbox = Toolbox::builder()
        .server_with("orders", orders, ServerPolicy::new().trusted())
        .server_with("weather", weather, ServerPolicy::new().trusted())
        .on_approval(move |asked| async move { if yes { Approval::Approve } else { confirm(asked).await } })
        .on_event(|event| {
            if let ToolboxEvent::Exposed { added, .. } = event {
                eprintln!("tools: {}", added.join(", "));
            }
        })
        .build()
        .await?;
    for problem in toolbox.problems() {
        eprintln!("{}: {}", problem.server, problem.reason);
    }
    let said = converse(&mut script(), &toolbox, "Cancel my order 1002, and how is the weather in Graz?").await?;
    writeln!(std::io::stdout(), "{said}")?;
    toolbox.close(Duration::from_secs(2)).await;
    Ok(())
}
