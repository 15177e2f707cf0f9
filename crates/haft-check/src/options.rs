//! What to check for.

use crate::allowance::Allowance;
use crate::baseline::Baseline;
use crate::host::Host;

/// What to check for.
#[derive(Debug, Clone)]
pub struct Options {
    pub(crate) hosts: Vec<Host>,
    pub(crate) server_key: Option<String>,
    pub(crate) allowed: Vec<String>,
    pub(crate) allowances: Vec<Allowance>,
    pub(crate) baseline: Baseline,
    pub(crate) verbose: bool,
}

/// The length of the name that a user gives a server, unless it is known.
const USUAL_KEY: usize = 16;

impl Default for Options {
    /// The portable profile.
    fn default() -> Self {
        Self {
            hosts: vec![Host::Portable],
            server_key: None,
            allowed: Vec::new(),
            allowances: Vec::new(),
            baseline: Baseline::default(),
            verbose: false,
        }
    }
}

impl Options {
    /// Checks the rules of these hosts. The specification's, quality and safety rules are always checked.
    #[must_use]
    pub fn hosts(mut self, hosts: impl IntoIterator<Item = Host>) -> Self {
        self.hosts = hosts.into_iter().collect();
        self.hosts.sort_unstable();
        self.hosts.dedup();
        self
    }

    /// The name under which users add the server, for hosts that put it before each tool's. Unless it is set, a name of 16
    /// characters is reckoned with.
    #[must_use]
    pub fn server_key(mut self, key: impl Into<String>) -> Self {
        self.server_key = Some(key.into());
        self
    }

    /// Leaves out a rule.
    #[must_use]
    pub fn allow(mut self, rule: impl Into<String>) -> Self {
        self.allowed.push(rule.into());
        self
    }

    /// Leaves out what an allowance covers. Whether it has expired is for the caller to see.
    #[must_use]
    pub fn allowance(mut self, allowance: Allowance) -> Self {
        self.allowances.push(allowance);
        self
    }

    /// Leaves out what an earlier report had.
    #[must_use]
    pub fn baseline(mut self, baseline: Baseline) -> Self {
        self.baseline = baseline;
        self
    }

    /// Has the report show every exchange of the probes: text at its end, JSON as `exchanges`.
    #[must_use]
    pub fn verbose(mut self, verbose: bool) -> Self {
        self.verbose = verbose;
        self
    }

    /// The length of the server's name in characters.
    pub(crate) fn key_length(&self) -> usize {
        self.server_key.as_ref().map_or(USUAL_KEY, |key| key.chars().count())
    }
}
