//! Numbers of a schema, read by value: how serde_json spells them depends on its features.

use std::cmp::Ordering;

use serde_json::{Number, Value};

/// The integers that every JSON implementation keeps exactly: ±(2^53 - 1).
pub(crate) const SAFE: i128 = (1 << 53) - 1;

/// The number as an integer, if it is one (`2.0` is).
pub(crate) fn whole(value: &Value) -> Option<i128> {
    let number = value.as_number()?;
    if let Some(whole) = number.as_i64() {
        return Some(whole.into());
    }
    if let Some(whole) = number.as_u64() {
        return Some(whole.into());
    }
    let float = number.as_f64()?;
    // Beyond 2^100 no bound of a Rust integer that JSON can carry is left.
    (float.fract() == 0.0 && float.abs() < 1e30).then_some(float as i128)
}

/// An integer as a JSON number, exact in the range of `i64` and `u64`.
pub(crate) fn from_whole(whole: i128) -> Value {
    if let Ok(signed) = i64::try_from(whole) {
        return Value::from(signed);
    }
    match u64::try_from(whole) {
        Ok(unsigned) => Value::from(unsigned),
        Err(_) => Value::from(whole as f64),
    }
}

/// Orders two JSON numbers by value; `None` if either isn't a number.
pub(crate) fn compare(left: &Value, right: &Value) -> Option<Ordering> {
    match (whole(left), whole(right)) {
        (Some(left), Some(right)) => Some(left.cmp(&right)),
        _ => left.as_f64()?.partial_cmp(&right.as_f64()?),
    }
}

/// The text of a number, the same whatever features serde_json was built with: integral values up to 2^53 without a
/// fraction, 64-bit integers digit for digit, all else as the shortest text of the `f64`.
pub(crate) fn spell(number: &Number) -> String {
    if let Some(whole) = number.as_i64() {
        return whole.to_string();
    }
    if let Some(whole) = number.as_u64() {
        return whole.to_string();
    }
    let float = number.as_f64().unwrap_or_default();
    if float.fract() == 0.0 && float.abs() <= SAFE as f64 {
        return (float as i64).to_string();
    }
    Number::from_f64(float).map_or_else(|| number.to_string(), |number| number.to_string())
}
