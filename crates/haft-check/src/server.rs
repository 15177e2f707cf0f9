//! A server as rules see it.

use crate::exchange::Probe;
use crate::facts::{Place, ServerFacts, Way};
use crate::json::Node;
use crate::observed::Observed;
use crate::tool::{Said, Tool, opening, texts_of};

/// All that is known.
pub(crate) struct Server<'a> {
    pub(crate) facts: &'a ServerFacts,
    pub(crate) tools: Vec<Tool<'a>>,
}

/// A document that isn't a tool's definition: a list result, a discover result.
#[derive(Clone, Copy)]
pub(crate) struct Document<'a> {
    pub(crate) source: usize,
    pub(crate) node: &'a Node,
}

impl<'a> Server<'a> {
    pub(crate) fn new(facts: &'a ServerFacts) -> Self {
        let tools = facts.definitions.iter().enumerate().map(|(index, it)| Tool::new(index, it)).collect();
        Self { facts, tools }
    }

    /// The whole list results that were seen.
    pub(crate) fn pages(&self) -> impl Iterator<Item = Document<'a>> {
        self.facts.pages.iter().map(|&source| Document { source, node: self.facts.sources[source].result() })
    }

    /// What went over the wire in probes.
    pub(crate) fn exchanges(&self) -> impl Iterator<Item = Observed<'a>> + use<'a> {
        Observed::all(self.facts)
    }

    /// The exchanges of one probe.
    pub(crate) fn probed(&self, probe: Probe) -> impl Iterator<Item = Observed<'a>> + use<'a> {
        self.exchanges().filter(move |observed| observed.is(probe))
    }

    /// Whether a request of a revision before 2026-07-28 is served.
    pub(crate) fn speaks_legacy(&self) -> bool {
        self.probed(Probe::Initialize).any(|observed| observed.result().is_some())
    }

    /// Whether a request of 2026-07-28 is served.
    pub(crate) fn speaks_modern(&self) -> bool {
        // A server of older revisions may serve a list that nobody greeted it for.
        let told = |result: &Node| result.get("supportedVersions").is_some() || result.get("resultType").is_some();
        let asked = [Probe::Discover, Probe::List, Probe::ListFirst];
        let modern = |it: &Observed<'_>| it.is_modern() && asked.iter().any(|&probe| it.is(probe));
        self.exchanges().any(|it| modern(&it) && it.result().is_some_and(told))
    }

    /// The discover result.
    pub(crate) fn discover(&self) -> Option<Document<'a>> {
        self.facts.discover.map(|source| Document { source, node: self.facts.sources[source].result() })
    }

    /// What a rule finds in the texts of the discover result, such as the instructions.
    pub(crate) fn texts(&self, check: fn(&str) -> Option<String>) -> Vec<(Place<'a>, String)> {
        let Some(discover) = self.discover() else { return Vec::new() };
        let found = |said: Said<'a>| {
            let message = check(said.text)?;
            let way = Way::Within(discover.node, said.span.clone());
            Some((Place { source: discover.source, span: said.span.clone(), way }, message))
        };
        texts_of(discover.node).into_iter().filter_map(found).collect()
    }

    /// The list itself, for what no tool alone is to blame for.
    pub(crate) fn list(&self) -> Place<'a> {
        let span = self.facts.sources.first().map_or(0..0, |source| {
            let root = source.result();
            let tools = if root.is_array() { Some(root) } else { root.get("tools") };
            tools.map_or(0..0, |tools| tools.span.start..(tools.span.start + 1).min(tools.span.end))
        });
        Place { source: 0, span, way: Way::Member("tools") }
    }
}

impl<'a> Document<'a> {
    /// The place of a member, or of the document where there is none.
    pub(crate) fn place(&self, name: &'static str) -> Place<'a> {
        match self.node.get(name) {
            Some(member) => Place { source: self.source, span: opening(member), way: Way::Member(name) },
            None => Place { source: self.source, span: opening(self.node), way: Way::Root },
        }
    }
}
