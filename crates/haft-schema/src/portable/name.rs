//! Names of tools, arguments and headers.

/// Checks a tool's name: 3 to 40 characters of `a-z`, `0-9` and `_`, a letter first, no `__`.
///
/// The budget leaves room for the prefixes that hosts add; `__` is what they put between prefix and name.
///
/// # Errors
///
/// What is wrong and what to write.
pub fn tool_name(name: &str) -> Result<(), String> {
    let wrong = if name.is_empty() {
        "is empty"
    } else if !name.starts_with(|first: char| first.is_ascii_lowercase()) {
        "doesn't start with a letter a-z"
    } else if !name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_') {
        "has characters other than a-z, 0-9 and _"
    } else if name.contains("__") {
        "has two underscores in a row, which hosts put between a server's name and a tool's"
    } else if name.len() < 3 {
        "is shorter than 3 characters"
    } else if name.len() > 40 {
        "is longer than 40 characters, and hosts put the server's name before it"
    } else {
        return Ok(());
    };
    Err(format!("the tool name `{name}` {wrong}; use 3 to 40 characters a-z, 0-9 and single _, a letter first"))
}

/// Checks the name of an argument (a property at the root of an input schema): at most 64 characters of
/// `A-Z`, `a-z`, `0-9` and `_`, no digit first.
///
/// # Errors
///
/// What is wrong and what to write.
pub fn argument_name(name: &str) -> Result<(), String> {
    let first = name.chars().next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_');
    let rest = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if first && rest && name.len() <= 64 {
        return Ok(());
    }
    Err(format!(
        "the argument name `{name}` makes some hosts refuse every request; use at most 64 characters A-Z, a-z, 0-9 and _, no digit first"
    ))
}

/// Whether the text is a token of HTTP, as a header's name has to be (spec: server/tools, `x-mcp-header`).
#[must_use]
pub fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}
