use std::fmt;

use serde::{Deserialize, Serialize};

/// A set of scopes, in the order in which they were first named.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Scopes(Vec<String>);

impl Scopes {
    /// Those of a `scope` parameter.
    pub(super) fn parse(text: &str) -> Self {
        text.split(' ').filter(|scope| !scope.is_empty()).collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn has(&self, scope: &str) -> bool {
        self.0.iter().any(|known| known == scope)
    }

    pub(super) fn has_all(&self, other: &Self) -> bool {
        other.0.iter().all(|scope| self.has(scope))
    }

    pub(super) fn add(&mut self, scope: &str) {
        if !self.has(scope) {
            self.0.push(scope.to_owned());
        }
    }

    pub(super) fn union(mut self, other: &Self) -> Self {
        other.0.iter().for_each(|scope| self.add(scope));
        self
    }
}

impl<S: AsRef<str>> FromIterator<S> for Scopes {
    fn from_iter<I: IntoIterator<Item = S>>(scopes: I) -> Self {
        let mut all = Self::default();
        scopes.into_iter().for_each(|scope| all.add(scope.as_ref()));
        all
    }
}

/// As a `scope` parameter.
impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(" "))
    }
}
