//! Tools that run as tasks, and one that doesn't.

use std::time::Duration;

use haft::ProtocolError;
use haft::prelude::*;

#[derive(Form)]
struct Confirm {
    confirm: bool,
}

#[derive(Form)]
struct Name {
    name: String,
}

/// Use this to greet somebody by name, at once.
#[tool(read_only, closed_world)]
pub(crate) async fn greet(name: String) -> String {
    format!("Hello, {name}!")
}

/// Use this to compute something that takes so many seconds.
#[tool(read_only, closed_world, task(poll = "200ms"))]
pub(crate) async fn slow_compute(
    context: Context,
    #[arg(range(0..=600))] seconds: u32,
    label: Option<String>,
) -> String {
    context.progress_message(0.0, Some(f64::from(seconds)), "Computing.");
    tokio::time::sleep(Duration::from_secs(seconds.into())).await;
    format!("Computed {} in {seconds} s.", label.as_deref().unwrap_or("it"))
}

/// Use this to see a task whose tool fails.
#[tool(read_only, closed_world, task(required))]
pub(crate) async fn failing_job() -> Result<String, ToolError> {
    tokio::time::sleep(Duration::from_secs(1)).await;
    Err(ToolError::new("This job always fails."))
}

/// Use this to see a task that ends with an error of the protocol.
#[tool(read_only, closed_world, task)]
pub(crate) async fn protocol_error_job() -> Result<String, ToolError> {
    Err(ProtocolError::internal("This job breaks off.").into())
}

/// Use this to delete a file that isn't there. Asks first.
#[tool(destructive, closed_world, task)]
pub(crate) async fn confirm_delete(context: Context, filename: String) -> Result<String, ToolError> {
    let Confirm { confirm } = context.ask("confirm", format!("Delete {filename}?")).await?;
    Ok(if confirm { format!("{filename} is deleted.") } else { format!("{filename} stays.") })
}

/// Use this to be asked two things at once.
#[tool(read_only, closed_world, task)]
pub(crate) async fn multi_input(context: Context) -> Result<String, ToolError> {
    let questions =
        (context.ask::<Name>("name", "What is your name?"), context.ask::<Confirm>("confirm", "Are you sure?"));
    let (Name { name }, Confirm { confirm }) = context.ask_all(questions).await?;
    Ok(format!("{name}: {confirm}"))
}

/// Use this to be asked first, and to get a task then.
#[tool(read_only, closed_world, task(required, later))]
pub(crate) async fn test_tool_with_task(context: Context) -> Result<String, ToolError> {
    let Name { name } = context.ask("user_name", "What is your name?").await?;
    context.continue_as_task().await;
    Ok(format!("Hello, {name}!"))
}
