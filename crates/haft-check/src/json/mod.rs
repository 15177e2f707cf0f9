//! A JSON document with the place of every value in its text.

mod read;
mod reflow;

use std::ops::Range;

pub(crate) use read::read;
pub(crate) use reflow::reflow;

/// The most levels of arrays and objects that are read.
pub(crate) const MAX_DEPTH: usize = 200;
/// The most values that are read.
const MAX_VALUES: usize = 1_000_000;
/// How much of one string is kept, in bytes. Its lengths are those of the whole.
pub(crate) const KEPT_BYTES: usize = 64 << 10;

/// The longest pointer that is written out.
const LONGEST_POINTER: usize = 2_000;

/// A value and where it stands, in bytes of the text.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) value: Value,
    pub(crate) span: Range<usize>,
}

#[derive(Debug, Clone)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    /// As it is spelled.
    Number(Box<str>),
    String(Text),
    Array(Vec<Node>),
    /// In the order of the text, names that occur twice included.
    Object(Vec<Member>),
    /// Left aside, since the document is deeper or larger than anybody needs.
    Unread,
}

#[derive(Debug, Clone)]
pub(crate) struct Member {
    pub(crate) name: Box<str>,
    pub(crate) name_span: Range<usize>,
    pub(crate) node: Node,
}

/// A string: its first 64 KiB, and how long all of it is.
#[derive(Debug, Clone)]
pub(crate) struct Text {
    pub(crate) kept: Box<str>,
    pub(crate) bytes: usize,
    pub(crate) chars: usize,
    pub(crate) utf16: usize,
}

impl Node {
    /// The member of this name; the last one, as most parsers have it.
    pub(crate) fn get(&self, name: &str) -> Option<&Node> {
        self.members().iter().rev().find(|member| &*member.name == name).map(|member| &member.node)
    }

    /// The member at the end of a path of names.
    pub(crate) fn find(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(self, |node, name| node.get(name))
    }

    pub(crate) fn members(&self) -> &[Member] {
        match &self.value {
            Value::Object(members) => members,
            _ => &[],
        }
    }

    pub(crate) fn items(&self) -> &[Node] {
        match &self.value {
            Value::Array(items) => items,
            _ => &[],
        }
    }

    /// The string; of a long one the first 64 KiB.
    pub(crate) fn as_str(&self) -> Option<&str> {
        self.as_text().map(|text| &*text.kept)
    }

    pub(crate) fn as_text(&self) -> Option<&Text> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn as_bool(&self) -> Option<bool> {
        match self.value {
            Value::Bool(value) => Some(value),
            _ => None,
        }
    }

    pub(crate) fn as_f64(&self) -> Option<f64> {
        match &self.value {
            Value::Number(text) => text.parse().ok(),
            _ => None,
        }
    }

    pub(crate) fn is_object(&self) -> bool {
        matches!(self.value, Value::Object(_))
    }

    pub(crate) fn is_array(&self) -> bool {
        matches!(self.value, Value::Array(_))
    }

    /// What it is, in a word with its article.
    pub(crate) fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "an array",
            Value::Object(_) => "an object",
            Value::Unread => "too deep to be read",
        }
    }

    /// The way from here to what stands at `span`, as a JSON Pointer.
    pub(crate) fn pointer_to(&self, span: &Range<usize>) -> String {
        let holds = |outer: &Range<usize>| outer.start <= span.start && span.end <= outer.end;
        let mut pointer = String::new();
        let mut node = self;
        while node.span != *span && pointer.len() < LONGEST_POINTER {
            let mut members = node.members().iter();
            let step = match members.find(|member| holds(&member.node.span) || holds(&member.name_span)) {
                Some(member) => {
                    node = &member.node;
                    let named = holds(&member.name_span);
                    pointer.push_str(&format!("/{}", escape(&member.name)));
                    !named
                }
                None => match node.items().iter().enumerate().find(|(_, item)| holds(&item.span)) {
                    Some((index, item)) => {
                        node = item;
                        pointer.push_str(&format!("/{index}"));
                        true
                    }
                    None => false,
                },
            };
            if !step {
                break;
            }
        }
        pointer
    }

    /// The same for `serde_json`. What was left unread becomes null, and no string is longer than what was kept.
    pub(crate) fn to_value(&self) -> serde_json::Value {
        use serde_json::Value as Json;
        match &self.value {
            Value::Null | Value::Unread => Json::Null,
            Value::Bool(value) => Json::Bool(*value),
            Value::Number(text) => serde_json::from_str(text).unwrap_or_else(|_| Json::from(f64::MAX)),
            Value::String(text) => Json::from(&*text.kept),
            Value::Array(items) => items.iter().map(Node::to_value).collect(),
            Value::Object(members) => {
                let members = members.iter().map(|member| (member.name.to_string(), member.node.to_value()));
                Json::Object(members.collect())
            }
        }
    }
}

/// A name as it stands in a JSON Pointer.
pub(crate) fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
