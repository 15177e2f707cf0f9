//! In which time zones a number may ring. The table is `zones.txt`; the clocks are those of the time zone database that
//! was built in.

use std::collections::HashMap;

use jiff::tz::TimeZone;

use crate::number::PhoneNumber;

const TABLE: &str = include_str!("zones.txt");

/// The table, read.
pub(crate) struct Zones {
    by_prefix: HashMap<&'static str, Vec<TimeZone>>,
    longest: usize,
}

impl Zones {
    /// Reads the table.
    ///
    /// # Errors
    /// A line of it that can't be read, or a zone that the database doesn't have.
    pub(crate) fn new() -> Result<Self, String> {
        let mut by_prefix = HashMap::new();
        for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
            let (prefixes, names) = line.split_once(" = ").ok_or_else(|| format!("zones.txt: {line:?}"))?;
            let zones: Vec<_> = names
                .split(' ')
                .map(|name| TimeZone::get(name).map_err(|error| format!("zones.txt: {name:?}: {error}")))
                .collect::<Result<_, _>>()?;
            for prefix in prefixes.split(' ') {
                if by_prefix.insert(prefix, zones.clone()).is_some() {
                    return Err(format!("zones.txt: {prefix} is there twice"));
                }
            }
        }
        let longest = by_prefix.keys().map(|prefix| prefix.len()).max().unwrap_or_default();
        Ok(Self { by_prefix, longest })
    }

    /// Every zone in which this number may ring; `None` where nothing is known of it.
    pub(crate) fn of(&self, number: &PhoneNumber) -> Option<&[TimeZone]> {
        let digits = number.digits();
        let prefixes = (1..=self.longest.min(digits.len())).rev().map(|length| &digits[..length]);
        prefixes.filter_map(|prefix| self.by_prefix.get(prefix)).next().map(Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(number: &str) -> Vec<String> {
        let zones = Zones::new().expect("the table");
        let number = PhoneNumber::parse(number).expect("a number");
        zones.of(&number).unwrap_or_default().iter().filter_map(|zone| zone.iana_name().map(str::to_owned)).collect()
    }

    #[test]
    fn the_longest_prefix_counts() {
        assert_eq!(names("+12125550123"), ["America/New_York"]);
        assert_eq!(names("+18505550123"), ["America/New_York", "America/Chicago"]);
        assert_eq!(names("+4930123456"), ["Europe/Berlin"]);
        assert_eq!(names("+77271234567"), ["Asia/Almaty"]);
        assert_eq!(names("+74951234567").len(), 11);
        assert_eq!(names("+19005550123"), [""; 0], "premium numbers are in no zone");
        assert_eq!(names("+88312345678"), [""; 0], "nor is what is in no country");
    }
}
