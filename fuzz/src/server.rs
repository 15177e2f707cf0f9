//! The server that gets all the input. Its names are those of the specification's examples.

use std::sync::LazyLock;
use std::time::Duration;

use haft::prelude::*;
use haft::{LogLevel, PromptMessage};

/// Longer messages are refused, so that a fuzzer gets to see that, too.
pub(crate) const MAX_MESSAGE: usize = 4 << 10;

pub(crate) static SERVER: LazyLock<Server> = LazyLock::new(|| match build() {
    Ok(server) => server,
    Err(error) => panic!("{error}"),
});

#[derive(Serialize, JsonSchema)]
struct Weather {
    location: String,
    celsius: f64,
}

#[derive(Form)]
struct Person {
    #[form(length(1..=20))]
    name: String,
    #[form(default = 30)]
    age: u8,
}

/// Use this to get the weather.
#[tool(read_only, closed_world)]
async fn get_weather(
    /// City
    #[arg(length(1..=60), pattern = r"^[A-Z]")]
    location: String,
    #[arg(header = "Region")] region: Option<String>,
    #[arg(range(-5..=5))] correction: Option<f64>,
) -> Result<Weather, ToolError> {
    if region.as_deref() == Some("nowhere") {
        return Err(ToolError::new("There is no weather nowhere.").code("nowhere"));
    }
    Ok(Weather { location, celsius: 20.0 + correction.unwrap_or_default() })
}

/// Use this to count, and to hear of it.
#[tool(read_only, closed_world, logs)]
async fn count(to: Option<u32>, context: Context) -> String {
    let to = to.unwrap_or(3).min(10);
    for step in 0..to {
        context.progress(f64::from(step), Some(f64::from(to)));
        context.log(LogLevel::Info, "counted on");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    format!("Counted to {to}.")
}

/// Use this to wait for longer than anybody does.
#[tool(read_only, closed_world)]
async fn wait() -> &'static str {
    std::future::pending().await
}

/// Use this to see what a panic does.
#[tool(read_only, closed_world)]
async fn divide(by: i32) -> String {
    format!("That is {}.", 100 / by)
}

/// Use this to ask the user.
#[tool(additive, closed_world)]
async fn register(note: Option<String>, context: Context) -> Result<String, ToolError> {
    context.set_state(&note)?;
    let person: Person = context.ask("person", "Who are you?").await?;
    Ok(format!("{} is {}.", person.name, person.age))
}

/// A file of the project.
#[resource("file:///project/{+path}", mime_type = "text/plain")]
async fn file(path: String) -> Result<String, RequestError> {
    assert!(!path.split('/').any(|part| part == ".."), "{path} leads out of the directory");
    if path.ends_with(".rs") { Ok(format!("// {path}\n")) } else { Err(RequestError::not_found()) }
}

/// Asks for a review of some code.
#[prompt]
async fn code_review(code: String, language: Option<String>, lines: Option<u16>) -> Vec<PromptMessage> {
    let language = language.unwrap_or_default();
    vec![PromptMessage::user(format!("Review {} lines of {language}:\n{code}", lines.unwrap_or(1)))]
}

fn build() -> Result<Server, haft::BuildError> {
    // `divide` may panic and is contained; libFuzzer would take that for a crash.
    let crash = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if info.payload_as_str() != Some("attempt to divide by zero") {
            crash(info);
        }
    }));
    Server::new("fuzzed", "1.0.0")
        .instructions("Nothing here is true.")
        .tool(get_weather::tool())
        .tool(count::tool())
        .tool(wait::tool())
        .tool(divide::tool())
        .tool(register::tool())
        .resource_template(
            file::resource_template().complete("path", |partial, _| async move { partial.filter(["src/main.rs"]) }),
        )
        .prompt(
            code_review::prompt().complete("language", |partial, _| async move { partial.filter(["python", "rust"]) }),
        )
        .dynamic_tools()
        .notify_resources()
        .notify_prompts()
        .max_line(MAX_MESSAGE)
        .build()
}
