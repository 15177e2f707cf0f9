//! What only clients with a session ask for.

use haft::prelude::*;
use haft::{AskError, AskErrorKind, CreateMessage};

#[derive(Form, Debug)]
#[expect(dead_code, reason = "shown whole")]
struct User {
    username: String,
    email: String,
}

#[derive(Form, Debug)]
enum Status {
    #[form(rename = "active")]
    Active,
    #[form(rename = "inactive")]
    Inactive,
    #[form(rename = "pending")]
    Pending,
}

#[derive(Form, Debug)]
#[expect(dead_code, reason = "shown whole")]
struct Defaults {
    #[form(default = "John Doe")]
    name: String,
    #[form(default = 30)]
    age: i64,
    #[form(default = 95.5)]
    score: f64,
    #[form(default = Status::Active)]
    status: Status,
    #[form(default = true)]
    verified: bool,
}

#[derive(Form, Debug)]
enum Untitled {
    #[form(rename = "option1")]
    First,
    #[form(rename = "option2")]
    Second,
    #[form(rename = "option3")]
    Third,
}

#[derive(Form, Debug)]
enum Titled {
    #[form(rename = "value1", title = "First Option")]
    First,
    #[form(rename = "value2", title = "Second Option")]
    Second,
    #[form(rename = "value3", title = "Third Option")]
    Third,
}

#[derive(Form, Debug)]
#[form(enum_names)]
enum Named {
    #[form(rename = "opt1", title = "Option One")]
    One,
    #[form(rename = "opt2", title = "Option Two")]
    Two,
    #[form(rename = "opt3", title = "Option Three")]
    Three,
}

#[derive(Form, Debug)]
#[expect(dead_code, reason = "shown whole")]
struct Choices {
    #[form(rename = "untitledSingle")]
    untitled_single: Option<Untitled>,
    #[form(rename = "titledSingle")]
    titled_single: Option<Titled>,
    #[form(rename = "legacyEnum")]
    named: Option<Named>,
    #[form(rename = "untitledMulti")]
    untitled_multi: Option<Vec<Untitled>>,
    #[form(rename = "titledMulti")]
    titled_multi: Option<Vec<Titled>>,
}

/// Use this to ask the client's model.
#[tool(read_only, closed_world)]
pub(crate) async fn test_sampling(
    /// What to ask it.
    prompt: String,
    context: Context,
) -> Result<String, ToolError> {
    let message = context.sample("answer", CreateMessage::new(100).user(prompt)).await?;
    Ok(format!("LLM response: {}", message.text()))
}

/// Use this to ask the user who they are.
#[tool(read_only, closed_world)]
pub(crate) async fn test_elicitation(
    /// What to say to them.
    message: String,
    context: Context,
) -> Result<String, ToolError> {
    Ok(format!("User response: {}", said(context.ask::<User>("user", message).await)?))
}

/// Use this to show a form that is filled in already.
#[tool(read_only, closed_world)]
pub(crate) async fn test_elicitation_sep1034_defaults(context: Context) -> Result<String, ToolError> {
    Ok(format!("Elicitation completed: {}", said(context.ask::<Defaults>("defaults", "Is this right?").await)?))
}

/// Use this to show every kind of choice.
#[tool(read_only, closed_world)]
pub(crate) async fn test_elicitation_sep1330_enums(context: Context) -> Result<String, ToolError> {
    Ok(format!("Elicitation completed: {}", said(context.ask::<Choices>("choices", "What do you choose?").await)?))
}

/// The user's answer in words; that they gave none is an answer here.
fn said(answer: Result<impl std::fmt::Debug, AskError>) -> Result<String, ToolError> {
    match answer {
        Ok(content) => Ok(format!("action=accept, content={content:?}")),
        Err(error) if error.kind() == AskErrorKind::Declined => Ok("action=decline".to_owned()),
        Err(error) if error.kind() == AskErrorKind::Cancelled => Ok("action=cancel".to_owned()),
        Err(error) => Err(error)?,
    }
}

/// Use this to see a client come back for its answer.
#[tool(read_only, closed_world)]
pub(crate) async fn test_reconnection(context: Context) -> &'static str {
    context.let_connection_go();
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    "The client came back."
}
