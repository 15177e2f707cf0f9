use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use haft_wire::{CacheScope, method};

use super::build::prepare_tools;
use super::builder::{LayerFn, UnknownArguments};
use super::handle::ChangeError;
use super::listing::Cacheable;
use super::problems::{BuildError, Sink, unwritable};
use super::registry::{Entry, Registry};
use crate::tool::{Limits, Tool};

/// The tools that there are now, and how they change: a new snapshot takes the place of the old one.
///
/// A call keeps the entry that it started with.
pub(super) struct Tools {
    /// Locked for as long as it takes to copy or to put one pointer.
    now: RwLock<Arc<Registry>>,
    /// Locked for the whole of a change: one comes after the other. None where tools don't change.
    recipe: Option<Mutex<Recipe>>,
}

/// What a server keeps of its builder to add tools as the builder would.
pub(super) struct Recipe {
    pub(super) unknown_arguments: UnknownArguments,
    pub(super) layers: Vec<LayerFn>,
    pub(super) limits: Limits,
    pub(super) page_size: Option<NonZeroUsize>,
    pub(super) cacheable: Arc<Cacheable>,
    pub(super) declared: Declared,
}

/// The capabilities that tools may need, and that don't change while the server runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Declared {
    pub(super) logging: bool,
    pub(super) resources: bool,
    pub(super) tasks: bool,
}

impl Recipe {
    /// The registry of these tools, with its list written.
    pub(super) fn registry(&self, entries: Vec<Arc<Entry>>) -> Result<Registry, serde_json::Error> {
        let definitions: Vec<_> = entries.iter().map(|entry| &*entry.definition).collect();
        let requirements = entries.iter().map(|entry| &entry.requires);
        let list = self.cacheable.listing(method::TOOLS_LIST, &definitions, requirements, self.page_size)?;
        Ok(Registry::new(entries, list))
    }

    /// Checks tools that come to `others`, as `build` does.
    pub(super) fn entries(&self, tools: &[Tool], others: &[Arc<Entry>]) -> Result<Vec<Arc<Entry>>, BuildError> {
        let mut problems = Vec::new();
        for tool in tools {
            let mut sink = Sink { subject: &tool.name, place: &tool.place, problems: &mut problems };
            if let Some(other) = others.iter().find(|other| *other.name == *tool.name) {
                let message = format!("there is already a tool of this name ({}); rename one of them", other.place);
                sink.push("duplicate_name", message);
            }
            self.check_capabilities(tool, &mut sink);
            self.check_cache_scope(tool, &mut sink);
        }
        let entries = prepare_tools(tools, (self.unknown_arguments, &self.layers, &self.limits), &mut problems);
        if problems.is_empty() { Ok(entries) } else { Err(BuildError { problems }) }
    }

    fn check_capabilities(&self, tool: &Tool, sink: &mut Sink<'_>) {
        let Declared { logging, resources, tasks } = self.declared;
        for (needed, declared, capability) in [
            (tool.logs, logging, "logging"),
            (tool.embeds_resources, resources, "resources"),
            (tool.task.is_some(), tasks, "io.modelcontextprotocol/tasks"),
        ] {
            if needed && !declared {
                let message = format!(
                    "it needs the capability `{capability}`, which this server hasn't declared, and what a server \
                     declares doesn't change while it runs; build the server with a tool that needs it"
                );
                sink.push("capabilities", message);
            }
        }
    }
}

impl Recipe {
    /// A list that clients have been told to share can't become one that differs between them.
    fn check_cache_scope(&self, tool: &Tool, sink: &mut Sink<'_>) {
        if !tool.requires.is_none() && self.cacheable.cache_scope == CacheScope::Public {
            let message = "it has scopes, and clients have been told that they may share the lists of this server; build \
                           the server with `cache_scope(CacheScope::Private)`, or with a tool that has scopes";
            sink.push("cache_scope", message);
        }
    }
}

impl Tools {
    pub(super) fn new(registry: Registry, recipe: Option<Recipe>) -> Self {
        Self { now: RwLock::new(Arc::new(registry)), recipe: recipe.map(Mutex::new) }
    }

    /// The tools that there are now.
    pub(super) fn now(&self) -> Arc<Registry> {
        Arc::clone(&self.now.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts what `edit` makes of the list in its place, and says whether it did: `edit` may find nothing to do, or fail.
    pub(super) fn change(
        &self,
        edit: impl FnOnce(&Recipe, &mut Vec<Arc<Entry>>) -> Result<bool, ChangeError>,
    ) -> Result<bool, ChangeError> {
        let recipe = self.recipe.as_ref().ok_or(ChangeError::Fixed)?;
        let before = {
            let recipe = recipe.lock().unwrap_or_else(PoisonError::into_inner);
            let mut entries = self.now().entries().to_vec();
            if !edit(&recipe, &mut entries)? {
                return Ok(false);
            }
            let next = recipe.registry(entries).map_err(|error| ChangeError::Refused(unwritable(error)))?;
            std::mem::replace(&mut *self.now.write().unwrap_or_else(PoisonError::into_inner), Arc::new(next))
        };
        // What is no longer there goes after the locks: its tools may hold values that do things when they are dropped.
        drop(before);
        Ok(true)
    }
}
