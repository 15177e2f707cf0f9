//! Bounds on schemas and values, so that no input, however hostile, costs more than its size.

use serde_json::Value;

use super::problem::Problem;

/// The most levels of arrays and objects in a schema document.
pub(crate) const SCHEMA_DEPTH: usize = 128;
/// The most subschemas that can be reached from the root.
pub(crate) const SUBSCHEMAS: usize = 10_000;
/// The most objects and arrays in a schema document.
pub(crate) const CONTAINERS: usize = 50_000;
/// The most subschemas that apply to one value in a row (`$ref` to `$ref`, `allOf` in `allOf`).
pub(crate) const CHAIN: usize = 64;
/// The most bytes of a regular expression.
pub(crate) const PATTERN_BYTES: usize = 4_096;
/// The most bytes that a compiled regular expression may take.
pub(crate) const PATTERN_MEMORY: usize = 4 << 20;
/// The most steps back that a regular expression with lookaround may take on one string.
pub(crate) const BACKTRACKS: usize = 50_000;
/// The most matches that reach that limit before an explanation ends.
pub(crate) const COSTLY_MATCHES: usize = 20;
/// The most levels of arrays and objects in a value.
pub(crate) const VALUE_DEPTH: usize = 128;
/// The most subschemas that can be open at once in a check, which 2 MiB of stack hold in a debug build.
const FRAMES: usize = 2_048;
/// The most violations that are listed.
pub(crate) const VIOLATIONS: usize = 1_000;
/// The most places (a subschema at a value) that are visited to explain why a value is refused.
pub(crate) const STEPS: usize = 2_000_000;

/// What is too large about a schema document. Iterative: a document can be nested deeper than the stack.
pub(crate) fn of_schema(schema: &Value) -> Result<(), Problem> {
    let mut left = CONTAINERS;
    let mut pending = vec![(schema, 0)];
    while let Some((value, depth)) = pending.pop() {
        if !value.is_array() && !value.is_object() {
            continue;
        }
        if depth == SCHEMA_DEPTH {
            return Err(Problem::new(
                "schema",
                "",
                format!("the schema is nested deeper than {SCHEMA_DEPTH} levels; move parts of it into $defs"),
            ));
        }
        let Some(fewer) = left.checked_sub(1) else {
            return Err(Problem::new(
                "schema",
                "",
                format!("the schema has more than {CONTAINERS} objects and arrays"),
            ));
        };
        left = fewer;
        match value {
            Value::Array(items) => pending.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(members) => pending.extend(members.values().map(|member| (member, depth + 1))),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    Ok(())
}

/// The most levels of a value that a schema can be checked at, given the longest row of subschemas that applies to one
/// value: together they decide how much stack a check takes.
pub(crate) fn value_depth(chain: usize) -> usize {
    (FRAMES / (chain + 1)).min(VALUE_DEPTH)
}

/// Whether no part of a value is nested deeper than `depth` levels. Allocates nothing.
pub(crate) fn is_shallow(value: &Value, depth: usize) -> bool {
    match value {
        Value::Array(items) => depth > 0 && items.iter().all(|item| is_shallow(item, depth - 1)),
        Value::Object(members) => depth > 0 && members.values().all(|member| is_shallow(member, depth - 1)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}
