//! How often a token is asked for before that is given up.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::scope::Scopes;

/// The authorizations for one server of late.
#[derive(Default)]
pub(super) struct Attempts {
    made: VecDeque<(Instant, Option<Scopes>)>,
    /// As many of the first of them came to something.
    forgiven: usize,
}

/// Authorizations with the same scopes, none of which came to anything.
const SAME: usize = 3;
/// Authorizations with any scopes: a server that wants another scope each time doesn't get the user for ever.
const ANY: usize = 12;
/// How long one counts.
const MEMORY: Duration = Duration::from_secs(600);

impl Attempts {
    /// Whether one more is too many.
    ///
    /// spec: `basic/authorization#step-up-authorization-flow`
    pub(super) fn allow(&mut self, scopes: Option<&Scopes>) -> Result<(), String> {
        let now = Instant::now();
        while self.made.front().is_some_and(|(when, _)| now.duration_since(*when) > MEMORY) {
            self.made.pop_front();
            self.forgiven = self.forgiven.saturating_sub(1);
        }
        let same = self.made.iter().skip(self.forgiven).filter(|(_, other)| other.as_ref() == scopes).count();
        if same >= SAME || self.made.len() >= ANY {
            let (made, minutes) = (self.made.len(), MEMORY.as_secs() / 60);
            return Err(format!(
                "{made} tokens were asked for in {minutes} minutes, and the server wants another one; it may be set up wrongly"
            ));
        }
        Ok(())
    }

    pub(super) fn count(&mut self, scopes: Option<&Scopes>) {
        self.made.push_back((Instant::now(), scopes.cloned()));
    }

    /// What was asked for so far was good for a while: only how often it was asked for counts.
    pub(super) fn forgive(&mut self) {
        self.forgiven = self.made.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_with_the_same_scopes_and_twelve_in_all() {
        let mut attempts = Attempts::default();
        let scopes = Scopes::parse("a");
        for _ in 0..SAME {
            assert!(attempts.allow(Some(&scopes)).is_ok());
            attempts.count(Some(&scopes));
        }
        assert!(attempts.allow(Some(&scopes)).is_err());
        attempts.forgive();
        assert!(attempts.allow(Some(&scopes)).is_ok());
        for count in SAME..ANY {
            let scopes = Scopes::parse(&count.to_string());
            assert!(attempts.allow(Some(&scopes)).is_ok());
            attempts.count(Some(&scopes));
        }
        assert!(attempts.allow(None).is_err());
    }
}
