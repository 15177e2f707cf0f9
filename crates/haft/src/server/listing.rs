//! Lists as clients page through them: written once, then only found, by opaque cursors.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

use haft_wire::{
    CacheScope, DiscoverResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    Meta, ResultType, ServerCapabilities, VERSION, method,
};
use serde_json::value::{RawValue, to_raw_value};

use super::scopes::Requirement;
use crate::error::ProtocolError;

/// One list, frozen: as those see it who see everything, and as others do.
pub(crate) struct Listing {
    whole: Arc<Pages>,
    /// Where not everybody sees everything.
    views: Option<Views>,
}

/// The pages of a list as somebody sees it.
struct Pages {
    method: &'static str,
    pages: Vec<Arc<RawValue>>,
    /// Which page each leads to; none leads to the first.
    cursors: HashMap<String, usize>,
}

impl Listing {
    /// The whole `result` that a cursor leads to, for somebody who sees what meets `shows`; the first one without.
    ///
    /// A cursor that somebody else was given, who sees another list, leads nowhere.
    pub(crate) fn page(
        &self,
        cursor: Option<&str>,
        shows: impl Fn(&Requirement) -> bool,
    ) -> Result<Arc<RawValue>, ProtocolError> {
        match &self.views {
            None => self.whole.page(cursor),
            Some(views) => {
                let seen: Box<[bool]> = views.entries.iter().map(|(requirement, _)| shows(requirement)).collect();
                if seen.iter().all(|seen| *seen) { self.whole.page(cursor) } else { views.pages(seen)?.page(cursor) }
            }
        }
    }
}

/// The lists of those who don't see everything, each written when it is first asked for.
struct Views {
    cacheable: Arc<Cacheable>,
    method: &'static str,
    page_size: Option<NonZeroUsize>,
    entries: Vec<(Requirement, Box<RawValue>)>,
    written: Mutex<HashMap<Box<[bool]>, Arc<Pages>>>,
}

/// So many views are kept. There are as many as there are sets of scopes that make a difference.
const MAX_VIEWS: usize = 64;

impl Views {
    fn pages(&self, seen: Box<[bool]>) -> Result<Arc<Pages>, ProtocolError> {
        let lock = || self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pages) = lock().get(&seen) {
            return Ok(Arc::clone(pages));
        }
        let visible = self.entries.iter().zip(&seen).filter(|(_, seen)| **seen);
        let definitions: Vec<&RawValue> = visible.map(|((_, definition), _)| &**definition).collect();
        let pages = self.cacheable.pages(self.method, &definitions, self.page_size).map_err(|error| {
            tracing::error!(%error, "a list could not be written");
            ProtocolError::internal("the list could not be written")
        })?;
        let pages = Arc::new(pages);
        let mut written = lock();
        if written.len() >= MAX_VIEWS {
            written.clear();
        }
        written.insert(seen, Arc::clone(&pages));
        Ok(pages)
    }
}

impl Pages {
    fn page(&self, cursor: Option<&str>) -> Result<Arc<RawValue>, ProtocolError> {
        let index = match cursor {
            None => Some(0),
            Some(cursor) => self.cursors.get(cursor).copied(),
        };
        index.and_then(|index| self.pages.get(index)).map(Arc::clone).ok_or_else(|| {
            ProtocolError::invalid_params(format!(
                "Invalid cursor: it is not one of this list, or the list has changed since. \
                 Start again with {} without a cursor.",
                self.method
            ))
        })
    }
}

/// What every cacheable result carries.
///
/// spec: `server/utilities/caching`
pub(super) struct Cacheable {
    pub(super) ttl_ms: u64,
    pub(super) cache_scope: CacheScope,
    pub(super) meta: Option<Meta>,
}

impl Cacheable {
    pub(super) fn discover(&self, capabilities: ServerCapabilities, instructions: Option<String>) -> DiscoverResult {
        let &Self { ttl_ms, cache_scope, ref meta } = self;
        let supported_versions = vec![VERSION.to_owned()];
        let (result_type, meta) = (ResultType::Complete, meta.clone());
        DiscoverResult { result_type, supported_versions, capabilities, instructions, ttl_ms, cache_scope, meta }
    }

    /// The list of these definitions, each with what it takes to see it, for one of the four methods that list something.
    pub(super) fn listing<'a>(
        self: &Arc<Self>,
        method: &'static str,
        definitions: &[impl Borrow<RawValue>],
        requirements: impl Iterator<Item = &'a Requirement> + Clone,
        page_size: Option<NonZeroUsize>,
    ) -> Result<Listing, serde_json::Error> {
        let whole = Arc::new(self.pages(method, definitions, page_size)?);
        let views = requirements.clone().any(|requirement| !requirement.is_none()).then(|| Views {
            cacheable: Arc::clone(self),
            method,
            page_size,
            entries: requirements.cloned().zip(definitions.iter().map(|one| one.borrow().to_owned())).collect(),
            written: Mutex::default(),
        });
        Ok(Listing { whole, views })
    }

    fn pages(
        &self,
        method: &'static str,
        definitions: &[impl Borrow<RawValue>],
        page_size: Option<NonZeroUsize>,
    ) -> Result<Pages, serde_json::Error> {
        let size = page_size.map_or(definitions.len().max(1), Into::into);
        let list = fingerprint(definitions);
        // A cursor names the list as well as the place in it, so that one from another list is found out. It is the
        // same on every instance that has the same definitions.
        let cursor = |page: usize| format!("{list:016x}{page:x}");
        let count = definitions.len().div_ceil(size).max(1);
        let pages = (0..count).map(|page| {
            let start = page * size;
            let end = definitions.len().min(start + size);
            let next = (page + 1 < count).then(|| cursor(page + 1));
            let definitions = definitions.get(start..end).unwrap_or_default();
            self.page(method, definitions.iter().map(Borrow::borrow).collect(), next).map(Arc::from)
        });
        let pages = pages.collect::<Result<_, _>>()?;
        Ok(Pages { method, pages, cursors: (1..count).map(|page| (cursor(page), page)).collect() })
    }

    fn page(
        &self,
        method: &str,
        definitions: Vec<&RawValue>,
        next_cursor: Option<String>,
    ) -> Result<Box<RawValue>, serde_json::Error> {
        let &Self { ttl_ms, cache_scope, ref meta } = self;
        let (result_type, meta) = (ResultType::Complete, meta.clone());
        match method {
            method::RESOURCES_LIST => to_raw_value(&ListResourcesResult {
                result_type,
                resources: definitions,
                next_cursor,
                ttl_ms,
                cache_scope,
                meta,
            }),
            method::RESOURCES_TEMPLATES_LIST => to_raw_value(&ListResourceTemplatesResult {
                result_type,
                resource_templates: definitions,
                next_cursor,
                ttl_ms,
                cache_scope,
                meta,
            }),
            method::PROMPTS_LIST => to_raw_value(&ListPromptsResult {
                result_type,
                prompts: definitions,
                next_cursor,
                ttl_ms,
                cache_scope,
                meta,
            }),
            _ => to_raw_value(&ListToolsResult {
                result_type,
                tools: definitions,
                next_cursor,
                ttl_ms,
                cache_scope,
                meta,
            }),
        }
    }
}

/// FNV-1a over all definitions: the same in every process and every build.
fn fingerprint(definitions: &[impl Borrow<RawValue>]) -> u64 {
    definitions
        .iter()
        .flat_map(|definition| definition.borrow().get().bytes().chain([b'\n']))
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
