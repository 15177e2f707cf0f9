//! A notebook without tools: a resource, a resource template and a prompt, with completion of their arguments.
//!
//! `cargo run -q --example notes` serves it on stdin and stdout; with `-- --http 127.0.0.1:8080` it is at
//! <http://127.0.0.1:8080/mcp>.

use haft::prelude::*;
use haft::{BuildError, PromptMessage};

#[path = "shared/serve.rs"]
mod shared;

/// Stand-in for a database.
const NOTES: [(&str, &str); 2] =
    [("holiday", "Trains to Lisbon leave at 8 and at 11."), ("shopping", "Milk, bread, and something for Ada.")];

fn find(name: &str) -> Option<&'static str> {
    NOTES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

fn names() -> impl Iterator<Item = &'static str> {
    NOTES.iter().map(|(name, _)| *name)
}

/// All notes, one URI a line.
#[resource("notes://index", mime_type = "text/markdown")]
async fn index() -> String {
    names().map(|name| format!("- notes://{name}\n")).collect()
}

/// One note.
#[resource("notes://{name}", mime_type = "text/plain")]
async fn note(name: String) -> Result<&'static str, RequestError> {
    find(&name).ok_or_else(RequestError::not_found)
}

/// Asks for a summary of one note.
#[prompt(title = "Summarize a note")]
async fn summarize(
    /// The note's name
    note: String,
    /// How many words the summary may have; 50 unless said
    words: Option<u32>,
) -> Result<Vec<PromptMessage>, RequestError> {
    let text = find(&note).ok_or_else(|| RequestError::argument("note", "is not the name of a note"))?;
    let words = words.unwrap_or(50);
    Ok(vec![
        PromptMessage::user(Content::resource_text(format!("notes://{note}"), "text/plain", text)),
        PromptMessage::user(format!("Summarize this note in at most {words} words.")),
    ])
}

pub(crate) fn server() -> Result<Server, BuildError> {
    Server::new("notes", "1.0.0")
        .resource(index::resource())
        .resource_template(
            note::resource_template().complete("name", |partial, _| async move { partial.filter(names()) }),
        )
        .prompt(summarize::prompt().complete("note", |partial, _| async move { partial.filter(names()) }))
        .build()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), haft::ServeError> {
    shared::serve(server()?).await
}
