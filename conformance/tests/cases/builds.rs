//! The server's part of the cases about definitions: what `build` refuses, and what it takes.

use std::time::{Duration, Instant};

use conformance::Case;
use haft::prelude::*;
use haft::{Arguments, BuildError};
use serde_json::{Value, json};

/// The definitions that `build` must refuse, each with a part of the reason. It must take all others.
fn refused(id: &str) -> Option<&'static [(&'static str, &'static str)]> {
    const NO_NAME: &str = "a tool's name has 1 to 128 letters";
    const NO_HEADER: &str = "isn't a header name";
    const TOO_DEEP: &str = "can't be repeated in a header; only an argument";
    Some(match id {
        "A05" => &[
            ("t_array", "must be a JSON object"),
            ("t_string", r#""type": "object""#),
            ("t_notype", r#""type": "object""#),
        ],
        "A06" => &[("dangling", "at /properties/s/$ref: \"#/$defs/Gone\" leads nowhere")],
        "A07" => &[("net", "references are never fetched"), ("file", "references are never fetched")],
        "A38" => &[("deploy:eu", NO_NAME), ("send mail", NO_NAME), ("x/y", NO_NAME), ("créer", NO_NAME), ("", NO_NAME)],
        "A40" => &[
            ("num", "only strings, integers and booleans can"),
            ("dup", "two arguments are repeated in the header `region`"),
            ("empty", NO_HEADER),
            ("space", NO_HEADER),
            ("crlf", NO_HEADER),
            ("items", TOO_DEEP),
            ("ref", TOO_DEEP),
            // Valid for a client. A server is told that its integers need bounds, as a header can't hold all of them.
            ("ok", "its integers must lie within ±(2^53 - 1)"),
        ],
        _ => return None,
    })
}

/// Runs the server's part of a case.
pub(super) fn run(case: &Case) -> Result<(), String> {
    let refused = refused(&case.id).ok_or("nobody has read what this case expects; add an arm to builds.rs")?;
    for definition in &case.tools {
        let Some(tool) = tool(definition) else { continue };
        let name = definition["name"].as_str().unwrap_or_default();
        let too_long = (name.len() > 128).then_some("a tool's name has 1 to 128 letters");
        let reason = refused.iter().find(|(refused, _)| *refused == name).map(|(_, reason)| *reason).or(too_long);
        match (build([tool]), reason) {
            (Ok(_), None) => {}
            (Err(error), Some(reason)) if error.to_string().contains(reason) => {}
            (Ok(_), Some(reason)) => return Err(format!("{name:?} is taken; expected: {reason}")),
            (Err(error), _) => return Err(format!("{name:?}: {error}; expected: {reason:?}")),
        }
    }
    match case.id.as_str() {
        "A07" => settled(case),
        "A38" => twice(case),
        _ => Ok(()),
    }
}

/// A07: the schema with 2^24 ways through it takes no time to speak of.
fn settled(case: &Case) -> Result<(), String> {
    // Not held to it without optimisations.
    let most = Duration::from_secs(if cfg!(debug_assertions) { 10 } else { 1 });
    let bomb = find(case, "bomb")?;
    let start = Instant::now();
    let server = build([bomb]).map_err(|error| error.to_string())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let result = runtime.map_err(|error| error.to_string())?.block_on(server.call_tool("bomb", json!({"x": 1})));
    let took = start.elapsed();
    if result.map_err(|error| error.to_string())?.is_error != Some(true) {
        return Err("the bomb takes a number for a string".to_owned());
    }
    if took < most { Ok(()) } else { Err(format!("the bomb is settled within {most:.0?}, not in {took:.1?}")) }
}

/// A38: the second tool of one name is refused.
fn twice(case: &Case) -> Result<(), String> {
    match build([find(case, "search")?, find(case, "search")?]) {
        Err(error) if error.to_string().contains("search") => Ok(()),
        built => Err(format!("the second `search` is refused: {built:?}")),
    }
}

fn find(case: &Case, name: &str) -> Result<Tool, String> {
    let definition = case.tools.iter().find(|definition| definition["name"] == name);
    definition.and_then(tool).ok_or_else(|| format!("no {name} in the case"))
}

/// The definition as a tool; `None` where no tool can be written that has it.
fn tool(definition: &Value) -> Option<Tool> {
    let schema = definition.get("inputSchema").filter(|schema| !schema.is_null())?;
    let tool = Tool::builder(definition["name"].as_str()?)
        .title("A tool")
        .description("Use this to see what becomes of it.")
        .read_only(true)
        .destructive(false)
        .idempotent(true)
        .open_world(false)
        .input_schema(schema.to_string());
    let tool = match definition.get("outputSchema") {
        Some(schema) => tool.output_schema(schema.to_string()),
        None => tool,
    };
    Some(tool.handler(|_: Arguments, _: Context| async { "Done." }))
}

fn build(tools: impl IntoIterator<Item = Tool>) -> Result<Server, BuildError> {
    tools.into_iter().fold(Server::new("cases", "1.0.0"), |server, tool| server.tool(tool)).build()
}
