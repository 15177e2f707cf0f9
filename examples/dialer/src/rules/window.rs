//! When people may be called: between 8 in the morning and 9 in the evening, wherever the number may ring.

use jiff::civil::Time;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, Unit};

use crate::number::PhoneNumber;
use crate::refusal::Refusal;

const OPENS: Time = jiff::civil::time(8, 0, 0, 0);
const CLOSES: Time = jiff::civil::time(21, 0, 0, 0);
/// How far the next chance is looked for.
const AHEAD: SignedDuration = SignedDuration::from_hours(48);
/// Time zones differ by multiples of this.
const STEP: SignedDuration = SignedDuration::from_mins(15);

/// Whether it is day in all of these zones.
///
/// # Errors
/// Where it isn't, with the zone that says so and the next time at which all agree.
pub(super) fn check(to: &PhoneNumber, zones: &[TimeZone], now: Timestamp) -> Result<(), Refusal> {
    let Some(shut) = zones.iter().find(|zone| !is_open(zone, now)) else { return Ok(()) };
    let local = shut.to_datetime(now);
    let name = shut.iana_name().unwrap_or("their time zone");
    let certain = if zones.len() == 1 { "" } else { ", where it may ring" };
    let here = format!("it is {} in {name}{certain}", local.strftime("%H:%M"));
    Err(Refusal::OutsideWindow { to: to.clone(), here, next: next(zones, now) })
}

fn is_open(zone: &TimeZone, at: Timestamp) -> bool {
    let time = zone.to_datetime(at).time();
    OPENS <= time && time < CLOSES
}

/// When it is day in all of them for the first time.
fn next(zones: &[TimeZone], now: Timestamp) -> Option<Timestamp> {
    let whole = now.round((Unit::Minute, 15)).ok()?;
    let first = if whole > now { whole } else { whole.checked_add(STEP).ok()? };
    let end = now.checked_add(AHEAD).ok()?;
    let mut at = first;
    while at <= end {
        if zones.iter().all(|zone| is_open(zone, at)) {
            return Some(at);
        }
        at = at.checked_add(STEP).ok()?;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zones::Zones;

    /// The next chance, or nothing if the number may be called at once.
    fn refused(to: &str, now: &str) -> Option<String> {
        let to = PhoneNumber::parse(to).expect("a number");
        let zones = Zones::new().expect("the table");
        match check(&to, zones.of(&to).expect("known"), now.parse().expect("a time")) {
            Ok(()) => None,
            Err(Refusal::OutsideWindow { next, .. }) => Some(next.map_or("never".into(), |next| next.to_string())),
            Err(other) => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_window_is_that_of_the_callee() {
        // 07:59, 08:00, 20:59 and 21:00 in Berlin, in winter.
        assert_eq!(refused("+4930123456", "2026-12-01T06:59:00Z").as_deref(), Some("2026-12-01T07:00:00Z"));
        assert_eq!(refused("+4930123456", "2026-12-01T07:00:00Z"), None);
        assert_eq!(refused("+4930123456", "2026-12-01T19:59:59Z"), None);
        assert_eq!(refused("+4930123456", "2026-12-01T20:00:00Z").as_deref(), Some("2026-12-02T07:00:00Z"));
    }

    #[test]
    fn summer_time_counts_on_the_day_it_begins() {
        // In the night of 29 March 2027 clocks in Berlin have been an hour ahead for a day; on the 27th they are not.
        assert_eq!(refused("+4930123456", "2027-03-27T06:30:00Z").as_deref(), Some("2027-03-27T07:00:00Z"));
        assert_eq!(refused("+4930123456", "2027-03-28T06:30:00Z"), None);
    }

    #[test]
    fn where_a_code_spans_zones_all_of_them_must_agree() {
        // The Florida panhandle: eight in Tallahassee is seven in Pensacola, and nine there is ten.
        assert_eq!(refused("+18505550123", "2026-12-01T13:30:00Z").as_deref(), Some("2026-12-01T14:00:00Z"));
        assert_eq!(refused("+18505550123", "2026-12-01T14:00:00Z"), None);
        assert_eq!(refused("+18505550123", "2026-12-02T02:00:00Z").as_deref(), Some("2026-12-02T14:00:00Z"));
        // Russia's mobile numbers: eleven zones leave three hours.
        assert_eq!(refused("+79161234567", "2026-12-01T05:59:00Z").as_deref(), Some("2026-12-01T06:00:00Z"));
        assert_eq!(refused("+79161234567", "2026-12-01T08:59:00Z"), None);
        assert_eq!(refused("+79161234567", "2026-12-01T09:00:00Z").as_deref(), Some("2026-12-02T06:00:00Z"));
    }

    #[test]
    fn zones_off_the_hour_count() {
        // Nepal is 5:45 ahead.
        assert_eq!(refused("+97714123456", "2026-12-01T02:14:00Z").as_deref(), Some("2026-12-01T02:15:00Z"));
        assert_eq!(refused("+97714123456", "2026-12-01T02:15:00Z"), None);
    }
}
