use std::sync::Arc;

use haft_schema::{Members, Param};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use serde_path_to_error::{Path, Segment};

use super::threads;
use crate::error::ToolError;
use crate::server::{Context, FromContext, ToolCall};

/// One call on its way into a function: checked arguments become typed ones here.
///
/// Used by what `#[tool]` expands to.
#[doc(hidden)]
pub struct Call {
    call: ToolCall,
    params: Arc<[Param]>,
    members: Arc<[Members]>,
    failures: Vec<Failure>,
}

/// Why a function did not run.
#[doc(hidden)]
pub enum Refused {
    /// The arguments pass the schema and still don't make the types.
    Undecodable { arguments: Map<String, Value>, failures: Vec<Failure> },
    /// An extractor said no, or the function's own answer is an error.
    Error(ToolError),
}

/// One argument that serde didn't take.
#[doc(hidden)]
pub struct Failure {
    pub(crate) pointer: String,
    pub(crate) reason: String,
}

impl From<ToolError> for Refused {
    fn from(error: ToolError) -> Self {
        Self::Error(error)
    }
}

impl Call {
    pub(crate) fn new(call: ToolCall, params: Arc<[Param]>, members: Arc<[Members]>) -> Self {
        Self { call, params, members, failures: Vec::new() }
    }

    /// The argument of the parameter at `index`, or `None` when it doesn't make a `T`; the reason is kept for
    /// [`Call::refuse`], so that all arguments are tried before the call is refused.
    pub fn argument<T: DeserializeOwned>(&mut self, index: usize) -> Option<T> {
        let params = Arc::clone(&self.params);
        let param = params.get(index)?;
        let (decoded, base) = if param.is_flattened() {
            (decode(&Value::Object(self.flattened(index))), String::new())
        } else {
            let given = self.call.arguments().get(param.name());
            (decode(given.or(param.default()).unwrap_or(&Value::Null)), pointer_segment(param.name()))
        };
        match decoded {
            Ok(typed) => Some(typed),
            Err((path, reason)) => {
                self.failures.push(Failure { pointer: base + &path, reason });
                None
            }
        }
    }

    /// The arguments that make up the flattened parameter at `index`.
    fn flattened(&self, index: usize) -> Map<String, Value> {
        let named = |members: &Members, name: &String| members.names.contains(name);
        let own = |name: &String| {
            let Some(members) = self.members.get(index) else { return false };
            named(members, name) || (members.rest && !self.members.iter().any(|other| named(other, name)))
        };
        let arguments = self.call.arguments().iter();
        arguments.filter(|(name, _)| own(name)).map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// The call's context.
    pub fn context(&self) -> Context {
        self.call.context().clone()
    }

    /// A value that the application takes from the context.
    pub async fn extract<T: FromContext>(&self) -> Result<T, Refused> {
        T::from_context(self.call.context())
            .await
            .map_err(|rejection| Refused::Error(crate::error::IntoToolError::into_tool_error(rejection)))
    }

    /// Every reason that [`Call::argument`] found.
    pub fn refuse(self) -> Refused {
        Refused::Undecodable { arguments: self.call.into_parts().0, failures: self.failures }
    }

    /// Runs a plain function on a thread of its own, so that it may block.
    pub async fn blocking<R: Send + 'static>(
        self,
        function: impl FnOnce() -> R + Send + 'static,
    ) -> Result<R, Refused> {
        let (runtime, span) = (tokio::runtime::Handle::current(), tracing::Span::current());
        // Nothing stops a thread: it has its place among the calls of its tool for as long as it runs.
        let slot = self.call.slot();
        Ok(threads::run(move || {
            let (_slot, _entered) = (slot, runtime.enter());
            span.in_scope(function)
        })
        .await)
    }
}

/// What serde makes of `value`, or where it stumbled and why.
fn decode<T: DeserializeOwned>(value: &Value) -> Result<T, (String, String)> {
    serde_path_to_error::deserialize(value).map_err(|error| (pointer(error.path()), error.inner().to_string()))
}

/// Where serde stumbled, as a JSON pointer.
fn pointer(path: &Path) -> String {
    path.iter()
        .map(|segment| match segment {
            Segment::Seq { index } => format!("/{index}"),
            Segment::Map { key } => pointer_segment(key),
            // A variant is not a place in the JSON, and serde doesn't know all places.
            Segment::Enum { .. } | Segment::Unknown => String::new(),
        })
        .collect()
}

fn pointer_segment(name: &str) -> String {
    format!("/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// What the type of a tool's argument must be able to do.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of a tool",
    label = "not something that JSON arguments can make",
    note = "an argument's type needs `#[derive(Deserialize, JsonSchema)]`",
    note = "a value that the server provides, not the model, takes `#[extract]` and `haft::FromContext`"
)]
pub trait Argument: JsonSchema + DeserializeOwned + Send + 'static {}

#[diagnostic::do_not_recommend]
impl<T: JsonSchema + DeserializeOwned + Send + 'static> Argument for T {}

/// Fails to compile, at the parameter's type, where it can't be an argument.
#[doc(hidden)]
pub fn assert_argument<T: Argument>() {}
