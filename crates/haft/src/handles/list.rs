use haft_store::Cursor;

use super::stored::Stored;
use super::{By, Handle, Handled, Handles, failed};
use crate::error::ToolError;

/// Some of a caller's handles, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HandlePage<T> {
    /// The handles, by when they were created.
    pub handles: Vec<Handle<T>>,
    /// Where the next page begins, if there may be more; a text without a meaning.
    pub next: Option<String>,
}

impl<T: Handled> Handles<T> {
    /// The caller's handles from a place on, newest first: at most so many (and at most 1,000). No use of them.
    ///
    /// So a model finds an id again that it has lost. What is created meanwhile is on no later page.
    ///
    /// # Errors
    /// For the model where the cursor is none of these, or the caller is anonymous; internal, when the store fails.
    pub async fn list<'a>(
        &self,
        by: impl Into<By<'a>>,
        cursor: Option<&str>,
        at_most: usize,
    ) -> Result<HandlePage<T>, ToolError> {
        let Some(owner) = by.into().owner(T::PREFIX) else {
            let text = format!("There are lists only for callers who have signed in. {}", T::RECOVER);
            return Err(ToolError::new(text.trim_end()).code("no_list"));
        };
        let from = cursor.map(read_cursor).transpose()?;
        let page = self.store.list(&owner, from, at_most).await.map_err(failed)?;
        let handles = page.entries.into_iter().map(|entry| {
            let id = entry.key.strip_prefix("handle:").unwrap_or(&entry.key).to_owned();
            Ok(Stored::read(id, entry)?.handle)
        });
        let handles = handles.collect::<Result<_, ToolError>>()?;
        Ok(HandlePage { handles, next: page.next.map(|next| format!("p{:x}", u64::from(next))) })
    }
}

fn read_cursor(text: &str) -> Result<Cursor, ToolError> {
    let number = text.strip_prefix('p').and_then(|digits| u64::from_str_radix(digits, 16).ok());
    number.map(Cursor::from).ok_or_else(|| {
        ToolError::new("This cursor is none that a list gave. Ask again without a cursor, for the first page.")
            .code("bad_cursor")
    })
}
