//! Defaults and examples: what a schema says would be taken has to be taken.

use serde_json::{Value, json};

use super::object::{Object, property};
use super::params::Param;
use super::place::Place;
use crate::{Checker, Problem};

/// Checks the defaults and examples that the author wrote, each against its parameter's schema.
pub(super) fn check_written(params: &[Param], exact: &Value, problems: &mut Vec<Problem>) {
    for param in params.iter().filter(|param| !param.flattened) {
        let Some(schema) = property(exact, param.name) else { continue };
        let written = param.default.iter().map(|value| ("default", value));
        let written: Vec<(&str, &Value)> =
            written.chain(param.examples.iter().map(|value| ("example", value))).collect();
        if written.is_empty() {
            continue;
        }
        let mut bare = schema.clone();
        if let Some(bare) = bare.as_object_mut() {
            bare.remove("default");
            bare.remove("examples");
        }
        // A schema that doesn't compile is reported where the whole of it is compiled.
        let Ok(checker) = Checker::compile(&json!({ "properties": { param.name: bare } })) else { continue };
        let place = Place::root().property(param.name);
        for (what, value) in written {
            let mut arguments = json!({ param.name: value });
            checker.normalise(&mut arguments);
            if let Some(violation) = checker.check(&arguments).first() {
                let message = format!("the {what} of {} isn't taken by its own schema: {violation}", place.subject());
                problems.push(place.problem("schema", message));
            }
        }
    }
}

/// Drops the defaults and examples that came with a type (a `Default` whose values its own schema refuses) and aren't
/// taken; brings the others into the form that is checked.
pub(super) fn settle(schema: &mut Value) {
    let Some(object) = schema.as_object_mut() else { return };
    if object.contains_key("default") || object.contains_key("examples") {
        settle_own(object);
    }
    for keyword in ["properties", "patternProperties"] {
        if let Some(Value::Object(schemas)) = object.get_mut(keyword) {
            schemas.values_mut().for_each(settle);
        }
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(schema) = object.get_mut(keyword) {
            settle(schema);
        }
    }
    for keyword in ["oneOf", "anyOf", "prefixItems"] {
        if let Some(Value::Array(schemas)) = object.get_mut(keyword) {
            schemas.iter_mut().for_each(settle);
        }
    }
}

fn settle_own(object: &mut Object) {
    let default = object.remove("default");
    let examples = object.remove("examples");
    let checker = Checker::compile(&Value::Object(object.clone()));
    let settled = |mut value: Value| {
        if let Ok(checker) = &checker {
            checker.normalise(&mut value);
            if !checker.is_valid(&value) {
                return None;
            }
        }
        Some(value)
    };
    if let Some(default) = default.and_then(settled) {
        object.insert("default".to_owned(), default);
    }
    if let Some(Value::Array(examples)) = examples {
        let examples: Vec<Value> = examples.into_iter().filter_map(settled).collect();
        if !examples.is_empty() {
            object.insert("examples".to_owned(), examples.into());
        }
    }
}
