//! Lengths of what hosts hand to a model.

/// The longest description that no host cuts or refuses, in characters.
pub const MAX_DESCRIPTION: usize = 1_024;

/// The size of an input schema's text past which a host strips descriptions, in bytes.
pub const MAX_INPUT_BYTES: usize = 5_000;

/// Checks the description of a tool or an argument: 1 to [`MAX_DESCRIPTION`] characters, not blank.
///
/// # Errors
///
/// What is wrong and what to write.
pub fn description(text: &str) -> Result<(), String> {
    if text.trim().is_empty() {
        return Err("the description is empty; say what the tool does, when to use it, and what it returns".to_owned());
    }
    let length = text.chars().count();
    if length > MAX_DESCRIPTION {
        return Err(format!(
            "the description has {length} characters, and hosts cut or refuse more than {MAX_DESCRIPTION}; shorten it"
        ));
    }
    Ok(())
}

/// Checks the size of an input schema's text.
///
/// # Errors
///
/// What is wrong and what to write.
pub fn input_size(schema_text: &str) -> Result<(), String> {
    if schema_text.len() > MAX_INPUT_BYTES {
        return Err(format!(
            "the input schema has {} bytes, and some hosts strip descriptions past {MAX_INPUT_BYTES}; shorten descriptions or split the tool",
            schema_text.len()
        ));
    }
    Ok(())
}
