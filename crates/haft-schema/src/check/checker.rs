//! The check: a value in, all its violations out. Next: `explain`, for values that the validator refuses.

use std::fmt;

use jsonschema::Validator;
use serde_json::Value;

use super::bounds;
use super::compile;
use super::cost::Cost;
use super::excerpt::Excerpt;
use super::explain;
use super::graph::Graph;
use super::normalise;
use super::number;
use super::problem::Problem;
use super::violation::{Violation, ViolationKind};

/// A compiled schema.
///
/// Compiled once, immutable, and shared between threads. References never leave the document; the cost of compiling and of
/// checking is bounded whatever the schema and the value are.
pub struct Checker {
    validator: Validator,
    graph: Graph,
    cost: Cost,
    /// The most levels of a value.
    depth: usize,
}

impl Checker {
    /// Compiles a schema, in the dialect that its `$schema` names or else 2020-12. `format` refuses values only where the
    /// dialect says so (draft-07 and earlier).
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the schema, each with its place: an unknown dialect, references out of the document or
    /// to nowhere, schemas that refer to themselves for the same value, unusable patterns, keywords with values of the wrong
    /// kind, documents that are too deep or too large.
    ///
    /// spec: basic#json-schema-usage
    pub fn compile(schema: &Value) -> Result<Self, Vec<Problem>> {
        compile::compile(schema, false)
    }

    /// Compiles a schema as [`compile`](Self::compile) does, with `format` refusing values in every dialect. Formats that
    /// the dialect doesn't define are ignored.
    ///
    /// # Errors
    ///
    /// As for [`compile`](Self::compile).
    pub fn compile_with_formats(schema: &Value) -> Result<Self, Vec<Problem>> {
        compile::compile(schema, true)
    }

    pub(crate) fn new(validator: Validator, graph: Graph, depth: usize) -> Self {
        let cost = Cost::of(&graph);
        Self { validator, graph, cost, depth }
    }

    #[cfg(test)]
    pub(crate) fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Prepares a value for the check. Doing so twice changes nothing more.
    ///
    /// - Numbers become what they are without serde_json's `arbitrary_precision`: `1e3` a double, integers beyond 64 bits too.
    /// - A `null` is removed where the schema declares the property, doesn't require it, and doesn't admit null there.
    /// - A whole number spelled as a double (`2.0`) becomes an integer where the schema says `integer`.
    ///
    /// Places are found by the schema's path: through properties, items, references, `allOf`, and the branch of a union that
    /// the value means. Nothing else is changed. Values nested deeper than the check allows stay as they are.
    pub fn normalise(&self, instance: &mut Value) {
        if bounds::is_shallow(instance, self.depth) {
            normalise::normalise(&self.graph, instance);
        }
    }

    /// Whether a value fits the schema. Allocates nothing for most schemas. One that would take too long to check doesn't fit.
    pub fn is_valid(&self, instance: &Value) -> bool {
        if !bounds::is_shallow(instance, self.depth) || !self.cost.is_bearable(&self.graph, instance) {
            return false;
        }
        match number::keep_their_text().then(|| canonical_copy(instance)).flatten() {
            Some(copy) => !has_out_of_range(&copy) && self.validator.is_valid(&copy),
            None => self.validator.is_valid(instance),
        }
    }

    /// All violations of the schema by a value; none if it fits.
    ///
    /// In the order of the schema: required members in the order of `required`, then the others by name, then unknown ones.
    /// At most 1,000; if there may be more, the last is [`ViolationKind::Unfinished`].
    pub fn check(&self, instance: &Value) -> Vec<Violation> {
        if !bounds::is_shallow(instance, self.depth) {
            return vec![Violation::new("", ViolationKind::Depth { limit: self.depth })];
        }
        if !self.cost.is_bearable(&self.graph, instance) {
            return vec![Violation::new("", ViolationKind::Cost)];
        }
        if let Some(copy) = number::keep_their_text().then(|| canonical_copy(instance)).flatten() {
            let mut violations = Vec::new();
            out_of_range(&copy, &mut String::new(), &mut violations);
            return if violations.is_empty() { self.check_canonical(&copy) } else { violations };
        }
        self.check_canonical(instance)
    }

    fn check_canonical(&self, instance: &Value) -> Vec<Violation> {
        if self.validator.is_valid(instance) {
            return Vec::new();
        }
        let mut violations = explain::explain(&self.graph, instance);
        if violations.is_empty() {
            // The verdict is the validator's: without words of its own, it still stands.
            violations.push(Violation { got: Some(Excerpt::of(instance)), ..Violation::new("", ViolationKind::Unfit) });
        }
        violations
    }

    /// The violation of a value that fits the schema and was refused by what reads it (a `TryFrom`), at `pointer`, for
    /// `reason`. It has the schema's description of the place, and reads like all others.
    pub fn rejected(&self, instance: &Value, pointer: &str, reason: &str) -> Violation {
        let (description, example) = if bounds::is_shallow(instance, self.depth) {
            explain::about(&self.graph, instance, pointer)
        } else {
            (None, None)
        };
        Violation {
            pointer: pointer.to_owned(),
            kind: ViolationKind::Rejected { reason: reason.to_owned() },
            got: instance.pointer(pointer).map(Excerpt::of),
            description,
            example,
        }
    }
}

impl fmt::Debug for Checker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checker").field("subschemas", &self.graph.nodes.len()).finish_non_exhaustive()
    }
}

/// The value with canonical numbers; `None` if it has no others.
fn canonical_copy(value: &Value) -> Option<Value> {
    fn has_others(value: &Value) -> bool {
        match value {
            Value::Number(number) => number::canonical(number).is_some() || number::is_out_of_range(number),
            Value::Array(items) => items.iter().any(has_others),
            Value::Object(members) => members.values().any(has_others),
            Value::Null | Value::Bool(_) | Value::String(_) => false,
        }
    }
    has_others(value).then(|| {
        let mut copy = value.clone();
        number::canonicalise(&mut copy, bounds::VALUE_DEPTH + 1);
        copy
    })
}

fn has_out_of_range(value: &Value) -> bool {
    match value {
        Value::Number(number) => number::is_out_of_range(number),
        Value::Array(items) => items.iter().any(has_out_of_range),
        Value::Object(members) => members.values().any(has_out_of_range),
        Value::Null | Value::Bool(_) | Value::String(_) => false,
    }
}

fn out_of_range(value: &Value, pointer: &mut String, violations: &mut Vec<Violation>) {
    let length = pointer.len();
    match value {
        Value::Number(number) if number::is_out_of_range(number) && violations.len() < bounds::VIOLATIONS => {
            let got = Some(Excerpt::of(value));
            violations.push(Violation { got, ..Violation::new(pointer.clone(), ViolationKind::NumberRange) });
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                pointer.push_str(&format!("/{index}"));
                out_of_range(item, pointer, violations);
                pointer.truncate(length);
            }
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_unstable_by_key(|(name, _)| *name);
            for (name, member) in members {
                pointer.push('/');
                pointer.push_str(&super::lower::escape(name));
                out_of_range(member, pointer, violations);
                pointer.truncate(length);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
