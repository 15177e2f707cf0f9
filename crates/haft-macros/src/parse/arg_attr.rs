//! `#[arg(...)]` as typed.

use proc_macro2::{Ident, TokenStream};
use syn::{Attribute, Expr, ExprRange, LitStr, Meta, RangeLimits};

use super::Number;
use super::entry::{self, Entry};
use crate::errors::Errors;
use crate::suggest;

/// Everything that was typed in the `#[arg(...)]` attributes of one parameter.
#[derive(Default)]
pub(crate) struct ArgAttr {
    /// The first one; `None` where there is no `#[arg]` at all
    pub(crate) typed: Option<Attribute>,
    /// Keys in the order typed
    pub(crate) keys: Vec<Ident>,
    pub(crate) rename: Option<LitStr>,
    pub(crate) description: Option<LitStr>,
    pub(crate) pattern: Option<LitStr>,
    pub(crate) range: Option<RangeAttr>,
    pub(crate) length: Option<LengthAttr>,
    pub(crate) examples: Vec<TokenStream>,
    pub(crate) default: Option<TokenStream>,
    pub(crate) header: Option<LitStr>,
    pub(crate) secret: bool,
    pub(crate) flatten: bool,
}

/// `range(1..=10)`: at least one bound is there.
pub(crate) struct RangeAttr {
    pub(crate) tokens: TokenStream,
    pub(crate) min: Option<Number>,
    pub(crate) max: Option<Number>,
    /// `1..10` rather than `1..=10`
    pub(crate) exclusive: bool,
}

impl RangeAttr {
    /// The upper bound, itself allowed: of whole numbers, `1..10` ends at 9.
    pub(crate) fn greatest(&self) -> Option<Number> {
        match self.max {
            Some(Number::Integer(max)) if self.exclusive => Some(Number::Integer(max - 1)),
            max => max,
        }
    }
}

/// `length(1..=64)`: at least one bound is there; both count.
pub(crate) struct LengthAttr {
    pub(crate) tokens: TokenStream,
    pub(crate) min: Option<u64>,
    pub(crate) max: Option<u64>,
}

const KEYS: &[&str] =
    &["rename", "description", "pattern", "range", "length", "example", "default", "header", "secret", "flatten"];

/// Words from JSON Schema, serde and other SDKs, with what haft writes instead.
fn elsewhere(key: &str) -> Option<&'static str> {
    Some(match key {
        "min" | "max" | "minimum" | "maximum" => "write `range(1..=10)`, `range(1..)` or `range(..=10)`",
        "min_length" | "max_length" | "minLength" | "maxLength" | "min_items" | "max_items" | "len" => {
            "write `length(1..=64)`, `length(1..)` or `length(..=64)`"
        }
        "regex" | "regexp" | "format" => "write `pattern = \"…\"`, a regular expression",
        "name" => "write `rename = \"…\"`",
        "examples" => "write `example = …` once for each example",
        "optional" | "required" => "an argument is optional when its type is `Option<…>` or it has `default = …`",
        "desc" | "doc" | "help" => "write a doc comment (`/// …`) above the parameter",
        "skip" => "use `#[extract]` for what doesn't come from the model",
        _ => return None,
    })
}

impl ArgAttr {
    /// Reads all `#[arg]` attributes of one parameter. What can't be read is reported and left out.
    pub(crate) fn parse<'a>(attributes: impl Iterator<Item = &'a Attribute>, errors: &Errors) -> ArgAttr {
        let mut attr = ArgAttr::default();
        let mut entries = Vec::new();
        for attribute in attributes {
            attr.typed.get_or_insert_with(|| attribute.clone());
            match &attribute.meta {
                Meta::List(list) => entries.extend(entry::entries(list.tokens.clone(), "pattern = \"…\"", errors)),
                Meta::Path(_) | Meta::NameValue(_) => {
                    errors.on(attribute, "`#[arg]` needs something between its parentheses: write `#[arg(pattern = \"…\")]`, or leave it out");
                }
            }
        }
        for entry in entry::without_repeats(entries, &["example"], errors) {
            attr.take(&entry, errors);
        }
        attr
    }

    fn take(&mut self, entry: &Entry, errors: &Errors) {
        let key = entry.key.to_string();
        match key.as_str() {
            "rename" => self.rename = entry.string(errors),
            "description" => self.description = entry.string(errors),
            "pattern" => self.pattern = entry.string(errors),
            "range" => self.range = range(entry, errors),
            "length" => self.length = length(entry, errors),
            "example" => self.examples.extend(entry.assigned(errors)),
            "default" if matches!(entry.value, entry::Value::Absent) => {
                errors.on(&entry.key, "`default` needs its value: write `default = …`, for example `default = 10`");
            }
            "default" => self.default = entry.assigned(errors),
            "header" => self.header = entry.string(errors),
            "secret" => self.secret = entry.flag(errors),
            "flatten" => self.flatten = entry.flag(errors),
            _ => {
                let message = elsewhere(&key).map_or_else(
                    || suggest::unknown("key", &key, KEYS),
                    |instead| format!("`#[arg]` has no key `{key}`: {instead}"),
                );
                errors.on(&entry.key, message);
                return;
            }
        }
        self.keys.push(entry.key.clone());
    }
}

const RANGE_LIKE: &str = "range(1..=10)";
const LENGTH_LIKE: &str = "length(1..=64)";

fn bounds(entry: &Entry, like: &str, errors: &Errors) -> Option<(TokenStream, ExprRange)> {
    let tokens = entry.list(like, errors)?;
    match syn::parse2::<Expr>(entry::without_groups(tokens.clone())) {
        Ok(Expr::Range(range)) if range.start.is_some() || range.end.is_some() => Some((tokens, range)),
        Ok(Expr::Range(_)) => {
            errors.on(tokens, format!("`..` bounds nothing: write `{like}`"));
            None
        }
        Ok(_) => {
            let key = &entry.key;
            errors.on(
                &tokens,
                format!("`{key}` takes a range: write `{key}({tokens}..={tokens})` for exactly that, `{key}({tokens}..)` for at least, `{key}(..={tokens})` for at most"),
            );
            None
        }
        Err(_) => {
            errors.on(tokens, format!("expected a range here: write `{like}`"));
            None
        }
    }
}

fn bound(expr: Option<&Expr>, errors: &Errors) -> Result<Option<Number>, ()> {
    let Some(expr) = expr else { return Ok(None) };
    match Number::parse(expr) {
        Ok(number) => Ok(Some(number)),
        Err(message) => {
            errors.on(expr, message);
            Err(())
        }
    }
}

pub(super) fn range(entry: &Entry, errors: &Errors) -> Option<RangeAttr> {
    let (tokens, range) = bounds(entry, RANGE_LIKE, errors)?;
    let (min, max) = (bound(range.start.as_deref(), errors), bound(range.end.as_deref(), errors));
    Some(RangeAttr {
        tokens,
        min: min.ok()?,
        max: max.ok()?,
        exclusive: matches!(range.limits, RangeLimits::HalfOpen(_)),
    })
}

pub(super) fn length(entry: &Entry, errors: &Errors) -> Option<LengthAttr> {
    let (tokens, range) = bounds(entry, LENGTH_LIKE, errors)?;
    let count = |expr: Option<&Expr>| match bound(expr, errors) {
        Ok(None) => Ok(None),
        Ok(Some(Number::Integer(value))) if value >= 0 => u64::try_from(value).map(Some).map_err(|_| ()),
        Ok(Some(other)) => {
            errors.on(expr, format!("a length can't be {}: write whole numbers from 0 up", other.text()));
            Err(())
        }
        Err(()) => Err(()),
    };
    let (min, max) = (count(range.start.as_deref()), count(range.end.as_deref()));
    let (min, mut max) = (min.ok()?, max.ok()?);
    if let (RangeLimits::HalfOpen(_), Some(end)) = (range.limits, max) {
        let Some(last) = end.checked_sub(1) else {
            errors.on(tokens, "no length is below 0: write `length(..=64)`");
            return None;
        };
        max = Some(last);
    }
    Some(LengthAttr { tokens, min, max })
}
