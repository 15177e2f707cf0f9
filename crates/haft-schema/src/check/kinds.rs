//! From the validator's kinds of error to ours. Nothing is decided by the text of an error.

use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

use super::excerpt;
use super::graph::Node;
use super::number;
use super::suggest;
use super::violation::ViolationKind;

/// The most options that a violation lists.
const LISTED: usize = 20;

/// The violation of a value that is none of `options`.
pub(crate) fn options_kind<'v>(options: impl Iterator<Item = &'v Value>, value: &Value) -> ViolationKind {
    let mut listed: Vec<String> = Vec::new();
    let mut unlisted = 0;
    let mut words: Vec<&str> = Vec::new();
    for option in options {
        words.extend(option.as_str());
        if listed.len() == LISTED {
            unlisted += 1;
            continue;
        }
        let text = excerpt::json(option, 80);
        if !listed.contains(&text) {
            listed.push(text);
        }
    }
    let suggestion = value.as_str().and_then(|value| suggest::nearest(value, words));
    let suggestion = suggestion.map(|word| excerpt::json(&Value::from(word), 80));
    ViolationKind::Options { options: listed, unlisted, suggestion }
}

/// The violation of a value that is neither one of `options` nor an object with one of `keys` as its only member.
pub(crate) fn forms_kind(options: &[&Value], keys: &[&str], value: &Value) -> ViolationKind {
    let form = |key: &str| format!("{{{}: …}}", excerpt::json(&Value::from(key), 80));
    let kind = options_kind(options.iter().copied(), value);
    let ViolationKind::Options { options: mut listed, mut unlisted, mut suggestion } = kind else { return kind };
    for key in keys {
        if listed.len() == LISTED {
            unlisted += 1;
        } else {
            listed.push(form(key));
        }
    }
    if suggestion.is_none() {
        let nearest = value.as_str().and_then(|value| suggest::nearest(value, keys.iter().copied()));
        suggestion = nearest.map(form);
    }
    ViolationKind::Options { options: listed, unlisted, suggestion }
}

/// The violation that the validator's error is, by its kind.
pub(crate) fn kind_of(node: &Node, kind: &ValidationErrorKind, value: &Value) -> ViolationKind {
    use ValidationErrorKind as Kind;
    let json = |limit: &Value| excerpt::json(limit, 80);
    let chars = || value.as_str().map_or(0, |text| text.chars().count() as u64);
    let items = || value.as_array().map_or(0, |items| items.len() as u64);
    let members = || value.as_object().map_or(0, |members| members.len() as u64);
    let keyword = |name: &str| node.assertions.get(name);
    match kind {
        Kind::Type { .. } => match node.types {
            Some(types) => ViolationKind::Type { expected: types.names(), words: None },
            None => ViolationKind::Unfit,
        },
        Kind::Enum { .. } | Kind::Constant { .. } => options_kind(node.options.iter().flatten(), value),
        Kind::Minimum { limit } => ViolationKind::Minimum { limit: json(limit), exclusive: false },
        Kind::ExclusiveMinimum { limit } => ViolationKind::Minimum { limit: json(limit), exclusive: true },
        Kind::Maximum { limit } => ViolationKind::Maximum { limit: json(limit), exclusive: false },
        Kind::ExclusiveMaximum { limit } => ViolationKind::Maximum { limit: json(limit), exclusive: true },
        Kind::MultipleOf { .. } => match keyword("multipleOf") {
            Some(Value::Number(of)) => ViolationKind::MultipleOf { of: number::text(of) },
            _ => ViolationKind::Unfit,
        },
        Kind::MinLength { limit } => ViolationKind::MinLength { limit: *limit, actual: chars() },
        Kind::MaxLength { limit } => ViolationKind::MaxLength { limit: *limit, actual: chars() },
        Kind::Pattern { pattern } => ViolationKind::Pattern { pattern: pattern.clone() },
        Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => {
            let pattern = keyword("pattern").and_then(Value::as_str).unwrap_or_default();
            ViolationKind::PatternCost { pattern: pattern.to_owned() }
        }
        Kind::Format { format } => ViolationKind::Format { format: format.clone() },
        Kind::ContentEncoding { content_encoding: name } | Kind::ContentMediaType { content_media_type: name } => {
            ViolationKind::Encoding { name: name.clone() }
        }
        Kind::FromUtf8 { .. } => ViolationKind::Encoding { name: "UTF-8".to_owned() },
        Kind::MinItems { limit } => ViolationKind::MinItems { limit: *limit, actual: items() },
        Kind::MaxItems { limit } => ViolationKind::MaxItems { limit: *limit, actual: items() },
        Kind::UniqueItems => ViolationKind::Duplicates,
        Kind::MinProperties { limit } => ViolationKind::MinProperties { limit: *limit, actual: members() },
        Kind::MaxProperties { limit } => ViolationKind::MaxProperties { limit: *limit, actual: members() },
        _ => ViolationKind::Unfit,
    }
}
