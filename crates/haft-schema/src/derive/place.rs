//! Where in a type something stands: a pointer for programs, a path for the tool's author.

use crate::Problem;

/// A place inside a schema while it is walked.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    /// JSON pointer into the schema.
    schema: String,
    /// JSON pointer into an instance; `*` stands for any element or key.
    instance: String,
}

impl Place {
    pub(super) fn root() -> Place {
        Place::default()
    }

    /// The root of a definition that recursive types refer to, which isn't the root of the arguments.
    pub(super) fn in_definition() -> Place {
        Place { schema: "/$defs".to_owned(), instance: String::new() }
    }

    pub(super) fn property(&self, name: &str) -> Place {
        self.step(&format!("/properties/{}", escape(name)), &format!("/{}", escape(name)))
    }

    pub(super) fn items(&self) -> Place {
        self.step("/items", "/*")
    }

    pub(super) fn values(&self) -> Place {
        self.step("/additionalProperties", "/*")
    }

    pub(super) fn keyword(&self, keyword: &str, index: usize) -> Place {
        self.step(&format!("/{}/{index}", escape(keyword)), "")
    }

    pub(super) fn is_root(&self) -> bool {
        self.schema.is_empty()
    }

    /// JSON pointer into the schema.
    pub(super) fn pointer(&self) -> &str {
        &self.schema
    }

    /// "the argument `order`", "the value at `order/lines/*`" or "the value" (for the root).
    pub(super) fn subject(&self) -> String {
        match self.instance.strip_prefix('/') {
            None => "the value".to_owned(),
            Some(path) if path.contains('/') => format!("the value at `{path}`"),
            Some(name) => format!("the argument `{name}`"),
        }
    }

    pub(super) fn problem(&self, rule: &'static str, message: impl Into<String>) -> Problem {
        Problem::new(rule, self.schema.as_str(), message)
    }

    fn step(&self, schema: &str, instance: &str) -> Place {
        Place { schema: format!("{}{schema}", self.schema), instance: format!("{}{instance}", self.instance) }
    }
}

/// One segment of a JSON pointer.
pub(crate) fn escape(segment: &str) -> String {
    segment.replace('~', "~0").replace('/', "~1")
}
