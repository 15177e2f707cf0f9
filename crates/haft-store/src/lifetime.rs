use std::time::Duration;

use crate::clock::span;

/// How long an entry lives. Without an end, unless it is given one.
///
/// Times are kept in milliseconds. An entry that has expired is gone for every operation at that moment; when its space is
/// freed is for the store to say.
///
/// ```
/// use std::time::Duration;
///
/// use haft_store::Lifetime;
///
/// // A day after its last use, and a month in any case.
/// let lifetime = Lifetime::after(Duration::from_secs(30 * 86_400)).unused(Duration::from_secs(86_400));
/// assert_eq!(lifetime.idle(), Some(Duration::from_secs(86_400)));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Lifetime {
    pub(crate) total: Option<Duration>,
    pub(crate) idle: Option<Duration>,
}

impl Lifetime {
    /// No end: the entry stays until it is deleted.
    pub const FOREVER: Self = Self { total: None, idle: None };

    /// Ends so long after it began: when the entry was created, or when [`Set::lifetime`](crate::Set::lifetime) gave it
    /// another lifetime.
    pub const fn after(total: Duration) -> Self {
        Self { total: Some(total), idle: None }
    }

    /// Ends so long after the entry's last use, or earlier where [`Lifetime::after`] says so.
    ///
    /// Uses are [`Store::touch`](crate::Store::touch) and [`Store::compare_and_set`](crate::Store::compare_and_set). Not
    /// every one is written down: an unused entry lives as long as this says, and at most a sixteenth longer.
    #[must_use]
    pub const fn unused(mut self, idle: Duration) -> Self {
        self.idle = Some(idle);
        self
    }

    /// How long after its beginning it ends.
    pub const fn total(&self) -> Option<Duration> {
        self.total
    }

    /// How long after the last use it ends.
    pub const fn idle(&self) -> Option<Duration> {
        self.idle
    }
}

/// A lifetime that began, as stores keep it: all in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Running {
    /// When the entry ends, however much it is used.
    pub(crate) end: Option<u64>,
    /// How long after its last use it ends.
    pub(crate) idle: Option<u64>,
    /// When it ends unless it is used before.
    pub(crate) expires: Option<u64>,
}

impl Running {
    pub(crate) fn begin(lifetime: Lifetime, now: u64) -> Self {
        let end = lifetime.total.map(|total| now.saturating_add(span(total)));
        let mut running = Self { end, idle: lifetime.idle.map(span), expires: None };
        running.expires = running.expires_when_used(now);
        running
    }

    pub(crate) fn is_over(&self, now: u64) -> bool {
        self.expires.is_some_and(|expires| expires <= now)
    }

    /// Whether a use at this time has to be written down: what is there already would end too early.
    pub(crate) fn needs_touch(&self, now: u64) -> bool {
        let Some(idle) = self.idle else { return false };
        let least = now.saturating_add(idle);
        let least = self.end.map_or(least, |end| end.min(least));
        self.expires.is_some_and(|expires| expires < least)
    }

    pub(crate) fn touch(&mut self, now: u64) {
        self.expires = self.expires_when_used(now);
    }

    fn expires_when_used(&self, now: u64) -> Option<u64> {
        let unused = self.idle.map(|idle| now.saturating_add(idle).saturating_add(idle / 16));
        match (self.end, unused) {
            (Some(end), Some(unused)) => Some(end.min(unused)),
            (end, unused) => end.or(unused),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_are_written_down_only_when_they_matter() {
        let mut running = Running::begin(Lifetime::FOREVER.unused(Duration::from_millis(160)), 1_000);
        assert_eq!(running.expires, Some(1_170));
        assert!(!running.needs_touch(1_010));
        assert!(running.needs_touch(1_011));
        running.touch(1_011);
        assert_eq!(running.expires, Some(1_181));
    }

    #[test]
    fn no_use_goes_past_the_end() {
        let lifetime = Lifetime::after(Duration::from_millis(100)).unused(Duration::from_millis(64));
        let mut running = Running::begin(lifetime, 0);
        assert_eq!(running.expires, Some(68));
        running.touch(60);
        assert_eq!(running.expires, Some(100));
        assert!(!running.needs_touch(99), "there is nothing to gain");
        assert!(!running.is_over(99) && running.is_over(100));
    }

    #[test]
    fn the_longest_durations_are_taken() {
        let running = Running::begin(Lifetime::after(Duration::MAX).unused(Duration::MAX), 5);
        assert!(!running.is_over(u64::from(u32::MAX)));
    }
}
