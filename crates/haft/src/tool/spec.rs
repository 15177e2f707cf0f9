use std::future::Future;
use std::sync::Arc;

use haft_schema::Param;
use haft_wire::{Icon, IconTheme, ToolAnnotations};
use serde_json::{Map, Value};

use super::call::{Call, Refused};
use super::limits::Limits;
use super::reply::IntoOutcome;
use super::{Input, OutputSource, TaskSupport, Tool, described};
use crate::server::Requirement;

/// What `#[tool]` knows of a tool when it expands. Written by the macro alone.
#[doc(hidden)]
pub struct ToolSpec {
    pub name: &'static str,
    pub title: &'static str,
    pub description: &'static str,
    pub hints: Hints,
    pub icons: &'static [IconSpec],
    pub meta: Vec<(&'static str, Value)>,
    pub allow: &'static [&'static str],
    pub needs: &'static [Capability],
    pub scopes: &'static [&'static str],
    pub listed: bool,
    pub cancel: Cancel,
    pub logs: bool,
    pub embeds_resources: bool,
    pub limits: Limits,
    /// Says how long the handles are good that the tool creates.
    pub handle: Option<fn() -> String>,
    pub task: Option<TaskSupport>,
    pub place: &'static str,
}

/// The stand that a tool takes: all four hints.
#[doc(hidden)]
pub struct Hints {
    pub read_only: bool,
    pub destructive: bool,
    pub idempotent: bool,
    pub open_world: bool,
}

/// One icon, as attributes give it.
#[doc(hidden)]
pub struct IconSpec {
    pub src: &'static str,
    pub mime: Option<&'static str>,
    pub sizes: &'static [&'static str],
    pub theme: Option<&'static str>,
}

/// A client capability that a tool can't do without. It is checked before the call; a client that lacks it gets -32021.
///
/// spec: `basic/index#_meta`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Capability {
    /// The client can ask its model (deprecated by the specification).
    Sampling,
    /// The client can ask its user.
    Elicitation,
    /// The client can name its root directories (deprecated by the specification).
    Roots,
}

impl Capability {
    /// Its name on the wire.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Sampling => "sampling",
            Self::Elicitation => "elicitation",
            Self::Roots => "roots",
        }
    }
}

/// What becomes of a running call when the client cancels it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cancel {
    /// The function's future is dropped at its next `.await`. The default of read-only tools.
    Drop,
    /// The function runs on to its end, unobserved, so that no write stops half-way. The default of all others.
    Detach,
}

/// Joins a definition and the function behind it.
#[doc(hidden)]
pub fn tool<F, Fut, R, M>(spec: ToolSpec, params: Vec<Param>, function: F) -> Tool
where
    F: Fn(Call) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<R, Refused>> + Send + 'static,
    R: IntoOutcome<M>,
{
    let params: Arc<[Param]> = params.into();
    let icons = spec.icons.iter().map(icon).collect();
    Tool {
        name: spec.name.to_owned(),
        title: Some(spec.title.to_owned()),
        description: described(Some(spec.description.to_owned()), spec.handle),
        icons,
        meta: spec.meta.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>(),
        hints: ToolAnnotations {
            title: None,
            read_only_hint: Some(spec.hints.read_only),
            destructive_hint: Some(spec.hints.destructive),
            idempotent_hint: Some(spec.hints.idempotent),
            open_world_hint: Some(spec.hints.open_world),
        },
        input: Input::Params(Arc::clone(&params)),
        output: OutputSource::Type(R::output),
        allow: spec.allow.iter().map(|&rule| rule.to_owned()).collect(),
        needs: spec.needs.to_vec(),
        requires: Requirement {
            scopes: spec.scopes.iter().map(|&scope| scope.to_owned()).collect(),
            listed: spec.listed,
        },
        cancel: spec.cancel,
        logs: spec.logs,
        embeds_resources: spec.embeds_resources,
        limits: spec.limits,
        task: spec.task,
        place: spec.place.to_owned(),
        handler: Arc::new(move |call, members| {
            let running = function(Call::new(call, Arc::clone(&params), Arc::clone(members)));
            Box::pin(async move { Ok(running.await?.into_outcome()?) })
        }),
    }
}

fn icon(spec: &IconSpec) -> Icon {
    Icon {
        mime_type: spec.mime.map(str::to_owned),
        sizes: spec.sizes.iter().map(|&size| size.to_owned()).collect(),
        theme: spec.theme.map(|theme| if theme == "dark" { IconTheme::Dark } else { IconTheme::Light }),
        ..Icon::new(spec.src)
    }
}
