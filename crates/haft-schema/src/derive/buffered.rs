//! Maps with integer keys inside enums that serde reads by way of a buffer. There it takes keys for strings only, so that
//! every call that uses one would fail.

use serde_json::Value;

use super::exact::{INTEGER_KEYS, WHOLE_KEYS};
use super::object::{branches, choices, is_object, property, property_names, requires};
use super::place::Place;
use super::variants::is_tagged;
use crate::Problem;

/// Reports each map with integer keys inside a tagged or untagged enum.
pub(super) fn check(exact: &Value, problems: &mut Vec<Problem>) {
    visit(exact, &Place::root(), false, problems);
}

fn visit(schema: &Value, place: &Place, buffered: bool, problems: &mut Vec<Problem>) {
    let patterns = schema.get("patternProperties").and_then(Value::as_object);
    let by_integer =
        patterns.is_some_and(|patterns| [WHOLE_KEYS, INTEGER_KEYS].iter().any(|key| patterns.contains_key(*key)));
    if buffered && by_integer {
        let message = format!(
            "{} is a map with integer keys inside an enum, where serde reads keys as strings only; use a map from `String`, or a list",
            place.subject()
        );
        let problem = place.problem("schema", message);
        if !problems.iter().any(|known| known.message == problem.message) {
            problems.push(problem);
        }
    }
    for name in property_names(schema) {
        if let Some(member) = property(schema, name) {
            visit(member, &place.property(name), buffered, problems);
        }
    }
    if let Some(items) = schema.get("items") {
        visit(items, &place.items(), buffered, problems);
    }
    let values = patterns.into_iter().flat_map(|patterns| patterns.values()).chain(schema.get("additionalProperties"));
    for values in values {
        visit(values, &place.values(), buffered, problems);
    }
    let Some((keyword, parts)) = branches(schema) else { return };
    let buffered = buffered || is_tagged(parts) || !(place.is_root() || is_external(parts));
    for (index, part) in parts.iter().enumerate() {
        visit(part, &place.keyword(keyword, index), buffered, problems);
    }
}

/// Whether each variant is a name, or an object with one member that is named after it: serde reads such an enum directly.
fn is_external(parts: &[Value]) -> bool {
    parts.iter().all(|part| match property_names(part).as_slice() {
        [only] => is_object(part) && requires(part, only),
        _ => choices(part).is_some(),
    })
}
