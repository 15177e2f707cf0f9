//! What a rule found, and how rules say so.

use std::ops::Range;

use crate::facts::Place;
use crate::observed::Observed;
use crate::options::Options;
use crate::rule::Rule;
use crate::server::Server;
use crate::tool::Tool;

/// How many places of one tool are listed for one rule.
const PLACES: usize = 10;

/// One way in which a definition breaks a rule.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// The tool's name, as it was sent; `None` for what isn't one tool's, and for a tool without a name.
    pub tool: Option<String>,
    /// The tool's position in the list.
    pub index: Option<usize>,
    /// Where: a JSON Pointer into the definition, or into the result for what isn't one tool's.
    pub pointer: String,
    /// What is wrong there.
    pub message: String,
    /// How many more places of the same tool break the rule.
    pub more: usize,
    /// The probe that it was found by, such as `id (0)`.
    pub probe: Option<String>,
    /// The exchange that it was found in, by its position in [`Report::exchanges`](crate::Report::exchanges).
    pub exchange: Option<usize>,
    pub(crate) source: usize,
    pub(crate) span: Range<usize>,
}

impl Finding {
    /// The tool as people know it: its name, or its position where it has none.
    #[must_use]
    pub fn subject(&self) -> String {
        match (&self.tool, self.index) {
            (Some(name), _) if !name.trim().is_empty() => name.clone(),
            (_, Some(index)) => format!("tool {} of the list", index + 1),
            _ => "the server".to_owned(),
        }
    }
}

/// Where a rule puts what it finds.
pub(crate) struct Found<'a> {
    rule: &'static Rule,
    pub(crate) options: &'a Options,
    tool: Option<(usize, Option<&'a str>)>,
    findings: &'a mut Vec<Finding>,
    first: usize,
}

impl<'a> Found<'a> {
    pub(crate) fn new(
        rule: &'static Rule,
        options: &'a Options,
        tool: Option<(usize, Option<&'a str>)>,
        findings: &'a mut Vec<Finding>,
    ) -> Self {
        let first = findings.len();
        Self { rule, options, tool, findings, first }
    }

    /// The threshold of the rule.
    pub(crate) fn limit(&self) -> usize {
        self.rule.limit.map_or(usize::MAX, |limit| limit.value)
    }

    /// What the threshold counts.
    pub(crate) fn unit(&self) -> &'static str {
        self.rule.limit.map_or("", |limit| limit.unit)
    }

    /// Reports a place. Past the tenth they are only counted.
    pub(crate) fn at(&mut self, place: Place<'_>, message: impl Into<String>) {
        self.put(self.tool, None, place, message.into());
    }

    /// Reports a place in an exchange; it is the tool's that was called, if there was one.
    pub(crate) fn seen<'s>(
        &mut self,
        server: &Server<'s>,
        observed: &Observed<'s>,
        place: Place<'_>,
        message: impl Into<String>,
    ) {
        let tool = observed.tool(server).map(|tool| (tool.index, tool.name()));
        self.put(tool, Some(observed), place, message.into());
    }

    /// Reports a place of a server rule that belongs to one tool.
    pub(crate) fn of(&mut self, tool: &Tool<'_>, place: Place<'_>, message: impl Into<String>) {
        self.put(Some((tool.index, tool.name())), None, place, message.into());
    }

    fn put(
        &mut self,
        tool: Option<(usize, Option<&str>)>,
        observed: Option<&Observed<'_>>,
        place: Place<'_>,
        message: String,
    ) {
        if self.findings.len() - self.first == PLACES {
            if let Some(last) = self.findings.last_mut() {
                last.more += 1;
            }
            return;
        }
        self.findings.push(Finding {
            rule: self.rule,
            tool: tool.and_then(|(_, name)| name.map(str::to_owned)),
            index: tool.map(|(index, _)| index),
            pointer: place.pointer(),
            message,
            more: 0,
            probe: observed.map(|observed| observed.exchange().title()),
            exchange: observed.map(|observed| observed.index),
            source: place.source,
            span: place.span,
        });
    }
}
