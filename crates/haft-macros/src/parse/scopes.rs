//! `scopes("orders:write", listed)`, of a tool, a prompt or a resource.

use syn::LitStr;

use super::entry::Entry;
use crate::errors::Errors;

/// What a caller needs, and whether others see what they may not use.
#[derive(Default)]
pub(crate) struct Scopes {
    pub(crate) names: Vec<LitStr>,
    pub(crate) listed: bool,
}

impl Scopes {
    /// Reads the entry's value. `what` needs the scopes: "tool", "prompt" or "resource".
    pub(super) fn parse(entry: &Entry, what: &str, errors: &Errors) -> Self {
        let mut scopes = Self::default();
        for (text, word) in entry.texts_and_words(r#"scopes("orders:write", listed)"#, errors) {
            match word {
                _ if text.is_some() => scopes.names.extend(text),
                Some(word) if word == "listed" && !scopes.listed => scopes.listed = true,
                Some(word) => errors.on(
                    &word,
                    format!(
                        "expected a scope in quotes here, or `listed` once (callers without the scopes see the {what})"
                    ),
                ),
                None => {}
            }
        }
        if scopes.names.is_empty() && scopes.listed {
            errors.on(
                &entry.key,
                format!("`listed` is for {what}s that have scopes: write `scopes(\"orders:write\", listed)`"),
            );
        }
        scopes
    }
}
