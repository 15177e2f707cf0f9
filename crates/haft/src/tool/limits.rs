use std::time::Duration;

/// How often one caller may call one tool: a number of calls a second, and how many of them may come at once.
///
/// It holds for authenticated callers, each by itself. Callers on stdio and in memory are one with the server, and
/// anonymous ones can't be told apart: neither is counted.
///
/// ```
/// use haft::RateLimit;
///
/// let careful = RateLimit::per_second(1).burst(30);
/// # let _ = careful;
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    pub(crate) per_second: u32,
    pub(crate) burst: u32,
}

impl RateLimit {
    /// The most calls a second that can be counted.
    pub(crate) const MOST: u32 = 1_000_000;

    /// This many calls a second, in the long run and at once; from 1 to 1,000,000.
    pub const fn per_second(calls: u32) -> Self {
        Self { per_second: calls, burst: calls }
    }

    /// How many calls may come at once after a pause; at least 1.
    #[must_use]
    pub const fn burst(mut self, calls: u32) -> Self {
        self.burst = calls;
        self
    }
}

/// What calls of a tool may take. A tool says it for itself, a server for all tools that don't.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    pub rate: Option<RateLimit>,
    pub concurrency: Option<usize>,
    pub timeout: Option<Duration>,
    pub max_result: Option<usize>,
}

impl Limits {
    /// What can't be meant.
    pub(crate) fn problems(&self) -> impl Iterator<Item = String> {
        let rate = self.rate.map(|rate| {
            let most = RateLimit::MOST;
            let good = (1..=most).contains(&rate.per_second) && rate.burst > 0;
            (good, format!("a rate limit must be from 1 to {most} calls a second, with a burst of at least 1"))
        });
        let zero = |good: bool, what: &str| (good, format!("{what} of 0 lets no call through; leave it out"));
        let concurrency = self.concurrency.map(|calls| zero(calls > 0, "a concurrency"));
        let timeout = self.timeout.map(|timeout| zero(!timeout.is_zero(), "a time limit"));
        let max_result = self.max_result.map(|bytes| zero(bytes > 0, "a result size"));
        [rate, concurrency, timeout, max_result].into_iter().flatten().filter_map(|(good, why)| (!good).then_some(why))
    }

    /// These, and where one isn't said, that of `others`.
    pub(crate) fn or(self, others: &Limits) -> Limits {
        Limits {
            rate: self.rate.or(others.rate),
            concurrency: self.concurrency.or(others.concurrency),
            timeout: self.timeout.or(others.timeout),
            max_result: self.max_result.or(others.max_result),
        }
    }
}
