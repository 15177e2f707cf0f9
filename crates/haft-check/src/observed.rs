//! Exchanges as rules see them.

use crate::exchange::{End, Exchange, Probe, Spoken};
use crate::facts::{Heard, Place, ServerFacts, Source, Way};
use crate::json::Node;
use crate::server::Server;
use crate::tool::{Tool, opening};

/// An exchange, with what came in it.
#[derive(Clone, Copy)]
pub(crate) struct Observed<'a> {
    pub(crate) index: usize,
    facts: &'a ServerFacts,
    heard: &'a Heard,
}

/// A message that came.
#[derive(Clone, Copy)]
pub(crate) struct Message<'a> {
    source: usize,
    /// The message; nothing where it isn't JSON.
    pub(crate) node: Option<&'a Node>,
    /// As it came.
    pub(crate) text: &'a str,
}

impl<'a> Observed<'a> {
    /// Those of a server, in the order in which they happened.
    pub(crate) fn all(facts: &'a ServerFacts) -> impl Iterator<Item = Self> + use<'a> {
        facts.heard.iter().enumerate().map(move |(index, heard)| Self { index, facts, heard })
    }

    pub(crate) fn exchange(&self) -> &'a Exchange {
        &self.heard.exchange
    }

    pub(crate) fn is(&self, probe: Probe) -> bool {
        self.exchange().probe == probe
    }

    pub(crate) fn detail(&self) -> &'a str {
        &self.exchange().detail
    }

    /// Whether it goes by 2026-07-28.
    pub(crate) fn is_modern(&self) -> bool {
        self.exchange().era == Spoken::Modern
    }

    /// The status, over HTTP.
    pub(crate) fn status(&self) -> Option<u16> {
        self.exchange().response.as_ref().map(|response| response.status)
    }

    /// Whether it went over HTTP.
    pub(crate) fn is_http(&self) -> bool {
        self.exchange().request.is_some()
    }

    /// A header of the answer, by its name in lower case.
    pub(crate) fn header(&self, name: &str) -> Option<&'a str> {
        let headers = &self.exchange().response.as_ref()?.headers;
        headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    pub(crate) fn messages(&self) -> impl Iterator<Item = Message<'a>> + use<'a> {
        let facts = self.facts;
        self.heard.received.iter().map(move |&source| message(facts, source))
    }

    /// The answer: the message with a result or an error.
    pub(crate) fn answer(&self) -> Option<Message<'a>> {
        self.messages().filter(Message::is_answer).last()
    }

    /// The result, if that is what came.
    pub(crate) fn result(&self) -> Option<&'a Node> {
        self.answer()?.get("result")
    }

    /// The error, if that is what came.
    pub(crate) fn error(&self) -> Option<&'a Node> {
        self.answer()?.get("error")
    }

    /// The code of the error.
    pub(crate) fn code(&self) -> Option<f64> {
        self.error()?.get("code")?.as_f64()
    }

    /// What was sent, if it is JSON.
    pub(crate) fn sent(&self) -> Option<&'a Node> {
        message(self.facts, self.heard.sent).node
    }

    /// Whether nothing answered, though something should have.
    pub(crate) fn is_unanswered(&self) -> bool {
        self.exchange().end != End::Answered && self.answer().is_none()
    }

    /// The place of what was sent.
    pub(crate) fn at_sent(&self) -> Place<'a> {
        whole(self.facts, self.heard.sent)
    }

    /// The place of a value of the answer, or of the answer, or of what was sent where there is none.
    pub(crate) fn at(&self, node: Option<&Node>) -> Place<'a> {
        match (self.answer().or_else(|| self.messages().last()), node) {
            (Some(answer), Some(node)) => answer.at(node),
            (Some(answer), None) => whole(self.facts, answer.source),
            (None, _) => self.at_sent(),
        }
    }

    /// The place of a message.
    pub(crate) fn at_message(&self, message: &Message<'a>) -> Place<'a> {
        whole(self.facts, message.source)
    }

    /// The tool that was called, as the list has it.
    pub(crate) fn tool<'s>(&self, server: &'s Server<'a>) -> Option<&'s Tool<'a>> {
        let name = self.exchange().tool.as_deref()?;
        server.tools.iter().find(|tool| tool.name() == Some(name))
    }
}

impl<'a> Message<'a> {
    pub(crate) fn get(&self, name: &str) -> Option<&'a Node> {
        self.node?.get(name)
    }

    pub(crate) fn is_answer(&self) -> bool {
        self.get("result").is_some() || self.get("error").is_some()
    }

    pub(crate) fn method(&self) -> Option<&'a str> {
        self.get("method")?.as_str()
    }

    fn at(&self, node: &Node) -> Place<'a> {
        let way = self.node.map_or(Way::Root, |root| Way::Within(root, node.span.clone()));
        Place { source: self.source, span: opening(node), way }
    }
}

fn message(facts: &ServerFacts, source: usize) -> Message<'_> {
    let Source { root, text, json, .. } = &*facts.sources[source];
    Message { source, node: json.then_some(root), text }
}

fn whole(facts: &ServerFacts, source: usize) -> Place<'_> {
    let root = &facts.sources[source].root;
    Place { source, span: opening(root), way: Way::Root }
}
