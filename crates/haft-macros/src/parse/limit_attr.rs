//! `rate(...)`, `concurrency`, `timeout` and `max_result` of `#[tool(...)]`.

use proc_macro2::TokenStream;
use syn::{LitInt, LitStr};

use super::entry::{self, Entry, without_groups};
use crate::errors::Errors;
use crate::suggest;

/// What calls of a tool may take, as typed.
#[derive(Default)]
pub(crate) struct LimitsAttr {
    pub(crate) rate: Option<Rate>,
    pub(crate) concurrency: Option<Count>,
    pub(crate) timeout: Option<Time>,
    pub(crate) max_result: Option<Count>,
}

/// `rate(per_second = 5, burst = 10)`
pub(crate) struct Rate {
    pub(crate) per_second: Count,
    pub(crate) burst: Option<Count>,
}

/// A whole number, and where it was typed.
pub(crate) struct Count {
    pub(crate) value: u64,
    pub(crate) literal: LitInt,
}

/// `"30s"`, and where it was typed.
pub(crate) struct Time {
    pub(crate) milliseconds: u64,
    pub(crate) literal: LitStr,
}

const RATE_LIKE: &str = "rate(per_second = 5, burst = 10)";
const TIME_LIKE: &str = r#"a time is a whole number and a unit: "250ms", "30s", "5m" or "2h""#;

impl LimitsAttr {
    /// Takes an entry whose key is one of a limit's.
    pub(super) fn take(&mut self, key: &str, entry: &Entry, errors: &Errors) -> bool {
        match key {
            "rate" => self.rate = rate(entry, errors),
            "concurrency" => self.concurrency = count(entry, "4", errors),
            "timeout" => self.timeout = time(entry, errors),
            "max_result" => self.max_result = count(entry, "100_000", errors),
            _ => return false,
        }
        true
    }
}

fn rate(entry: &Entry, errors: &Errors) -> Option<Rate> {
    let tokens = entry.list(RATE_LIKE, errors)?;
    let (mut per_second, mut burst, mut typed) = (None, None, false);
    for one in entry::without_repeats(entry::entries(tokens, "per_second = 5", errors), &[], errors) {
        match one.key.to_string().as_str() {
            "per_second" => {
                typed = true;
                per_second = count(&one, "5", errors);
            }
            "burst" => burst = count(&one, "10", errors),
            other => {
                typed |= other.starts_with("per_");
                errors.on(&one.key, suggest::unknown("`rate` key", other, &["per_second", "burst"]));
            }
        }
    }
    if !typed {
        errors.on(&entry.key, format!("the rate has no `per_second`: write `{RATE_LIKE}`"));
    }
    Some(Rate { per_second: per_second?, burst })
}

/// `key = 4`
fn count(entry: &Entry, like: &str, errors: &Errors) -> Option<Count> {
    let key = &entry.key;
    let assigned = match &entry.value {
        entry::Value::Assigned(value) => Some(without_groups(value.clone())),
        _ => None,
    };
    let literal = assigned.and_then(|value: TokenStream| syn::parse2::<LitInt>(value).ok());
    let Some(literal) = literal.filter(|literal| literal.suffix().is_empty()) else {
        errors.on(entry.tokens(), format!("`{key}` takes a whole number: write `{key} = {like}`"));
        return None;
    };
    match literal.base10_parse() {
        Ok(value) => Some(Count { value, literal }),
        Err(_) => {
            errors.on(&literal, format!("`{key}` can't be as large as that"));
            None
        }
    }
}

/// `timeout = "30s"`, under whichever key
pub(super) fn time(entry: &Entry, errors: &Errors) -> Option<Time> {
    let is_text = |value: &TokenStream| syn::parse2::<LitStr>(without_groups(value.clone())).is_ok();
    if !matches!(&entry.value, entry::Value::Assigned(value) if is_text(value)) {
        let key = &entry.key;
        errors.on(entry.tokens(), format!("`{key}` takes a time as text, like `{key} = \"30s\"`: {TIME_LIKE}"));
        return None;
    }
    let literal = entry.string(errors)?;
    match milliseconds(&literal.value()) {
        Some(milliseconds) => Some(Time { milliseconds, literal }),
        None => {
            errors.on(&literal, format!("{:?} isn't a time: {TIME_LIKE}", literal.value()));
            None
        }
    }
}

fn milliseconds(text: &str) -> Option<u64> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let scale = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(scale)
}

#[cfg(test)]
mod tests {
    use super::milliseconds;

    #[test]
    fn reads_times() {
        assert_eq!(milliseconds("250ms"), Some(250));
        assert_eq!(milliseconds("30s"), Some(30_000));
        assert_eq!(milliseconds("5m"), Some(300_000));
        assert_eq!(milliseconds("2h"), Some(7_200_000));
        assert_eq!(milliseconds("0s"), Some(0));
        for bad in ["", "s", "30", "30 s", "1.5s", "-1s", "1d", "99999999999999999999s", "18446744073709551615m", "٣s"]
        {
            assert_eq!(milliseconds(bad), None, "{bad}");
        }
    }
}
