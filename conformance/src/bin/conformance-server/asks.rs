//! Tools and a prompt that ask for input in mid-call.

use haft::prelude::*;
use haft::{CreateMessage, PromptMessage};

#[derive(Form)]
struct Name {
    name: String,
}

#[derive(Form)]
struct Colour {
    color: String,
}

#[derive(Form)]
struct Confirm {
    ok: bool,
}

#[derive(Form)]
struct UserContext {
    context: String,
}

fn capital() -> CreateMessage {
    CreateMessage::new(100).user("What is the capital of France?")
}

/// Use this to see a notification, then a question.
#[tool(read_only, closed_world)]
pub(crate) async fn test_streaming_elicitation(context: Context) -> Result<String, ToolError> {
    context.progress_message(1.0, None, "About to ask.");
    let Name { name } = context.ask("user_name", "What is your name?").await?;
    Ok(format!("Hello, {name}!"))
}

/// Use this to greet the user by name.
#[tool(read_only, closed_world, allow(portable_name))]
pub(crate) async fn test_input_required_result_elicitation(context: Context) -> Result<String, ToolError> {
    let Name { name } = context.ask("user_name", "What is your name?").await?;
    Ok(format!("Hello, {name}!"))
}

/// Use this to ask the client's model.
#[tool(read_only, closed_world, allow(portable_name))]
pub(crate) async fn test_input_required_result_sampling(context: Context) -> Result<String, ToolError> {
    Ok(context.sample("capital_question", capital()).await?.text())
}

/// Use this to list the client's roots.
#[tool(read_only, closed_world, allow(portable_name))]
pub(crate) async fn test_input_required_result_list_roots(context: Context) -> Result<String, ToolError> {
    let roots = context.roots("client_roots").await?;
    Ok(format!("Roots: {}", roots.into_iter().map(|root| root.uri).collect::<Vec<_>>().join(", ")))
}

/// Use this to confirm something that the state remembers.
#[tool(read_only, closed_world, allow(portable_name))]
pub(crate) async fn test_input_required_result_request_state(context: Context) -> Result<String, ToolError> {
    confirm(&context).await
}

/// Use this to see that state is protected.
#[tool(read_only, closed_world, allow(portable_name))]
pub(crate) async fn test_input_required_result_tampered_state(context: Context) -> Result<String, ToolError> {
    confirm(&context).await
}

async fn confirm(context: &Context) -> Result<String, ToolError> {
    context.set_state(&"remembered")?;
    let Confirm { ok } = context.ask("confirm", "Is that right?").await?;
    Ok(format!("state-ok: {ok}"))
}

/// Use this to ask three things at once.
#[tool(read_only, closed_world, allow(portable_name))]
pub(crate) async fn test_input_required_result_multiple_inputs(context: Context) -> Result<String, ToolError> {
    context.set_state(&"three at once")?;
    let (name, greeting, roots) = futures_util::future::join3(
        context.ask::<Name>("user_name", "What is your name?"),
        context.sample("greeting", CreateMessage::new(50).user("Say hello.")),
        context.roots("client_roots"),
    )
    .await;
    Ok(format!("{} {} {}", name?.name, greeting?.text(), roots?.len()))
}

/// Use this to ask one thing after the other.
#[tool(read_only, closed_world, allow(portable_name))]
pub(crate) async fn test_input_required_result_multi_round(context: Context) -> Result<String, ToolError> {
    context.set_state(&1)?;
    let first: Name = context.ask("step1", "What is your name?").await?;
    context.set_state(&2)?;
    let Colour { color } = context.ask("step2", format!("What is your favourite colour, {}?", first.name)).await?;
    Ok(format!("{} likes {color}.", first.name))
}

/// Use this to ask whoever this client can ask.
#[tool(read_only, closed_world, allow(portable_name))]
pub(crate) async fn test_input_required_result_capabilities(context: Context) -> Result<String, ToolError> {
    if context.can_ask() {
        return Ok(context.ask::<Name>("user_name", "What is your name?").await?.name);
    }
    Ok(context.sample("capital_question", capital()).await?.text())
}

pub(crate) async fn prompt(context: Context) -> Result<Vec<PromptMessage>, RequestError> {
    let UserContext { context } = context.ask("user_context", "What is this about?").await?;
    Ok(vec![PromptMessage::user(format!("Bear in mind: {context}"))])
}
