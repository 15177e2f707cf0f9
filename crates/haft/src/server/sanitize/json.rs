//! JSON text whose strings change and nothing else: numbers keep their digits, members their order.

use std::borrow::Cow;

/// Whether the strings of a JSON text are in it as they are, and are ASCII without control characters.
pub(super) fn is_plain(json: &str) -> bool {
    json.bytes().all(|byte| byte < 0x7f && byte != b'\\')
}

/// The text with what `clean` makes of each string; `None` where nothing changes.
pub(super) fn map_strings(json: &str, mut clean: impl FnMut(&str) -> Cow<'_, str>) -> Option<String> {
    let mut out: Option<String> = None;
    // Up to here it is in `out`, once there is one.
    let mut copied = 0;
    let mut at = 0;
    while let Some(start) = json[at..].find('"').map(|offset| at + offset) {
        let end = end_of_string(json, start);
        at = end;
        let literal = &json[start..end];
        let inner = literal.get(1..literal.len() - 1).unwrap_or_default();
        let decoded = if inner.contains('\\') {
            // Only half of a surrogate pair can't be decoded: no text that anybody could read.
            Cow::Owned(serde_json::from_str(literal).unwrap_or_else(|_| char::REPLACEMENT_CHARACTER.to_string()))
        } else {
            Cow::Borrowed(inner)
        };
        if let Cow::Owned(cleaned) = clean(&decoded)
            && let Ok(cleaned) = serde_json::to_string(&cleaned)
        {
            let out = out.get_or_insert_with(|| String::with_capacity(json.len()));
            out.push_str(&json[copied..start]);
            out.push_str(&cleaned);
            copied = end;
        }
    }
    let mut out = out?;
    out.push_str(&json[copied..]);
    Some(out)
}

/// Past the quote that ends the string that starts here.
fn end_of_string(json: &str, start: usize) -> usize {
    let bytes = json.as_bytes();
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    json.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without_x(json: &str) -> Option<String> {
        map_strings(json, |text| match text.contains('x') {
            true => Cow::Owned(text.replace('x', "")),
            false => Cow::Borrowed(text),
        })
    }

    #[test]
    fn strings_change_and_nothing_else() {
        let json = r#"{"z":18446744073709551616.10, "ax":["x\"x\\", {"x\n":null}, "é"],"b":1e400}"#;
        let clean = r#"{"z":18446744073709551616.10, "a":["\"\\", {"\n":null}, "é"],"b":1e400}"#;
        assert_eq!(without_x(json).as_deref(), Some(clean));
        assert_eq!(without_x(r#"["a", "\"", {}]"#), None);
    }

    #[test]
    fn what_is_written_in_escapes_is_read() {
        assert_eq!(without_x(r#"["\u0078\ud83d\ude00"]"#).as_deref(), Some(r#"["😀"]"#));
    }

    #[test]
    fn half_a_surrogate_pair_takes_nothing_else_with_it() {
        assert_eq!(without_x(r#"["\ud83d", "x"]"#).as_deref(), Some(r#"["\ud83d", ""]"#));
    }

    #[test]
    fn a_text_that_is_cut_off_is_no_reason_to_panic() {
        for json in ["\"", "\"\\", "\"x", "\"é\\", "[\"a\", \""] {
            let _ = without_x(json);
        }
    }
}
