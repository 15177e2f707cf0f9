//! Prepares a value for the check: numbers as they would be read plainly, optional nulls gone, whole numbers as integers.

use serde_json::Value;

use super::bounds;
use super::explain::applying;
use super::graph::{Graph, Id};
use super::number;
use super::walk::Walk;

/// Normalises a value that is known to be of bounded depth.
pub(crate) fn normalise(graph: &Graph, value: &mut Value) {
    if number::keep_their_text() {
        number::canonicalise(value, bounds::VALUE_DEPTH + 1);
    }
    if has_work(value) {
        at(graph, &[Graph::ROOT], value);
    }
}

/// Whether anything in a value could change. Mostly nothing could, and then the schema needn't be walked.
fn has_work(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(_) | Value::String(_) => false,
        Value::Number(number) => number::integer(number).is_some(),
        Value::Array(items) => items.iter().any(has_work),
        Value::Object(members) => members.values().any(has_work),
    }
}

/// Normalises a value to which all these nodes apply.
fn at(graph: &Graph, entered: &[Id], value: &mut Value) {
    if entered.is_empty() {
        return;
    }
    match value {
        Value::Null | Value::Bool(_) | Value::String(_) => {}
        Value::Number(number) => {
            let Some(integer) = number::integer(number) else { return };
            let wanted = nodes(graph, entered, value)
                .into_iter()
                .any(|id| graph.nodes[id].types.is_some_and(|types| types.wants_integers()));
            if wanted {
                *value = Value::Number(integer);
            }
        }
        Value::Array(_) => {
            let nodes = nodes(graph, entered, value);
            let Value::Array(items) = value else { return };
            let schemas = |index| -> Vec<Id> {
                nodes.iter().filter_map(|&id| graph.item_schema(&graph.nodes[id], index)).collect()
            };
            let placed = nodes.iter().map(|&id| graph.nodes[id].prefix_items.len()).max().unwrap_or_default();
            let rest = schemas(placed);
            for (index, item) in items.iter_mut().enumerate() {
                if index < placed {
                    at(graph, &schemas(index), item);
                } else {
                    at(graph, &rest, item);
                }
            }
        }
        Value::Object(_) => {
            let nodes = nodes(graph, entered, value);
            let Value::Object(members) = value else { return };
            members.retain(|name, member| {
                let declared: Vec<Id> =
                    nodes.iter().filter_map(|&id| graph.nodes[id].properties.get(name).copied()).collect();
                let required = || nodes.iter().any(|&id| graph.nodes[id].required.iter().any(|other| other == name));
                if member.is_null() && !declared.is_empty() && !required() {
                    let mut walk = Walk::new(graph);
                    return declared.iter().all(|&schema| walk.fits(schema, &Value::Null));
                }
                true
            });
            for (name, member) in members.iter_mut() {
                let schemas: Vec<Id> =
                    nodes.iter().flat_map(|&id| graph.member_schemas(&graph.nodes[id], name)).collect();
                at(graph, &schemas, member);
            }
        }
    }
}

/// All nodes that apply to a value, given those by which it was entered.
fn nodes(graph: &Graph, entered: &[Id], value: &Value) -> Vec<Id> {
    let mut walk = Walk::new(graph);
    let mut all = Vec::new();
    for &id in entered {
        for part in applying(&mut walk, id, Some(value)) {
            if !all.contains(&part) {
                all.push(part);
            }
        }
    }
    all
}
