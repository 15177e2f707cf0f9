//! What a `format` means: the bounds of Rust's integers, the look of well-known strings.

/// The bounds of an integer format of schemars; `None` for a format that isn't one.
pub(super) fn integer_bounds(format: &str) -> Option<(i128, i128)> {
    Some(match format {
        "int8" => (i8::MIN.into(), i8::MAX.into()),
        "int16" => (i16::MIN.into(), i16::MAX.into()),
        "int32" => (i32::MIN.into(), i32::MAX.into()),
        "int64" => (i64::MIN.into(), i64::MAX.into()),
        "int" => (isize::MIN as i128, isize::MAX as i128),
        "uint8" => (0, u8::MAX.into()),
        "uint16" => (0, u16::MAX.into()),
        "uint32" => (0, u32::MAX.into()),
        "uint64" => (0, u64::MAX.into()),
        "uint" => (0, usize::MAX as i128),
        _ => return None,
    })
}

/// Integers that don't fit into what JSON implementations can carry.
pub(super) fn is_too_wide(format: &str) -> bool {
    matches!(format, "int128" | "uint128")
}

/// A format of strings: the pattern that stands for it, what to tell the reader, and a word that shows that the
/// description tells already.
pub(super) struct TextFormat {
    pub(super) pattern: Option<&'static str>,
    pub(super) hint: &'static str,
    pub(super) word: &'static str,
}

/// What is known of a string format. The patterns are a little stricter than the parsers behind them where these take
/// several spellings, so that one spelling is documented, checked and taken.
pub(super) fn text_format(format: &str) -> Option<TextFormat> {
    let (pattern, hint, word) = match format {
        "uuid" => {
            (Some("^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"), "A UUID.", "uuid")
        }
        "date" => (Some(r"^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$"), "A date, YYYY-MM-DD.", "yyyy"),
        "partial-time" => (Some(r"^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?$"), "A time of day, HH:MM:SS.", "hh:mm"),
        "partial-date-time" => (
            Some(r"^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?$"),
            "A date and time without offset, YYYY-MM-DDTHH:MM:SS.",
            "yyyy",
        ),
        "date-time" => (
            Some(
                r"^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$",
            ),
            "",
            "",
        ),
        "uri" => (Some(r"^[A-Za-z][A-Za-z0-9+.-]*:"), "An absolute URL.", "url"),
        "uri-reference" => (None, "A URL, absolute or relative.", "url"),
        "email" => (None, "An email address.", "mail"),
        "ip" => (None, "An IP address.", "ip address"),
        "ipv4" => (
            Some(r"^((25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)$"),
            "An IPv4 address.",
            "ipv4",
        ),
        "ipv6" => (None, "An IPv6 address.", "ipv6"),
        "hostname" => (None, "A host name.", "host"),
        "duration" => (None, "An ISO 8601 duration, e.g. PT1H30M.", "8601"),
        "time" => (None, "An RFC 3339 time with offset, HH:MM:SSZ.", "hh:mm"),
        _ => return None,
    };
    Some(TextFormat { pattern, hint, word })
}
