use haft_wire::ResourceContents;

use crate::error::{IntoRequestError, RequestError};

/// What a function that reads a resource may return.
///
/// | the function returns | the resource's contents |
/// |---|---|
/// | `String`, `&'static str` | one of text |
/// | `Vec<u8>`, `&'static [u8]` | one of bytes, sent in base64 |
/// | [`ResourceContents`] | this one |
/// | `Vec<ResourceContents>` | these, as a directory has files; none says that it is there and empty |
/// | `Result<any of these, E: IntoRequestError>` | on `Err` a JSON-RPC error |
///
/// Contents without a type get the one that the resource says, those made from text and bytes its URI as well.
#[diagnostic::on_unimplemented(
    message = "a resource cannot be read as `{Self}`",
    label = "not something that is in a resource",
    note = "choices: `String`, `&'static str`, `Vec<u8>`, `ResourceContents`, `Vec<ResourceContents>`, or `Result<any of \
            these, RequestError>`"
)]
pub trait IntoContents {
    /// The contents of the resource at `uri`.
    ///
    /// # Errors
    /// The function's own error.
    fn into_contents(self, uri: &str) -> Result<Vec<ResourceContents>, RequestError>;
}

impl IntoContents for String {
    fn into_contents(self, uri: &str) -> Result<Vec<ResourceContents>, RequestError> {
        Ok(vec![ResourceContents::text(uri, self)])
    }
}

impl IntoContents for &'static str {
    fn into_contents(self, uri: &str) -> Result<Vec<ResourceContents>, RequestError> {
        Ok(vec![ResourceContents::text(uri, self)])
    }
}

impl IntoContents for Vec<u8> {
    fn into_contents(self, uri: &str) -> Result<Vec<ResourceContents>, RequestError> {
        Ok(vec![ResourceContents::blob(uri, self)])
    }
}

impl IntoContents for &'static [u8] {
    fn into_contents(self, uri: &str) -> Result<Vec<ResourceContents>, RequestError> {
        Ok(vec![ResourceContents::blob(uri, self)])
    }
}

impl IntoContents for ResourceContents {
    fn into_contents(self, _: &str) -> Result<Vec<ResourceContents>, RequestError> {
        Ok(vec![self])
    }
}

impl IntoContents for Vec<ResourceContents> {
    fn into_contents(self, _: &str) -> Result<Vec<ResourceContents>, RequestError> {
        Ok(self)
    }
}

impl<T: IntoContents, E: IntoRequestError> IntoContents for Result<T, E> {
    fn into_contents(self, uri: &str) -> Result<Vec<ResourceContents>, RequestError> {
        self.map_err(IntoRequestError::into_request_error)?.into_contents(uri)
    }
}
