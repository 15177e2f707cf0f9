//! A tool's definition as rules see it.

use std::ops::Range;

use crate::facts::{Definition, Place, Way};
use crate::json::{Member, Node, Value};
use crate::schema::{Part, Schema};

/// One definition.
pub(crate) struct Tool<'a> {
    /// Its position in the list.
    pub(crate) index: usize,
    pub(crate) node: &'a Node,
    source: usize,
    input: Option<Schema<'a>>,
    output: Option<Schema<'a>>,
    texts: Vec<Said<'a>>,
}

/// A text somewhere in a definition: a string, or a member's name.
pub(crate) struct Said<'a> {
    pub(crate) text: &'a str,
    pub(crate) span: &'a Range<usize>,
}

/// How many texts of one definition are looked at.
const MOST_TEXTS: usize = 50_000;

impl<'a> Tool<'a> {
    pub(crate) fn new(index: usize, definition: &'a Definition) -> Self {
        let node = &definition.node;
        let schema = |part: Part| node.get(part.name()).map(|root| Schema::new(root, part));
        let (source, texts) = (definition.source, texts_of(node));
        Self { index, node, source, input: schema(Part::Input), output: schema(Part::Output), texts }
    }

    pub(crate) fn name(&self) -> Option<&'a str> {
        self.node.get("name").and_then(Node::as_str)
    }

    /// The description, `""` where there is none.
    pub(crate) fn description(&self) -> &'a str {
        self.node.get("description").and_then(Node::as_str).unwrap_or_default()
    }

    /// The title, wherever it is.
    pub(crate) fn title(&self) -> Option<&'a str> {
        let annotated = || self.node.find(&["annotations", "title"]);
        self.node.get("title").or_else(annotated).and_then(Node::as_str)
    }

    /// `inputSchema`, if it is there, whatever it is.
    pub(crate) fn input(&self) -> Option<&Schema<'a>> {
        self.input.as_ref()
    }

    /// `outputSchema`, if it is there, whatever it is.
    pub(crate) fn output(&self) -> Option<&Schema<'a>> {
        self.output.as_ref()
    }

    /// Both.
    pub(crate) fn schemas(&self) -> impl Iterator<Item = &Schema<'a>> {
        self.input.iter().chain(&self.output)
    }

    /// A hint, if it is a boolean.
    pub(crate) fn hint(&self, name: &str) -> Option<bool> {
        self.node.find(&["annotations", name]).and_then(Node::as_bool)
    }

    /// Every string of the definition and every name of a member.
    pub(crate) fn texts(&self) -> &[Said<'a>] {
        &self.texts
    }

    /// The place of what a path of names leads to; where there is nothing, of the last thing on the way.
    pub(crate) fn place(&self, path: &[&str]) -> Place<'a> {
        let mut node = self.node;
        for name in path {
            match node.get(name) {
                Some(member) => node = member,
                None => break,
            }
        }
        self.at(node)
    }

    /// The place of a value in this definition.
    pub(crate) fn at(&self, node: &Node) -> Place<'a> {
        Place { source: self.source, span: opening(node), way: Way::Within(self.node, node.span.clone()) }
    }

    /// The place of a keyword in a schema of this definition, or of the schema where it hasn't got it.
    pub(crate) fn place_of(&self, node: &Node, keyword: &str) -> Place<'a> {
        self.at(node.get(keyword).unwrap_or(node))
    }

    /// The place of a member's name.
    pub(crate) fn at_name(&self, member: &Member) -> Place<'a> {
        let span = member.name_span.clone();
        Place { source: self.source, span: span.clone(), way: Way::Within(self.node, span) }
    }

    pub(crate) fn at_text(&self, said: &Said<'_>) -> Place<'a> {
        Place { source: self.source, span: said.span.clone(), way: Way::Within(self.node, said.span.clone()) }
    }
}

/// The part of a value to point at: of what may be long, the bracket is enough.
pub(crate) fn opening(node: &Node) -> Range<usize> {
    match node.value {
        Value::Object(_) | Value::Array(_) | Value::Unread => node.span.start..node.span.start + 1,
        _ => node.span.clone(),
    }
}

/// Every string in a value and every name of a member, as far as anybody looks.
pub(crate) fn texts_of(node: &Node) -> Vec<Said<'_>> {
    let mut texts = Vec::new();
    collect(node, &mut texts);
    texts
}

fn collect<'a>(node: &'a Node, texts: &mut Vec<Said<'a>>) {
    if texts.len() >= MOST_TEXTS {
        return;
    }
    match &node.value {
        Value::String(text) => texts.push(Said { text: &text.kept, span: &node.span }),
        Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Value::Object(members) => {
            for member in members {
                texts.push(Said { text: &member.name, span: &member.name_span });
                collect(&member.node, texts);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Unread => {}
    }
}
