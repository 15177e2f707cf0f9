//! What was observed of a server.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::exchange::Exchange;
use crate::json::{self, Node};

/// What was observed of a server: its definitions as they were sent, broken ones included, and what else is known.
#[derive(Debug, Clone)]
pub struct ServerFacts {
    pub(crate) sources: Vec<Arc<Source>>,
    pub(crate) definitions: Vec<Definition>,
    /// The list results, if whole ones were seen, by source.
    pub(crate) pages: Vec<usize>,
    pub(crate) discover: Option<usize>,
    /// What probes brought to light.
    pub(crate) heard: Vec<Heard>,
}

/// An exchange, and the documents that are its messages.
#[derive(Debug, Clone)]
pub(crate) struct Heard {
    pub(crate) exchange: Exchange,
    pub(crate) sent: usize,
    pub(crate) received: Vec<usize>,
}

/// A document as it is shown.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) text: String,
    /// Whether line breaks were put in, so that lines are not those of the file.
    pub(crate) reflowed: bool,
    /// Where its lines begin.
    pub(crate) lines: Vec<usize>,
    pub(crate) root: Node,
    /// Whether it is JSON; a message of an exchange need not be.
    pub(crate) json: bool,
}

/// One definition.
#[derive(Debug, Clone)]
pub(crate) struct Definition {
    pub(crate) source: usize,
    pub(crate) node: Node,
}

/// Why there is nothing to check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactsError {
    name: String,
    what: String,
}

impl FactsError {
    pub(crate) fn new(name: &str, what: String) -> Self {
        Self { name: name.to_owned(), what }
    }
}

impl fmt::Display for FactsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.what)
    }
}

impl std::error::Error for FactsError {}

impl ServerFacts {
    /// Reads definitions: `{"tools": [...]}`, a bare array, or a whole `tools/list` result (or the message around it).
    /// `name` is what reports call the document, such as its path.
    ///
    /// # Errors
    /// When the text isn't JSON, or holds no list of tools.
    pub fn from_definitions(name: &str, text: &str) -> Result<Self, FactsError> {
        Self::from_pages([(name, text)])
    }

    /// Reads the pages of a list, each as for [`from_definitions`](Self::from_definitions).
    ///
    /// # Errors
    /// When a text isn't JSON, or holds no list of tools.
    pub fn from_pages<'a>(pages: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, FactsError> {
        let mut facts =
            Self { sources: Vec::new(), definitions: Vec::new(), pages: Vec::new(), discover: None, heard: Vec::new() };
        for (name, text) in pages {
            let source = facts.add(name, text)?;
            let root = facts.sources[source].result();
            let Some(tools) = Some(root).filter(|root| root.is_array()).or_else(|| root.get("tools")) else {
                return Err(FactsError { name: name.to_owned(), what: "there are no `tools`; a definitions file is {\"tools\": [...]}, an array, or the result of tools/list".to_owned() });
            };
            if !tools.is_array() {
                let what = format!("`tools` is {}, not an array", tools.kind());
                return Err(FactsError { name: name.to_owned(), what });
            }
            let definitions = tools.items().iter().map(|node| Definition { source, node: node.clone() });
            // A result of this revision gives itself away; `{"tools": [...]}` may be anybody's notes.
            let whole = ["resultType", "ttlMs", "cacheScope"].iter().any(|name| root.get(name).is_some());
            facts.definitions.extend(definitions);
            facts.pages.extend(whole.then_some(source));
        }
        Ok(facts)
    }

    /// Adds the result of `server/discover` (or of `initialize`), or the message around it.
    ///
    /// # Errors
    /// When the text isn't a JSON object.
    pub fn with_discover(mut self, name: &str, text: &str) -> Result<Self, FactsError> {
        let source = self.add(name, text)?;
        if !self.sources[source].root.is_object() {
            let what = format!("{} is no discover result", self.sources[source].root.kind());
            return Err(FactsError { name: name.to_owned(), what });
        }
        self.discover = Some(source);
        Ok(self)
    }

    /// Adds what went over the wire when the server was probed.
    #[must_use]
    pub fn with_exchanges(mut self, exchanges: impl IntoIterator<Item = Exchange>) -> Self {
        for exchange in exchanges {
            let title = format!("probe {}", exchange.title());
            let sent = self.message(&format!("{title}, sent"), &exchange.sent);
            let received = exchange.received.iter().map(|text| self.message(&format!("{title}, received"), text));
            let received = received.collect();
            self.heard.push(Heard { exchange, sent, received });
        }
        self
    }

    /// Adds a message, whatever it is.
    fn message(&mut self, name: &str, text: &str) -> usize {
        self.add(name, text).unwrap_or_else(|_| {
            let root = Node { value: json::Value::Unread, span: 0..text.len().min(1) };
            self.put(name, text.to_owned(), false, root, false)
        })
    }

    fn add(&mut self, name: &str, text: &str) -> Result<usize, FactsError> {
        let reflowed = json::reflow(text);
        let text = reflowed.as_deref().unwrap_or(text);
        let root = json::read(text)
            .map_err(|error| FactsError { name: name.to_owned(), what: format!("not JSON: {error}") })?;
        Ok(self.put(name, text.to_owned(), reflowed.is_some(), root, true))
    }

    fn put(&mut self, name: &str, text: String, reflowed: bool, root: Node, json: bool) -> usize {
        let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        let lines = std::iter::once(0).chain(breaks).collect();
        self.sources.push(Arc::new(Source { name: name.to_owned(), text, reflowed, lines, root, json }));
        self.sources.len() - 1
    }
}

impl Source {
    /// The result, without the message around it.
    pub(crate) fn result(&self) -> &Node {
        let in_message = self.root.get("result").filter(|_| self.root.get("jsonrpc").is_some());
        in_message.unwrap_or(&self.root)
    }
}

/// A place in a document that was observed.
#[derive(Debug, Clone)]
pub(crate) struct Place<'a> {
    pub(crate) source: usize,
    pub(crate) span: Range<usize>,
    pub(crate) way: Way<'a>,
}

/// How to get to a place. Working it out takes time: it is left until the place is reported.
#[derive(Debug, Clone)]
pub(crate) enum Way<'a> {
    /// From the definition to what stands there.
    Within(&'a Node, Range<usize>),
    /// By this member.
    Member(&'static str),
    /// The whole.
    Root,
}

impl Place<'_> {
    /// A JSON Pointer into the definition, or into the result for what isn't one tool's.
    pub(crate) fn pointer(&self) -> String {
        match &self.way {
            Way::Within(root, span) => root.pointer_to(span),
            Way::Member(name) => format!("/{name}"),
            Way::Root => String::new(),
        }
    }
}
