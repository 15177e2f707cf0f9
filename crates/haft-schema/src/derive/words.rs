//! Descriptions: tidied from doc comments, extended by what a keyword said that hosts don't take.

use serde_json::Value;

use super::object::Object;

/// Joins the lines of each paragraph, drops common noise of doc comments, keeps paragraphs.
pub(crate) fn tidy(text: &str) -> String {
    let paragraphs = text.split("\n\n").map(|paragraph| {
        // Lists keep their lines: joined, they would read as nonsense.
        let list = paragraph.lines().any(|line| line.trim_start().starts_with(['-', '*', '|']));
        let lines = paragraph.lines().map(str::trim).filter(|line| !line.is_empty());
        lines.collect::<Vec<_>>().join(if list { "\n" } else { " " })
    });
    paragraphs.filter(|paragraph| !paragraph.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// Adds a sentence to the schema's description, once.
pub(crate) fn add_sentence(schema: &mut Object, sentence: &str) {
    let text = match schema.get("description").and_then(Value::as_str).map(str::trim_end) {
        None | Some("") => sentence.to_owned(),
        Some(said) if said.contains(sentence) => return,
        Some(said) if said.ends_with(['.', '!', '?', ':', ';']) => format!("{said} {sentence}"),
        Some(said) => format!("{said}. {sentence}"),
    };
    schema.insert("description".to_owned(), text.into());
}

/// "`a`", "`a` or `b`", "`a`, `b` or `c`".
pub(crate) fn either<'a>(names: impl IntoIterator<Item = &'a str>, word: &str) -> String {
    let quoted: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, before)) => format!("{} {word} {last}", before.join(", ")),
    }
}

/// "`put`: Stores a value. `del`: Removes it." for the choices that have a description.
pub(crate) fn legend<'a>(choices: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let entries = choices.into_iter().filter(|(_, text)| !text.is_empty()).map(|(choice, text)| {
        let text = tidy(text).replace("\n\n", " ");
        let stop = if text.ends_with(['.', '!', '?']) { "" } else { "." };
        format!("`{choice}`: {text}{stop}")
    });
    entries.collect::<Vec<_>>().join(" ")
}

/// The schema's description, or "".
pub(crate) fn description(schema: &Value) -> &str {
    schema.get("description").and_then(Value::as_str).unwrap_or_default()
}
