use std::error::Error;
use std::fmt::Display;

use super::ToolError;

/// Turns any `Result` into one with a [`ToolError`], where `?` alone can't tell who should read the failure.
///
/// ```
/// use haft::{ResultExt, ToolError};
///
/// fn parse(port: &str) -> Result<u16, ToolError> {
///     port.parse().for_model("The port must be a number from 0 to 65535.")
/// }
///
/// fn load() -> Result<String, ToolError> {
///     // `Box<dyn Error>` and `anyhow::Error` are not `std::error::Error`: say that the failure is internal.
///     let read: Result<String, Box<dyn std::error::Error + Send + Sync>> = Err("disk on fire".into());
///     read.internal()
/// }
/// # assert_eq!(parse("x").unwrap_err().text(), Some("The port must be a number from 0 to 65535."));
/// # assert_eq!(load().unwrap_err().text(), None);
/// ```
pub trait ResultExt<T, E> {
    /// The error is internal: its text goes to the operator's log, under an incident id that the model is given.
    ///
    /// # Errors
    /// An internal [`ToolError`] where `self` is an error.
    fn internal(self) -> Result<T, ToolError>
    where
        E: Into<Box<dyn Error + Send + Sync>>;

    /// The model reads `text` in place of the error. The error itself goes to the debug log.
    ///
    /// # Errors
    /// A [`ToolError`] with `text` where `self` is an error.
    fn for_model(self, text: impl Into<String>) -> Result<T, ToolError>
    where
        E: Display;
}

impl<T, E> ResultExt<T, E> for Result<T, E> {
    fn internal(self) -> Result<T, ToolError>
    where
        E: Into<Box<dyn Error + Send + Sync>>,
    {
        self.map_err(ToolError::internal)
    }

    fn for_model(self, text: impl Into<String>) -> Result<T, ToolError>
    where
        E: Display,
    {
        self.map_err(|error| {
            let text = text.into();
            tracing::debug!(%error, text, "a failure is told to the model in other words");
            ToolError::new(text)
        })
    }
}
