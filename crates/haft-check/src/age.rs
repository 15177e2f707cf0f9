//! How old a rule's source is.

use std::time::{Duration, SystemTime};

use crate::rule::Rule;

const DAY: u64 = 24 * 60 * 60;

impl Rule {
    /// How old the source is at `now`; nothing if it is of a later day.
    #[must_use]
    pub fn age(&self, now: SystemTime) -> Duration {
        let since_epoch = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let read = days_since_1970(self.date).unwrap_or_default();
        since_epoch.saturating_sub(Duration::from_secs(read * DAY))
    }
}

/// The days from 1970 to a date such as `2026-07-28`.
pub(crate) fn days_since_1970(date: &str) -> Option<u64> {
    let mut parts = date.splitn(3, '-').map(|part| part.parse::<u64>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    (1..=12).contains(&month).then_some(())?;
    // Years that begin in March have their leap day at the end.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year.checked_sub(1)?, month + 9) };
    let before = year.checked_mul(365)? + year / 4 - year / 100 + year / 400;
    (1..=31).contains(&day).then_some(())?;
    (before + (153 * month + 2) / 5 + day).checked_sub(719_469)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_counted_from_1970() {
        assert_eq!(days_since_1970("1970-01-01"), Some(0));
        assert_eq!(days_since_1970("1970-03-01"), Some(59));
        assert_eq!(days_since_1970("2000-02-29"), Some(11_016));
        assert_eq!(days_since_1970("2026-11-30"), Some(20_787));
        for wrong in ["", "2026", "2026-13-01", "2026-01-32", "99999999999999999999-01-01", "1969-12-31"] {
            assert_eq!(days_since_1970(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_source_of_tomorrow_is_not_old() {
        let rule = Rule { date: "2026-07-28", ..Rule::BASE };
        let at = |days: u64| SystemTime::UNIX_EPOCH + Duration::from_secs(days * DAY);
        assert_eq!(rule.age(at(20_000)), Duration::ZERO);
        assert_eq!(rule.age(at(20_787)), Duration::from_secs(125 * DAY));
    }
}
