//! What keeps a server from being built, and the checks that all it offers have in common.

use std::collections::HashMap;
use std::fmt;

use haft_schema::Problem;
use haft_wire::{Icon, meta};
use serde_json::{Map, Value};

/// Everything that keeps a server from being built.
#[derive(Debug, Clone)]
pub struct BuildError {
    pub(super) problems: Vec<BuildProblem>,
}

/// One problem of one tool, resource, resource template or prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct BuildProblem {
    /// The name of the tool or prompt, the URI of the resource, the URI template; empty where the server itself is
    /// meant.
    pub subject: String,
    /// Where the subject is written, as `file:line`.
    pub source: String,
    /// The rule, as `#[tool(allow(…))]` would name it where it may be waived.
    pub rule: String,
    /// What is wrong, and what to write instead.
    pub message: String,
}

impl BuildError {
    /// The problems: of the server, then of the tools, resources, templates and prompts, each in their order.
    pub fn problems(&self) -> &[BuildProblem] {
        &self.problems
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write("the server cannot be built", f)
    }
}

impl BuildError {
    /// What failed, and every problem on a line of its own.
    pub(super) fn write(&self, what: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.problems.len();
        write!(f, "{what}: {count} problem{}", if count == 1 { "" } else { "s" })?;
        for problem in &self.problems {
            write!(f, "\n- ")?;
            if !problem.subject.is_empty() {
                write!(f, "{} ({}): ", problem.subject, problem.source)?;
            }
            write!(f, "{} [{}]", problem.message, problem.rule)?;
        }
        Ok(())
    }
}

impl std::error::Error for BuildError {}

/// The problem when something can't be written as JSON.
pub(super) fn unwritable(error: serde_json::Error) -> BuildError {
    let message = format!("the server's description cannot be written as JSON: {error}");
    let (subject, source, rule) = (String::new(), String::new(), "encoding".into());
    BuildError { problems: vec![BuildProblem { subject, source, rule, message }] }
}

/// Where problems of one subject go.
pub(super) struct Sink<'a> {
    pub(super) subject: &'a str,
    pub(super) place: &'a str,
    pub(super) problems: &'a mut Vec<BuildProblem>,
}

impl Sink<'_> {
    pub(super) fn push(&mut self, rule: &str, message: impl Into<String>) {
        self.problems.push(BuildProblem {
            subject: self.subject.to_owned(),
            source: self.place.to_owned(),
            rule: rule.to_owned(),
            message: message.into(),
        });
    }

    pub(super) fn extend(&mut self, what: &str, problems: Vec<Problem>) {
        for problem in problems {
            let place = if problem.place.is_empty() { String::new() } else { format!(" at {}", problem.place) };
            self.push(problem.rule, format!("{what}{place}: {}", problem.message));
        }
    }

    /// The name by which clients ask for it.
    pub(super) fn check_name(&mut self, kind: &str, name: &str) {
        if !is_name(name) {
            let message = format!("a {kind}'s name has 1 to 128 letters, digits, `_`, `-` or `.` (ASCII); rename it");
            self.push("name", message);
        }
    }

    pub(super) fn check_icons(&mut self, icons: &[Icon]) {
        for message in icons.iter().filter_map(|icon| icon_problem(&icon.src)) {
            self.push("icon", message);
        }
    }

    pub(super) fn check_meta(&mut self, members: &Map<String, Value>) {
        for key in members.keys().filter(|key| !meta::is_valid_key(key)) {
            self.push("meta", format!("`{key}` is not a valid `_meta` key; write one such as `com.example/{{name}}`"));
        }
    }
}

/// Reports every subject that has the key of an earlier one. `subjects` are keys and places.
pub(super) fn check_unique<'a>(
    kind: &str,
    key: &str,
    rule: &str,
    subjects: impl Iterator<Item = (&'a str, &'a str)>,
    problems: &mut Vec<BuildProblem>,
) {
    let mut first: HashMap<&str, &str> = HashMap::new();
    for (subject, place) in subjects {
        if let Some(other) = first.get(subject) {
            let message = format!("there is already a {kind} of this {key} ({other}); rename one of them");
            Sink { subject, place, problems }.push(rule, message);
        } else {
            first.insert(subject, place);
        }
    }
}

pub(super) fn is_name(name: &str) -> bool {
    let charset = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    !name.is_empty() && name.len() <= 128 && name.chars().all(charset)
}

/// spec: `basic/index#icons`
pub(super) fn icon_problem(src: &str) -> Option<String> {
    let scheme = src.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    match scheme.as_deref() {
        Some("https" | "data") => None,
        _ => Some(format!("hosts must refuse the icon `{src}`; give an `https:` or `data:` URI")),
    }
}
