//! Stop 4, look up. in: a tool's name or a cursor; out: its entry or a page; next: `haft-schema/check` and `server/call`.

use std::collections::HashMap;
use std::sync::Arc;

use haft_schema::{Checker, Members};
use serde_json::value::RawValue;

use super::middleware::ToolService;
use crate::error::ProtocolError;
use crate::tool::{Cancel, Capability};

/// All tools, frozen: an immutable snapshot in which nothing is computed any more.
pub(crate) struct Registry {
    entries: Vec<Entry>,
    names: HashMap<Arc<str>, usize>,
    pages: Vec<Page>,
    cursors: HashMap<String, usize>,
}

/// One tool, ready to run.
pub(crate) struct Entry {
    pub(crate) name: Arc<str>,
    pub(crate) input: Arc<Input>,
    pub(crate) output: Option<Checker>,
    pub(crate) service: ToolService,
    pub(crate) needs: Vec<Capability>,
    pub(crate) cancel: Cancel,
    pub(crate) logs: bool,
    pub(crate) embeds_resources: bool,
}

/// The check that arguments meet.
pub(crate) struct Input {
    pub(crate) checker: Checker,
    /// Pointers to arguments that are never shown.
    pub(crate) secrets: Vec<String>,
    /// Pointers to arguments, each with the end of the header `Mcp-Param-…` that repeats it over HTTP.
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "other transports have no headers"))]
    pub(crate) headers: Vec<(String, String)>,
    /// Which arguments make up each parameter.
    pub(crate) members: Arc<[Members]>,
}

/// One page of the list.
pub(crate) struct Page {
    /// What leads to it; nothing leads to the first.
    pub(crate) cursor: Option<String>,
    /// The whole `result` as it goes out.
    pub(crate) result: Box<RawValue>,
}

impl Registry {
    /// `pages` are in order; each but the first has the cursor that leads to it.
    pub(crate) fn new(entries: Vec<Entry>, pages: Vec<Page>) -> Self {
        let names = entries.iter().enumerate().map(|(index, entry)| (Arc::clone(&entry.name), index)).collect();
        let cursors =
            pages.iter().enumerate().filter_map(|(index, page)| Some((page.cursor.clone()?, index))).collect();
        Self { entries, names, pages, cursors }
    }

    /// The tool of this name; names are case-sensitive.
    pub(crate) fn tool(&self, name: &str) -> Result<&Entry, ProtocolError> {
        self.names
            .get(name)
            .and_then(|&index| self.entries.get(index))
            .ok_or_else(|| ProtocolError::invalid_params(self.unknown(name)))
    }

    fn unknown(&self, name: &str) -> String {
        let shown: String = name.chars().take(128).flat_map(char::escape_debug).collect();
        match haft_schema::nearest(name, self.entries.iter().map(|entry| entry.name.as_ref())) {
            Some(near) => format!("Unknown tool: {shown}. Did you mean {near}?"),
            None => format!("Unknown tool: {shown}. Ask tools/list for the tools of this server."),
        }
    }

    /// The page that a cursor leads to; the first one without.
    pub(crate) fn page(&self, cursor: Option<&str>) -> Result<&RawValue, ProtocolError> {
        let index = match cursor {
            None => Some(0),
            Some(cursor) => self.cursors.get(cursor).copied(),
        };
        index.and_then(|index| self.pages.get(index)).map(|page| page.result.as_ref()).ok_or_else(|| {
            ProtocolError::invalid_params(
                "Invalid cursor: it is not one of this list, or the list has changed since. \
                 Start again with tools/list without a cursor.",
            )
        })
    }
}
