use haft_wire::{ContentBlock, GetPromptResult, PromptMessage};

use crate::error::{IntoRequestError, RequestError};

/// What a function that fills in a prompt may return.
///
/// | the function returns | the prompt's messages |
/// |---|---|
/// | `String`, `&'static str`, [`Content`](crate::Content) | one, by the user |
/// | [`PromptMessage`] | this one |
/// | `Vec<PromptMessage>` | these |
/// | [`GetPromptResult`] | its own, with its description in place of the prompt's |
/// | `Result<any of these, E: IntoRequestError>` | on `Err` a JSON-RPC error |
///
/// ```
/// use haft::prelude::*;
/// use haft::PromptMessage;
///
/// fn messages() -> Vec<PromptMessage> {
///     vec![
///         PromptMessage::user(Content::resource_text("notes://1", "text/plain", "Buy milk.")),
///         PromptMessage::user("What is on my list?"),
///         PromptMessage::assistant("Milk."),
///     ]
/// }
/// # assert_eq!(messages().len(), 3);
/// ```
///
/// spec: `server/prompts#promptmessage`
#[diagnostic::on_unimplemented(
    message = "a prompt cannot return `{Self}`",
    label = "not something that makes messages",
    note = "choices: `String`, `&'static str`, `Content`, `PromptMessage`, `Vec<PromptMessage>`, or `Result<any of these, \
            RequestError>`"
)]
pub trait IntoMessages {
    /// The messages.
    ///
    /// # Errors
    /// The function's own error.
    fn into_messages(self) -> Result<GetPromptResult, RequestError>;
}

impl IntoMessages for String {
    fn into_messages(self) -> Result<GetPromptResult, RequestError> {
        PromptMessage::user(self).into_messages()
    }
}

impl IntoMessages for &'static str {
    fn into_messages(self) -> Result<GetPromptResult, RequestError> {
        PromptMessage::user(self).into_messages()
    }
}

impl IntoMessages for ContentBlock {
    fn into_messages(self) -> Result<GetPromptResult, RequestError> {
        PromptMessage::user(self).into_messages()
    }
}

impl IntoMessages for PromptMessage {
    fn into_messages(self) -> Result<GetPromptResult, RequestError> {
        Ok(GetPromptResult::new([self]))
    }
}

impl IntoMessages for Vec<PromptMessage> {
    fn into_messages(self) -> Result<GetPromptResult, RequestError> {
        Ok(GetPromptResult::new(self))
    }
}

impl IntoMessages for GetPromptResult {
    fn into_messages(self) -> Result<GetPromptResult, RequestError> {
        Ok(self)
    }
}

impl<T: IntoMessages, E: IntoRequestError> IntoMessages for Result<T, E> {
    fn into_messages(self) -> Result<GetPromptResult, RequestError> {
        self.map_err(IntoRequestError::into_request_error)?.into_messages()
    }
}
