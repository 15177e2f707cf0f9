//! What a resource is: its definition together with the function that reads it.

mod builder;
mod contents;
pub(crate) mod uri;
mod uri_template;

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use haft_wire::{Annotations, CacheScope, Icon, ResourceContents};
use serde_json::{Map, Value};

use crate::completion::{Completer, IntoCompletions, Partial, completer};
use crate::error::RequestError;
use crate::params::Params;
use crate::server::{Context, Requirement};
use crate::tool::Capability;

pub use builder::ResourceBuilder;
pub use contents::IntoContents;
pub(crate) use uri_template::UriTemplate;

/// The function behind a resource, with its types erased.
pub(crate) type Reader =
    Arc<dyn Fn(Params, Context) -> BoxFuture<'static, Result<Vec<ResourceContents>, RequestError>> + Send + Sync>;

/// A resource: something with a URI that clients can read.
///
/// ```
/// use haft::prelude::*;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let readme = Resource::builder("notes://readme", "readme")
///     .description("What these notes are about.")
///     .mime_type("text/markdown")
///     .read(|_context| async { "# Notes" });
///
/// let server = Server::new("notes", "1.0.0").resource(readme).build()?;
/// let result = server.read_resource("notes://readme").await?;
/// assert_eq!(serde_json::to_value(&result.contents[0])?["text"], "# Notes");
/// # Ok(())
/// # }
/// ```
///
/// [`#[resource]`](macro@crate::resource) makes one from a function. Nothing is checked before [`ServerBuilder::build`](crate::ServerBuilder::build).
///
/// spec: `server/resources#resource`
#[derive(Debug, Clone)]
pub struct Resource {
    pub(crate) uri: String,
    pub(crate) size: Option<u64>,
    pub(crate) about: About,
}

/// Resources that are named by a pattern, such as `notes://{id}`.
///
/// ```
/// use haft::prelude::*;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let note = ResourceTemplate::builder("notes://{id}", "note")
///     .description("One note.")
///     .mime_type("text/plain")
///     .read(|params, _context| async move {
///         match params.parse::<u32>("id")? {
///             1 => Ok("Buy milk."),
///             _ => Err(RequestError::not_found()),
///         }
///     });
///
/// let server = Server::new("notes", "1.0.0").resource_template(note).build()?;
/// assert!(server.read_resource("notes://1").await.is_ok());
/// assert_eq!(server.read_resource("notes://2").await.unwrap_err().code(), -32602);
/// assert_eq!(server.read_resource("notes://two").await.unwrap_err().code(), -32602);
/// # Ok(())
/// # }
/// ```
///
/// [`#[resource]`](macro@crate::resource) makes one from a function.
///
/// # Templates
///
/// Of RFC 6570 there are the expressions from which values can be got back:
///
/// | expression | matches |
/// |---|---|
/// | `{a}` | one or more characters, up to the next `/`, `?` or `#` |
/// | `{a,b}` | the same twice, with a comma between |
/// | `{+a}` | one or more characters of any kind |
/// | `{.a}` | a dot, then as `{a}` |
/// | `{/a,b}` | a slash before each, then as `{a}` |
/// | `{/a*}` | any number of segments, joined by slashes in the value |
/// | `{?a,b}` | a query with any of these, in any order; at the end of the template |
///
/// Values reach the function decoded. Where a URI fits several templates, the first that was added is read; a
/// [`Resource`] comes before all templates.
///
/// # Paths
///
/// A value that could lead out of a directory never reaches the function: one with a segment of dots such as `..`, an
/// absolute path, a Windows drive, a control character, each also when encoded, once or more often. The client gets
/// -32602. So `root.join(params.text("path"))` stays below `root` as far as the URI goes (symbolic links are the file
/// system's). [`ResourceBuilder::any_value`] lifts this for one variable.
///
/// spec: `server/resources#resource-templates`, `server/resources#security-considerations`
#[derive(Debug, Clone)]
pub struct ResourceTemplate {
    pub(crate) template: String,
    pub(crate) free: Vec<String>,
    pub(crate) completers: Vec<(String, Completer)>,
    pub(crate) about: About,
}

/// What resources and templates have in common.
#[derive(Clone)]
pub(crate) struct About {
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) mime_type: Option<String>,
    pub(crate) icons: Vec<Icon>,
    pub(crate) annotations: Option<Annotations>,
    pub(crate) meta: Map<String, Value>,
    pub(crate) ttl: Duration,
    pub(crate) cache_scope: CacheScope,
    pub(crate) needs: Vec<Capability>,
    pub(crate) requires: Requirement,
    pub(crate) logs: bool,
    pub(crate) place: String,
    pub(crate) reader: Reader,
}

impl Resource {
    /// Starts a resource. `name` is its name for programs; [`ResourceBuilder::title`] is the one for people.
    pub fn builder(uri: impl Into<String>, name: impl Into<String>) -> ResourceBuilder<Resource> {
        ResourceBuilder::resource(uri.into(), name.into())
    }

    /// The scopes that a caller needs, all of them, as for a [tool](crate::ToolBuilder::scopes): without them it is not in
    /// lists, and a request for it is refused with 401 or 403.
    ///
    /// spec: `basic/authorization#scope-challenge-handling`
    #[must_use]
    pub fn scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.about.requires.scopes.extend(scopes.into_iter().map(Into::into));
        self
    }

    /// Shows it in lists to callers without its scopes.
    #[must_use]
    pub fn listed(mut self) -> Self {
        self.about.requires.listed = true;
        self
    }

    /// Its URI.
    pub fn uri(&self) -> &str {
        &self.uri
    }
}

impl ResourceTemplate {
    /// Starts a template. `name` is its name for programs; [`ResourceBuilder::title`] is the one for people.
    pub fn builder(template: impl Into<String>, name: impl Into<String>) -> ResourceBuilder<ResourceTemplate> {
        ResourceBuilder::template(template.into(), name.into())
    }

    /// Suggests values for a variable while it is being typed, as [`ResourceBuilder::complete`] does: for templates made
    /// by [`#[resource]`](macro@crate::resource).
    #[must_use]
    pub fn complete<F, Fut>(mut self, variable: impl Into<String>, function: F) -> Self
    where
        F: Fn(Partial, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoCompletions> + Send + 'static,
    {
        self.completers.push((variable.into(), completer(function)));
        self
    }

    /// The scopes that a caller needs, all of them, as for a [tool](crate::ToolBuilder::scopes): without them it is not in
    /// lists, and a request for it is refused with 401 or 403.
    ///
    /// spec: `basic/authorization#scope-challenge-handling`
    #[must_use]
    pub fn scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.about.requires.scopes.extend(scopes.into_iter().map(Into::into));
        self
    }

    /// Shows it in lists to callers without its scopes.
    #[must_use]
    pub fn listed(mut self) -> Self {
        self.about.requires.listed = true;
        self
    }

    /// The URI template.
    pub fn uri_template(&self) -> &str {
        &self.template
    }
}

impl std::fmt::Debug for About {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("About").field("name", &self.name).field("place", &self.place).finish_non_exhaustive()
    }
}
