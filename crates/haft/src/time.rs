use std::time::{SystemTime, UNIX_EPOCH};

/// `2026-07-28T10:00:00.000Z`, to the millisecond. What lies before 1970 is told as its beginning.
pub(crate) fn rfc3339(time: SystemTime) -> String {
    humantime::format_rfc3339_millis(time.max(UNIX_EPOCH)).to_string()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn days_of_all_kinds_of_years() {
        for (millis, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_709_208_000_000, "2024-02-29T12:00:00.000Z"),
            (1_785_232_800_001, "2026-07-28T10:00:00.001Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(rfc3339(UNIX_EPOCH + Duration::from_millis(millis)), text);
        }
    }
}
