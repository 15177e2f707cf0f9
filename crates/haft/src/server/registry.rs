//! Stop 4, look up. in: a tool's name or a cursor; out: its entry or a page; next: `haft-schema/check` and `server/call`.

use std::collections::HashMap;
use std::sync::Arc;

use haft_schema::{Checker, Members};
use haft_wire::method;
use serde_json::value::RawValue;

use super::limits::Limited;
use super::listing::Listing;
use super::middleware::ToolService;
use super::outcome::unknown;
use super::scopes::Requirement;
use crate::error::ProtocolError;
use crate::tool::{Cancel, Capability, TaskSupport};

/// All tools, frozen: an immutable snapshot in which nothing is computed any more.
pub(crate) struct Registry {
    entries: Vec<Arc<Entry>>,
    names: HashMap<Arc<str>, usize>,
    pub(crate) list: Listing,
}

/// One tool, ready to run.
pub(crate) struct Entry {
    pub(crate) name: Arc<str>,
    pub(crate) input: Arc<Input>,
    pub(crate) output: Option<Checker>,
    pub(crate) service: ToolService,
    pub(crate) needs: Vec<Capability>,
    pub(crate) requires: Requirement,
    pub(crate) cancel: Cancel,
    pub(crate) logs: bool,
    pub(crate) embeds_resources: bool,
    pub(crate) limits: Limited,
    #[cfg_attr(not(feature = "tasks"), expect(dead_code, reason = "no tool runs as a task then"))]
    pub(crate) task: Option<TaskSupport>,
    /// Its entry in the list, as it goes out.
    pub(crate) definition: Box<RawValue>,
    /// Where the tool is written, for problems with another one.
    pub(crate) place: String,
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

impl Registry {
    pub(crate) fn new(entries: Vec<Arc<Entry>>, list: Listing) -> Self {
        let names = entries.iter().enumerate().map(|(index, entry)| (Arc::clone(&entry.name), index)).collect();
        Self { entries, names, list }
    }

    /// All tools, in the order of the list.
    pub(crate) fn entries(&self) -> &[Arc<Entry>] {
        &self.entries
    }

    /// The tool of this name; names are case-sensitive. Where there is none, those that `shows` admits are proposed.
    pub(crate) fn tool(&self, name: &str, shows: impl Fn(&Requirement) -> bool) -> Result<Arc<Entry>, ProtocolError> {
        self.names.get(name).and_then(|&index| self.entries.get(index).cloned()).ok_or_else(|| {
            let known = self.entries.iter().filter(|entry| shows(&entry.requires)).map(|entry| &*entry.name);
            unknown("tool", name, known, method::TOOLS_LIST)
        })
    }

    /// The scopes that tools ask for, each once, in the order of the list.
    #[cfg(feature = "http")]
    pub(crate) fn scopes(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().flat_map(|entry| &entry.requires.scopes).map(String::as_str)
    }
}
