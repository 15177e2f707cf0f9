use std::fmt;

use serde::{Deserialize, Serialize};

/// A text that is never shown: a token, a code, a client's secret.
///
/// Its `Debug` form doesn't hold it; [`Secret::expose`] is the one way to it.
///
/// ```
/// # use haft::oauth::Secret;
/// let secret = Secret::new("s3cr3t");
/// assert_eq!(format!("{secret:?}"), "Secret(…)");
/// assert_eq!(secret.expose(), "s3cr3t");
/// ```
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Hides a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself, for where it has to go.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}
