use std::future::Future;
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::Arc;
use std::time::Duration;

use haft_wire::{Annotations, CacheScope, Icon, Role};
use serde_json::{Map, Value};

use super::{About, IntoContents, Reader, Resource, ResourceTemplate};
use crate::completion::{Completer, IntoCompletions, Partial, completer};
use crate::error::RequestError;
use crate::params::Params;
use crate::server::{Context, Requirement};
use crate::tool::Capability;

/// Makes a [`Resource`] or a [`ResourceTemplate`]; `T` says which.
#[must_use = "a builder does nothing before `read`"]
pub struct ResourceBuilder<T> {
    uri: String,
    size: Option<u64>,
    free: Vec<String>,
    completers: Vec<(String, Completer)>,
    about: About,
    makes: PhantomData<fn() -> T>,
}

impl<T> ResourceBuilder<T> {
    fn new(uri: String, name: String) -> Self {
        let about = About {
            name,
            title: None,
            description: None,
            mime_type: None,
            icons: Vec::new(),
            annotations: None,
            meta: Map::new(),
            ttl: Duration::ZERO,
            cache_scope: CacheScope::Private,
            needs: Vec::new(),
            requires: Requirement::default(),
            logs: false,
            place: String::new(),
            reader: Arc::new(|_, _| Box::pin(async { Err(RequestError::not_found()) })),
        };
        Self { uri, size: None, free: Vec::new(), completers: Vec::new(), about, makes: PhantomData }
    }

    /// The name to show to people.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.about.title = Some(title.into());
        self
    }

    /// What a model reads to decide whether it wants this.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.about.description = Some(description.into());
        self
    }

    /// The type, such as `text/markdown`: in the list, and of contents that have none of their own.
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.about.mime_type = Some(mime_type.into());
        self
    }

    /// Adds an icon. Its `src` must be an `https:` or `data:` URI.
    pub fn icon(mut self, icon: Icon) -> Self {
        self.about.icons.push(icon);
        self
    }

    /// Whom it is for.
    pub fn audience(self, audience: impl IntoIterator<Item = Role>) -> Self {
        self.annotate(|annotations| annotations.audience = Some(audience.into_iter().collect()))
    }

    /// How much it matters, from 0 to 1.
    pub fn priority(self, priority: f64) -> Self {
        self.annotate(|annotations| annotations.priority = Some(priority))
    }

    /// When it changed last, as an ISO 8601 timestamp.
    pub fn last_modified(self, timestamp: impl Into<String>) -> Self {
        self.annotate(|annotations| annotations.last_modified = Some(timestamp.into()))
    }

    fn annotate(mut self, change: impl FnOnce(&mut Annotations)) -> Self {
        change(self.about.annotations.get_or_insert_default());
        self
    }

    /// Adds a member to the definition's `_meta`.
    pub fn meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.about.meta.insert(key.into(), value.into());
        self
    }

    /// For how long clients may keep what they read. Not at all unless set; cut to whole milliseconds.
    ///
    /// spec: `server/utilities/caching#time-to-live-ttl-field`
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.about.ttl = ttl;
        self
    }

    /// Who may share what one client has read. [`CacheScope::Private`] unless set.
    ///
    /// spec: `server/utilities/caching#cache-scope-field`
    pub fn cache_scope(mut self, scope: CacheScope) -> Self {
        self.about.cache_scope = scope;
        self
    }

    /// A client capability that is checked before each read.
    pub fn needs(mut self, capability: Capability) -> Self {
        self.about.needs.push(capability);
        self
    }

    /// The function sends log messages to the client: the server declares the (deprecated) `logging` capability.
    pub fn logs(mut self) -> Self {
        self.about.logs = true;
        self
    }

    fn completed(mut self, place: &Location<'_>, reader: Reader) -> About {
        self.about.place = format!("{}:{}", place.file(), place.line());
        self.about.reader = reader;
        self.about
    }
}

impl ResourceBuilder<Resource> {
    pub(super) fn resource(uri: String, name: String) -> Self {
        Self::new(uri, name)
    }

    /// The length in bytes.
    pub fn size(mut self, bytes: u64) -> Self {
        self.size = Some(bytes);
        self
    }

    /// The function that reads it, which completes the resource. What it may return: see [`IntoContents`].
    ///
    /// A client that gives up ends the function at its next `.await`.
    #[track_caller]
    pub fn read<F, Fut>(self, function: F) -> Resource
    where
        F: Fn(Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoContents> + Send + 'static,
    {
        let (uri, size) = (self.uri.clone(), self.size);
        let reader = reader(move |_, context| function(context));
        Resource { uri, size, about: self.completed(Location::caller(), reader) }
    }
}

impl ResourceBuilder<ResourceTemplate> {
    pub(super) fn template(template: String, name: String) -> Self {
        Self::new(template, name)
    }

    /// Lets a variable have any value, such as `..` and absolute paths: for one that never becomes a path.
    pub fn any_value(mut self, variable: impl Into<String>) -> Self {
        self.free.push(variable.into());
        self
    }

    /// Suggests values for a variable while it is being typed. What the function may return: see [`IntoCompletions`].
    pub fn complete<F, Fut>(mut self, variable: impl Into<String>, function: F) -> Self
    where
        F: Fn(Partial, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoCompletions> + Send + 'static,
    {
        self.completers.push((variable.into(), completer(function)));
        self
    }

    /// The function that reads the resource whose URI has these values, which completes the template. What it may
    /// return: see [`IntoContents`].
    ///
    /// [`Context::name`] is the URI. A client that gives up ends the function at its next `.await`.
    #[track_caller]
    pub fn read<F, Fut>(self, function: F) -> ResourceTemplate
    where
        F: Fn(Params, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoContents> + Send + 'static,
    {
        let (template, free, completers) = (self.uri.clone(), self.free.clone(), self.completers.clone());
        ResourceTemplate { template, free, completers, about: self.completed(Location::caller(), reader(function)) }
    }
}

/// Erases the function's types. It is called inside the future, so that whatever it does there is contained.
fn reader<F, Fut>(function: F) -> Reader
where
    F: Fn(Params, Context) -> Fut + Send + Sync + 'static,
    Fut: Future<Output: IntoContents> + Send + 'static,
{
    let function = Arc::new(function);
    Arc::new(move |params, context| {
        let function = Arc::clone(&function);
        Box::pin(async move {
            let uri = context.name().to_owned();
            function(params, context).await.into_contents(&uri)
        })
    })
}

impl<T> std::fmt::Debug for ResourceBuilder<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ResourceBuilder").field("uri", &self.uri).field("about", &self.about).finish_non_exhaustive()
    }
}
