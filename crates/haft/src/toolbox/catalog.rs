//! The tools of all servers, side by side, each under a name of its own.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use haft_wire::Tool;
use serde_json::Value;

use super::events::ToolboxEvent;
use super::policy::ServerPolicy;
use super::search::Index;
use super::{Joined, names, shown};
use crate::client::{Client, ToolList};

/// A tool, as it stands before a model.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ExposedTool {
    /// The name that the model calls it by.
    pub name: String,
    /// The key of its server.
    pub server: String,
    /// Its name for people: `title`, else the title among its annotations, else `name`; escaped, and at most 200 characters.
    pub display_name: String,
    /// Its definition as the server gave it, with the server's own name.
    pub definition: Tool,
}

/// A server or a tool that is not there, and why. The texts are escaped.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolboxProblem {
    /// The key of the server.
    pub server: String,
    /// The server's name of the tool. `None` where it is all tools of the server.
    pub tool: Option<String>,
    /// What is wrong.
    pub reason: String,
}

/// An exposed tool, with what it takes to call it.
pub(super) struct Exposed {
    pub(super) public: ExposedTool,
    pub(super) client: Arc<Client>,
    pub(super) policy: ServerPolicy,
}

impl Exposed {
    /// The input schema, read anew each time: of all tools together it would take far more memory than its text does.
    pub(super) fn schema(&self) -> Value {
        serde_json::from_str(self.public.definition.input_schema.get()).unwrap_or_default()
    }

    pub(super) fn server_shown(&self) -> String {
        shown::line(&self.public.server, 200)
    }

    pub(super) fn tool_shown(&self) -> String {
        shown::line(&self.public.definition.name, 200)
    }
}

#[derive(Default)]
pub(super) struct Catalog {
    /// In the order of the servers, and in each server's order.
    pub(super) tools: Vec<Arc<Exposed>>,
    by_name: HashMap<String, usize>,
    pub(super) problems: Vec<ToolboxProblem>,
    pub(super) index: Index,
}

impl Catalog {
    pub(super) fn get(&self, name: &str) -> Option<&Arc<Exposed>> {
        self.tools.get(*self.by_name.get(name)?)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| tool.public.name.as_str())
    }

    /// What each server listed, or why it didn't.
    pub(super) fn new(listed: Vec<(&Joined, Result<ToolList, String>)>) -> Self {
        let mut catalog = Self::default();
        for (server, list) in listed {
            match list {
                Ok(list) => catalog.add(server, list),
                Err(reason) => catalog.problem(server, None, &reason),
            }
        }
        catalog.index = Index::new(catalog.tools.iter().map(|tool| &tool.public));
        catalog
    }

    fn add(&mut self, server: &Joined, list: ToolList) {
        for left_out in list.left_out {
            self.problem(server, Some(left_out.name.as_deref().unwrap_or("(no name)")), &left_out.reason);
        }
        for definition in list.tools {
            if !server.policy.admits(&definition.name) {
                continue;
            }
            let name = names::exposed(&server.key, &definition.name);
            if self.by_name.contains_key(&name) {
                // A hash that two names of one server share, which takes some effort to find.
                self.problem(server, Some(&definition.name), "another tool has its name already");
                continue;
            }
            let display_name = shown::line(definition.display_name(), 200);
            self.by_name.insert(name.clone(), self.tools.len());
            let public = ExposedTool { name, server: server.key.clone(), display_name, definition };
            let (client, policy) = (Arc::clone(&server.client), server.policy.clone());
            self.tools.push(Arc::new(Exposed { public, client, policy }));
        }
    }

    fn problem(&mut self, server: &Joined, tool: Option<&str>, reason: &str) {
        let problem = ToolboxProblem {
            server: shown::line(&server.key, 200),
            tool: tool.map(|tool| shown::line(tool, 200)),
            reason: shown::line(reason, 1_000),
        };
        tracing::warn!(
            server = problem.server,
            tool = problem.tool,
            reason = problem.reason,
            "left out of the toolbox"
        );
        self.problems.push(problem);
    }

    /// How this catalog differs from the one before it, if it does.
    pub(super) fn news(&self, before: &Self) -> Option<ToolboxEvent> {
        let (old, new) = (before.definitions(), self.definitions());
        let missing = |from: &BTreeMap<&str, String>, name: &&&str| !from.contains_key(**name);
        let added: Vec<String> = new.keys().filter(|name| missing(&old, name)).map(|name| (*name).to_owned()).collect();
        let removed: Vec<String> =
            old.keys().filter(|name| missing(&new, name)).map(|name| (*name).to_owned()).collect();
        let differs = |(name, definition): &(&&str, &String)| old.get(**name).is_some_and(|was| was != *definition);
        let changed: Vec<String> = new.iter().filter(differs).map(|(name, _)| (*name).to_owned()).collect();
        let same = added.is_empty() && removed.is_empty() && changed.is_empty();
        (!same).then_some(ToolboxEvent::Exposed { added, removed, changed })
    }

    fn definitions(&self) -> BTreeMap<&str, String> {
        let written = |tool: &Arc<Exposed>| serde_json::to_string(&tool.public.definition).unwrap_or_default();
        self.tools.iter().map(|tool| (tool.public.name.as_str(), written(tool))).collect()
    }
}
