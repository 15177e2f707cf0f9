//! Numbers, the same under every feature of serde_json.
//!
//! With `arbitrary_precision` a number is the text it was written as; without, it is an integer or a double. Anywhere in a
//! user's tree of dependencies that feature can be turned on, so all that looks at a number goes through here.

use serde_json::{Number, Value};

/// The text of a number: integers of 64 bits digit for digit, whole doubles without a fraction, others as short as they
/// can be read back.
pub(crate) fn text(number: &Number) -> String {
    if let Some(n) = number.as_u64() {
        return n.to_string();
    }
    if let Some(n) = number.as_i64() {
        return n.to_string();
    }
    match number.as_f64() {
        Some(0.0) => "0".to_owned(),
        Some(n) if n.fract() == 0.0 && n.abs() < 1e15 => format!("{n:.0}"),
        Some(n) if n.is_finite() => format!("{n:?}").trim_end_matches(".0").to_owned(),
        _ => number.to_string().replace("e+", "e"),
    }
}

/// The number as it would be without `arbitrary_precision`, or `None` if it already is, or is beyond a double's range.
pub(crate) fn canonical(number: &Number) -> Option<Number> {
    if number.as_u64().is_some() || number.as_i64().is_some() {
        // "-0" is an integer's text, and reads as the double -0.0 without the feature; zero serves both.
        return (number.to_string() == "-0").then(|| Number::from(0));
    }
    let canonical = Number::from_f64(number.as_f64().filter(|n| n.is_finite())?)?;
    (canonical != *number).then_some(canonical)
}

/// Whether the number is beyond the range of a double, which only `arbitrary_precision` can hold.
pub(crate) fn is_out_of_range(number: &Number) -> bool {
    number.as_u64().is_none() && number.as_i64().is_none() && !number.as_f64().is_some_and(f64::is_finite)
}

/// The integer that a whole double stands for, if 64 bits hold it.
pub(crate) fn integer(number: &Number) -> Option<Number> {
    if number.as_u64().is_some() || number.as_i64().is_some() {
        return None;
    }
    let n = number.as_f64()?;
    if n.fract() != 0.0 {
        return None;
    }
    // Both bounds are powers of two, so the comparisons and casts are exact.
    if (0.0..18_446_744_073_709_551_616.0).contains(&n) {
        Some(Number::from(n as u64))
    } else if (-9_223_372_036_854_775_808.0..0.0).contains(&n) {
        Some(Number::from(n as i64))
    } else {
        None
    }
}

/// Whether numbers keep the text they were written as (serde_json's `arbitrary_precision`), found out by trying.
pub(crate) fn keep_their_text() -> bool {
    use std::sync::OnceLock;
    static KEPT: OnceLock<bool> = OnceLock::new();
    *KEPT.get_or_init(|| serde_json::from_str::<Number>("1.50").is_ok_and(|n| n.to_string() == "1.50"))
}

/// Makes every number in `value` canonical. Values nested beyond `depth` stay as they are.
pub(crate) fn canonicalise(value: &mut Value, depth: usize) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match value {
        Value::Number(number) => {
            if let Some(canonical) = canonical(number) {
                *number = canonical;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| canonicalise(item, depth)),
        Value::Object(members) => members.values_mut().for_each(|member| canonicalise(member, depth)),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Number {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn text_is_the_same_under_every_feature() {
        for (written, shown) in [
            ("1e3", "1000"),
            ("2.0", "2"),
            ("-0", "0"),
            ("-0.0", "0"),
            ("0.1", "0.1"),
            ("1E-7", "1e-7"),
            ("1.50", "1.5"),
            ("18446744073709551615", "18446744073709551615"),
            ("-9223372036854775808", "-9223372036854775808"),
            ("18446744073709551616", "1.8446744073709552e19"),
            ("1e300", "1e300"),
            ("9007199254740993", "9007199254740993"),
        ] {
            assert_eq!(text(&number(written)), shown, "{written}");
        }
    }

    #[test]
    fn canonical_numbers_are_those_of_plain_serde_json() {
        for (written, plain) in [
            ("1e3", Number::from_f64(1000.0).unwrap()),
            ("2.0", Number::from_f64(2.0).unwrap()),
            ("1.50", Number::from_f64(1.5).unwrap()),
            ("18446744073709551616", Number::from_f64(18446744073709551616.0).unwrap()),
            ("7", Number::from(7)),
        ] {
            let mut value = Value::Number(number(written));
            canonicalise(&mut value, 8);
            assert_eq!(value, Value::Number(plain), "{written}");
        }
    }

    #[test]
    fn whole_doubles_become_integers_if_64_bits_hold_them() {
        assert_eq!(integer(&number("2.0")), Some(Number::from(2)));
        assert_eq!(integer(&number("-3.0")), Some(Number::from(-3)));
        assert_eq!(integer(&number("-0.0")), Some(Number::from(0)));
        assert_eq!(integer(&number("1e19")), Some(Number::from(10_000_000_000_000_000_000_u64)));
        assert_eq!(integer(&number("-9.223372036854775808e18")), Some(Number::from(i64::MIN)));
        for not_an_integer in ["2.5", "1e20", "-1e19", "18446744073709551616"] {
            assert_eq!(integer(&number(not_an_integer)), None, "{not_an_integer}");
        }
        assert_eq!(integer(&number("7")), None, "already one");
    }
}
