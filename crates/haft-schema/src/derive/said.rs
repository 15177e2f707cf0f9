//! What a parameter's author said about it, put into the schema of its type.

use std::cmp::Ordering;

use serde_json::Value;

use super::number::compare;
use super::object::Object;
use super::params::Param;
use super::place::Place;
use crate::Problem;

/// The schema of a parameter with what its author said about it.
pub(super) fn said_of(param: &Param, schema: Value, place: &Place, problems: &mut Vec<Problem>) -> Value {
    let mut object = match schema {
        Value::Object(object) => object,
        Value::Bool(false) => return schema,
        _ => Object::new(),
    };
    let kind = object.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut misfit = |what: &str, needs: &str| {
        let message = format!("{} has {what}, which needs {needs}; its type is `{}`", place.subject(), param.rust_type);
        problems.push(place.problem("schema", message));
    };
    if let Some(description) = param.description {
        object.insert("description".to_owned(), description.into());
    }
    if let Some(pattern) = param.pattern {
        if kind == "string" {
            object.insert("pattern".to_owned(), pattern.into());
        } else {
            misfit("a pattern", "a string");
        }
    }
    let bounds = [
        ("minimum", &param.minimum, Ordering::Greater),
        ("exclusiveMinimum", &param.exclusive_minimum, Ordering::Greater),
        ("maximum", &param.maximum, Ordering::Less),
        ("exclusiveMaximum", &param.exclusive_maximum, Ordering::Less),
    ];
    for (keyword, bound, tighter) in bounds {
        let Some(bound) = bound else { continue };
        if !matches!(kind.as_str(), "integer" | "number") {
            misfit("a range", "a number");
            break;
        }
        if object.get(keyword).is_none_or(|said| compare(bound, said) == Some(tighter)) {
            object.insert(keyword.to_owned(), bound.clone());
        }
    }
    let (least, greatest) = match kind.as_str() {
        "array" => ("minItems", "maxItems"),
        "object" => ("minProperties", "maxProperties"),
        _ => ("minLength", "maxLength"),
    };
    if param.min_length.is_some() || param.max_length.is_some() {
        if matches!(kind.as_str(), "string" | "array" | "object") {
            object.extend(param.min_length.map(|length| (least.to_owned(), length.into())));
            object.extend(param.max_length.map(|length| (greatest.to_owned(), length.into())));
        } else {
            misfit("a length", "a string, a list or a map");
        }
    }
    if !param.examples.is_empty() {
        object.insert("examples".to_owned(), param.examples.clone().into());
    }
    if let Some(default) = &param.default {
        object.insert("default".to_owned(), default.clone());
    }
    if let Some(header) = param.header {
        object.insert("x-mcp-header".to_owned(), header.into());
    }
    Value::Object(object)
}
