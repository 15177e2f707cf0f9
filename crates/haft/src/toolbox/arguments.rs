//! The arguments of a call: as a person may see them, and as a server gets them.

use serde_json::{Map, Value};

use super::branches::{self, Branches};
use super::shown;

/// What stands where a secret was.
const REDACTED: &str = "[redacted]";
/// Characters of one string that are shown.
const LONGEST: usize = 4_000;

/// Arguments for a person's eyes: without secrets, and with everything escaped that can't be seen. Keys are in order.
///
/// Secret is what the schema calls `writeOnly` and what has the name of a secret.
pub(super) fn shown(arguments: &Value, schema: &Value) -> Value {
    show(arguments, schema, branches::of(schema, [schema]))
}

fn show(value: &Value, root: &Value, branches: Branches<'_>) -> Value {
    match value {
        Value::Object(members) => {
            let mut names: Vec<&String> = members.keys().collect();
            names.sort();
            let shown = names.into_iter().map(|name| {
                let described = branches.as_ref().and_then(|branches| branches::member(root, branches, name));
                // What nobody can tell of is not shown.
                let secret =
                    described.as_ref().is_none_or(|schemas| schemas.iter().any(|schema| is_write_only(schema)));
                let value = match (secret || is_secret(name), members.get(name)) {
                    (false, Some(value)) => show(value, root, described),
                    _ => Value::from(REDACTED),
                };
                (shown::line(name, LONGEST), value)
            });
            Value::Object(shown.collect())
        }
        Value::Array(items) => {
            let described = branches.as_ref().and_then(|branches| branches::item(root, branches));
            if described.as_ref().is_none_or(|schemas| schemas.iter().any(|schema| is_write_only(schema))) {
                return Value::from(REDACTED);
            }
            Value::Array(items.iter().map(|item| show(item, root, described.clone())).collect())
        }
        Value::String(text) => Value::from(shown::line(text, LONGEST)),
        other => other.clone(),
    }
}

fn is_write_only(schema: &Value) -> bool {
    schema.get("writeOnly") == Some(&Value::Bool(true)) || schema.get("format") == Some(&Value::from("password"))
}

/// Whether `name` is one that secrets have, in whatever way its words are joined.
pub(crate) fn is_secret(name: &str) -> bool {
    const PARTS: [&str; 16] = [
        "password",
        "passwd",
        "passphrase",
        "passcode",
        "secret",
        "apikey",
        "accesskey",
        "privatekey",
        "signingkey",
        "credential",
        "bearer",
        "authorization",
        "accesstoken",
        "refreshtoken",
        "authtoken",
        "cookie",
    ];
    const WORDS: [&str; 8] = ["token", "pwd", "pin", "otp", "jwt", "cvv", "cvc", "pass"];
    let joined: String = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    PARTS.iter().any(|part| joined.contains(part))
        || joined.ends_with("token")
        || words(name).iter().any(|word| WORDS.contains(&word.as_str()))
}

/// The words of a name in `snake_case`, `kebab-case`, `camelCase` or with spaces, in lower case.
pub(super) fn words(text: &str) -> Vec<String> {
    let (mut words, mut word, mut was_lower) = (Vec::new(), String::new(), false);
    for c in text.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && was_lower) {
            words.extend(Some(std::mem::take(&mut word)).filter(|word| !word.is_empty()));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase() || c.is_numeric();
    }
    words.extend(Some(word).filter(|word| !word.is_empty()));
    words
}

/// Arguments without the `null`s that stand for "not given".
///
/// In strict mode a model must name every argument, and says `null` for those that it doesn't give. A server that never
/// said that it takes `null` doesn't get it.
pub(super) fn without_nulls(arguments: Value, schema: &Value) -> Value {
    given(arguments, schema, branches::of(schema, [schema]))
}

fn given(value: Value, root: &Value, branches: Branches<'_>) -> Value {
    let Some(branches) = branches else { return value };
    match value {
        Value::Object(members) => {
            let kept = members.into_iter().filter_map(|(name, value)| {
                let described = branches::member(root, &branches, &name);
                let required = branches.iter().any(|schema| requires(schema, &name));
                let dropped = value.is_null()
                    && !required
                    && described
                        .as_ref()
                        .is_some_and(|schemas| !schemas.is_empty() && !schemas.iter().any(|s| takes_null(s)));
                (!dropped).then(|| (name, given(value, root, described)))
            });
            Value::Object(kept.collect::<Map<_, _>>())
        }
        Value::Array(items) => {
            let described = branches::item(root, &branches);
            Value::Array(items.into_iter().map(|item| given(item, root, described.clone())).collect())
        }
        other => other,
    }
}

fn requires(schema: &Value, name: &str) -> bool {
    schema.get("required").and_then(Value::as_array).is_some_and(|required| required.iter().any(|one| one == name))
}

/// Whether a schema that is one of several says `null`, or says nothing of types.
fn takes_null(schema: &Value) -> bool {
    let Some(schema) = schema.as_object() else { return true };
    let says_more = ["$ref", "allOf", "anyOf", "oneOf"].iter().any(|keyword| schema.contains_key(*keyword));
    let in_enum = |values: &Value| values.as_array().is_some_and(|values| values.contains(&Value::Null));
    match (schema.get("type"), schema.get("enum"), schema.get("const")) {
        (Some(Value::Array(types)), ..) => types.contains(&Value::from("null")),
        (Some(kind), ..) => kind == "null",
        (None, Some(values), _) => in_enum(values),
        (None, None, Some(value)) => value.is_null(),
        (None, None, None) => !says_more,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_of_secrets_are_known_however_they_are_written() {
        for name in [
            "password",
            "user_password",
            "apiKey",
            "API-KEY",
            "api key",
            "access_token",
            "csrfToken",
            "token",
            "TOKEN",
            "clientSecret",
            "pin",
            "newPin",
            "Authorization",
            "session-cookie",
            "tokenValue",
        ] {
            assert!(is_secret(name), "{name}");
        }
        for name in ["max_tokens", "tokenizer", "key", "spin", "opinion", "compass", "author", "order_id"] {
            assert!(!is_secret(name), "{name}");
        }
    }

    #[test]
    fn what_a_schema_calls_write_only_is_redacted_through_references_and_compositions() {
        let schema = json!({"type": "object", "properties": {
                "card": {"$ref": "#/$defs/card"},
                "list": {"type": "array", "items": {"properties": {"code": {"writeOnly": true}}}},
                "note": {"type": "string"}
            },
            "anyOf": [{"properties": {"door": {"type": "string", "writeOnly": true}}}],
            "$defs": {"card": {"allOf": [{"properties": {"number": {"type": "string", "writeOnly": true}}}]}}
        });
        let arguments = json!({"card": {"number": "4111", "name": "A"}, "list": [{"code": 1, "n": 2}], "door": "9",
            "note": "a\u{1b}[2J", "extra": {"password": "x"}});
        let expected = json!({"card": {"number": REDACTED, "name": "A"}, "list": [{"code": REDACTED, "n": 2}],
            "door": REDACTED, "note": "a\\u{1b}[2J", "extra": {"password": REDACTED}});
        assert_eq!(shown(&arguments, &schema), expected);
    }

    #[test]
    fn a_schema_that_refers_to_itself_in_too_many_ways_shows_nothing() {
        let branches: Vec<Value> = (0..300).map(|n| json!({"properties": {"a": {"title": n.to_string()}}})).collect();
        assert_eq!(shown(&json!({"a": 1}), &json!({"anyOf": branches})), json!({"a": REDACTED}));
        let round = json!({"$ref": "#"});
        assert_eq!(shown(&json!({"a": 1}), &round), json!({"a": 1}));
    }

    #[test]
    fn a_null_is_dropped_where_it_can_only_mean_not_given() {
        let schema = json!({"required": ["a"], "properties": {
            "a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": ["string", "null"]},
            "d": {"anyOf": [{"type": "string"}, {"type": "null"}]}, "e": {"$ref": "#/$defs/e"}, "f": {}},
            "$defs": {"e": {"type": "object", "properties": {"g": {"type": "integer"}}}}});
        let arguments = json!({"a": null, "b": null, "c": null, "d": null, "e": {"g": null}, "f": null, "h": null});
        let expected = json!({"a": null, "c": null, "d": null, "e": {}, "f": null, "h": null});
        assert_eq!(without_nulls(arguments, &schema), expected);
    }
}
