use haft_schema::{Output, Problem};
use haft_wire::{CallToolResult, ContentBlock, strict};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, value::RawValue};

use std::any::{Any, TypeId};

use crate::error::{IntoToolError, ToolError};

/// A value for programs together with text for the model.
///
/// Each half stands on its own: some hosts show the model only the text, others only the value.
///
/// ```
/// use haft::prelude::*;
///
/// #[derive(Serialize, JsonSchema)]
/// struct Reading {
///     temperature: f64,
/// }
///
/// fn reading() -> Reply<Reading> {
///     Reply::new(Reading { temperature: 18.5 }).text("Toronto: 18.5 °C")
/// }
/// # let _ = reading();
/// ```
///
/// With no text and no content given, the model reads the value as JSON.
#[derive(Debug, Clone)]
pub struct Reply<T> {
    value: T,
    content: Vec<ContentBlock>,
    meta: Map<String, Value>,
}

impl<T> Reply<T> {
    /// A reply with `value` as its structured content.
    pub fn new(value: T) -> Self {
        Self { value, content: Vec::new(), meta: Map::new() }
    }

    /// Adds a text block.
    #[must_use]
    pub fn text(self, text: impl Into<String>) -> Self {
        self.content(ContentBlock::text(text))
    }

    /// Adds a content block of any kind.
    #[must_use]
    pub fn content(mut self, block: ContentBlock) -> Self {
        self.content.push(block);
        self
    }

    /// Adds a member to the result's `_meta`.
    #[must_use]
    pub fn meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.meta.insert(key.into(), value.into());
        self
    }
}

/// What a tool function may return.
///
/// | the function returns | content | structured content | output schema |
/// |---|---|---|---|
/// | `T: Serialize + JsonSchema` | the value as JSON text | the value | from `T` |
/// | [`Reply<T>`] | what was given; nothing given: the JSON | the value | from `T` |
/// | `String`, `&'static str` | the text | none | none |
/// | [`Content`](crate::Content), `Vec<Content>` | the blocks | none | none |
/// | `serde_json::Value` | the value as JSON text | the value | none |
/// | `()` | `Done.` | none | none |
/// | `Result<any of these, E: IntoToolError>` | on `Err` the message, with `isError: true` | none on `Err` | as above |
///
/// The parameter `M` only keeps these implementations apart; it is always inferred.
#[diagnostic::on_unimplemented(
    message = "a tool cannot return `{Self}`",
    label = "not something that a tool may return",
    note = "a value needs `#[derive(Serialize, JsonSchema)]`",
    note = "other choices: `Reply<T>`, `String`, `Content`, `Vec<Content>`, `()`, or `Result<any of these, ToolError>`"
)]
pub trait IntoOutcome<M>: Sized {
    /// The schema of the structured content, or every reason why there can't be one.
    #[doc(hidden)]
    fn output(allow: &[&str]) -> Result<Option<Output>, Vec<Problem>>;

    /// The result as it would go out, not yet checked against the schema.
    #[doc(hidden)]
    fn into_outcome(self) -> Result<CallToolResult, ToolError>;
}

/// Marks types that are sent as structured content.
#[doc(hidden)]
pub struct ByValue;
/// Marks [`Reply`].
#[doc(hidden)]
pub struct ByReply;
/// Marks content blocks.
#[doc(hidden)]
pub struct ByContent;
/// Marks results, over the marker of their `Ok` type.
#[doc(hidden)]
pub struct ByResult<M>(M);

#[diagnostic::do_not_recommend]
impl<T: Serialize + JsonSchema + 'static> IntoOutcome<ByValue> for T {
    fn output(allow: &[&str]) -> Result<Option<Output>, Vec<Problem>> {
        if Unstructured::of::<T>().is_some() { Ok(None) } else { haft_schema::output::<T>(allow) }
    }

    fn into_outcome(self) -> Result<CallToolResult, ToolError> {
        match Unstructured::of::<T>() {
            Some(Unstructured::Unit) => Ok(CallToolResult::new([ContentBlock::text("Done.")])),
            Some(Unstructured::Str) => {
                let text = (&self as &dyn Any).downcast_ref::<&'static str>().copied().unwrap_or_default();
                Ok(CallToolResult::new([ContentBlock::text(text)]))
            }
            Some(Unstructured::String) => {
                let mut value = Some(self);
                let text = (&mut value as &mut dyn Any).downcast_mut::<Option<String>>().and_then(Option::take);
                Ok(CallToolResult::new([ContentBlock::text(text.unwrap_or_default())]))
            }
            None => structured(&self, Vec::new(), Map::new()),
        }
    }
}

impl<T: Serialize + JsonSchema + 'static> IntoOutcome<ByReply> for Reply<T> {
    fn output(allow: &[&str]) -> Result<Option<Output>, Vec<Problem>> {
        haft_schema::output::<T>(allow)
    }

    fn into_outcome(self) -> Result<CallToolResult, ToolError> {
        structured(&self.value, self.content, self.meta)
    }
}

impl IntoOutcome<ByContent> for ContentBlock {
    fn output(_: &[&str]) -> Result<Option<Output>, Vec<Problem>> {
        Ok(None)
    }

    fn into_outcome(self) -> Result<CallToolResult, ToolError> {
        Ok(CallToolResult::new([self]))
    }
}

impl IntoOutcome<ByContent> for Vec<ContentBlock> {
    fn output(_: &[&str]) -> Result<Option<Output>, Vec<Problem>> {
        Ok(None)
    }

    fn into_outcome(self) -> Result<CallToolResult, ToolError> {
        Ok(CallToolResult::new(self))
    }
}

/// A result made by hand, as middleware and proxies have it.
impl IntoOutcome<ByContent> for CallToolResult {
    fn output(_: &[&str]) -> Result<Option<Output>, Vec<Problem>> {
        Ok(None)
    }

    fn into_outcome(self) -> Result<CallToolResult, ToolError> {
        Ok(self)
    }
}

#[diagnostic::do_not_recommend]
impl<T: IntoOutcome<M>, E: IntoToolError, M> IntoOutcome<ByResult<M>> for Result<T, E> {
    fn output(allow: &[&str]) -> Result<Option<Output>, Vec<Problem>> {
        T::output(allow)
    }

    fn into_outcome(self) -> Result<CallToolResult, ToolError> {
        match self {
            Ok(value) => value.into_outcome(),
            Err(error) => Err(error.into_tool_error()),
        }
    }
}

/// The types that are text for the model and nothing for programs, though they would serialise.
///
/// Told apart by their id: a separate implementation would overlap with the one for all serialisable types.
#[derive(Clone, Copy)]
enum Unstructured {
    Unit,
    Str,
    String,
}

impl Unstructured {
    fn of<T: 'static>() -> Option<Self> {
        let id = TypeId::of::<T>();
        if id == TypeId::of::<String>() {
            Some(Self::String)
        } else if id == TypeId::of::<&'static str>() {
            Some(Self::Str)
        } else if id == TypeId::of::<()>() {
            Some(Self::Unit)
        } else {
            None
        }
    }
}

/// Serialises `value` once: the same bytes are the structured content and, where no content was given, the text.
fn structured<T: Serialize>(
    value: &T,
    mut content: Vec<ContentBlock>,
    meta: Map<String, Value>,
) -> Result<CallToolResult, ToolError> {
    let json = strict::to_string(value)?;
    if content.is_empty() {
        content.push(ContentBlock::text(json.clone()));
    }
    let meta = (!meta.is_empty()).then_some(meta);
    Ok(CallToolResult {
        content,
        structured_content: Some(RawValue::from_string(json)?),
        meta,
        ..CallToolResult::default()
    })
}
