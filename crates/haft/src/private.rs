//! What macros expand to. Not for use by hand: it changes without notice.

pub use haft_schema::Param;
pub use serde_json::{Map, Value, json};

use std::fmt::Display;
use std::str::FromStr;

use crate::error::{IntoToolError, RequestError};
pub use crate::form::{FieldSpec, FormAnswers, FormSpec, one_of, one_of_names};
#[cfg(feature = "handles")]
pub use crate::handles::sentence as handle_sentence;
use crate::params::Params;
use crate::server::{Context, FromContext};
pub use crate::tool::{Call, Cancel, Capability, Hints, IconSpec, Limits, Refused, ToolSpec, assert_argument, tool};

/// The value of one parameter of a `#[prompt]` or `#[resource]`.
pub fn param<T: FromStr<Err: Display>>(params: &Params, name: &str) -> Result<T, RequestError> {
    params.parse(name)
}

/// The same for one that may be absent.
pub fn optional_param<T: FromStr<Err: Display>>(params: &Params, name: &str) -> Result<Option<T>, RequestError> {
    params.get(name).map(|_| params.parse(name)).transpose()
}

/// A value that the application takes from the context of a prompt or a resource.
pub async fn extract<T: FromContext>(context: &Context) -> Result<T, RequestError> {
    T::from_context(context).await.map_err(|rejection| rejection.into_tool_error().into())
}

/// A parameter's default, as JSON. A default that can't be serialised is told at `build()`, as a value that no schema
/// takes.
pub fn default_value<T: serde::Serialize>(value: T) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}

/// A server whose clock a test sets.
#[cfg(feature = "client")]
pub fn with_clock(
    builder: crate::ServerBuilder,
    clock: impl Fn() -> std::time::SystemTime + Send + Sync + 'static,
) -> crate::ServerBuilder {
    builder.clock(clock)
}

/// Both ends of a raw connection to a server, for tests that look at bytes.
#[cfg(feature = "client")]
pub use crate::transport::memory::connect;
