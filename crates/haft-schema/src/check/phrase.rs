//! What a schema asks for, in a few words.

use serde_json::Value;

use super::excerpt;
use super::graph::{Graph, Id, Node};
use super::number;
use super::render;
use super::types::TypeSet;

/// The most characters of a phrase that is part of another.
const PART_CHARS: usize = 80;
/// The most alternatives that one phrase joins.
const JOINED: usize = 4;
/// The most options that a phrase lists.
const LISTED: usize = 12;
/// How deep phrases go into a schema.
const DEPTH: usize = 3;
/// Bounds past this come from the width of an integer type, and say nothing to a reader.
const TELLING: f64 = 2_147_483_647.0;

/// What the node asks for, e.g. `a string` or `one of "a", "b"`; `None` if it admits about anything.
pub(crate) fn expectation(graph: &Graph, id: Id) -> Option<String> {
    phrase(graph, id, DEPTH)
}

/// Options in words, e.g. `one of "a", "b"`.
pub(crate) fn one_of(options: &[Value]) -> String {
    match options {
        [only] => excerpt::json(only, PART_CHARS),
        several => {
            let listed: Vec<String> =
                several.iter().take(LISTED).map(|value| excerpt::json(value, PART_CHARS)).collect();
            format!("one of {}", render::list(&listed, several.len() - listed.len()))
        }
    }
}

fn phrase(graph: &Graph, id: Id, depth: usize) -> Option<String> {
    let depth = depth.checked_sub(1)?;
    if let Some(options) = graph.first(id, |node| node.options.as_ref()) {
        return Some(one_of(options));
    }
    let union = graph.first(id, |node| node.unions.first());
    if let Some(phrase) = union.and_then(|union| alternatives(graph, &union.branches, depth)) {
        return Some(phrase);
    }
    let types = graph.admitted_types(id);
    if types == TypeSet::ALL || types == TypeSet::NONE {
        return None;
    }
    let nodes: Vec<&Node> = graph.together(id).into_iter().map(|part| &graph.nodes[part]).collect();
    Some(match types {
        TypeSet::STRING => string(&nodes),
        TypeSet::INTEGER => format!("an integer{}", range(&nodes)),
        TypeSet::NUMBER => format!("a number{}", range(&nodes)),
        TypeSet::ARRAY => array(graph, &nodes, depth),
        TypeSet::OBJECT => object(graph, &nodes),
        several => render::types(&several.names()),
    })
}

fn alternatives(graph: &Graph, branches: &[Id], depth: usize) -> Option<String> {
    let mut phrases: Vec<String> = Vec::new();
    for &branch in branches.iter().take(JOINED + 1) {
        let phrase = phrase(graph, branch, depth)?;
        if !phrases.contains(&phrase) {
            phrases.push(phrase);
        }
    }
    (phrases.len() <= JOINED).then(|| phrases.join(" or "))
}

fn assertion<'a>(nodes: &[&'a Node], keyword: &str) -> Option<&'a Value> {
    nodes.iter().find_map(|node| node.assertions.get(keyword))
}

fn string(nodes: &[&Node]) -> String {
    let format = assertion(nodes, "format").and_then(Value::as_str);
    if let Some(words) = format.and_then(render::format_words) {
        return words.to_owned();
    }
    if let Some(pattern) = assertion(nodes, "pattern").and_then(Value::as_str) {
        return format!("a string matching {}", excerpt::plain(pattern, PART_CHARS));
    }
    if let Some(format) = format {
        return format!("a string in the format {}", excerpt::plain(format, PART_CHARS));
    }
    let length = |keyword| assertion(nodes, keyword).and_then(Value::as_u64);
    match (length("minLength"), length("maxLength")) {
        (Some(min), Some(max)) if min == max => format!("a string of {max} characters"),
        (Some(1), None) => "a non-empty string".to_owned(),
        (None | Some(0), Some(max)) => format!("a string of at most {max} characters"),
        (Some(min), Some(max)) => format!("a string of {min} to {max} characters"),
        (Some(min), None) if min > 0 => format!("a string of at least {min} characters"),
        _ => "a string".to_owned(),
    }
}

fn range(nodes: &[&Node]) -> String {
    let multiple = match assertion(nodes, "multipleOf") {
        Some(Value::Number(of)) => format!(" that is a multiple of {}", number::text(of)),
        _ => String::new(),
    };
    format!("{}{multiple}", bounds(nodes))
}

fn bounds(nodes: &[&Node]) -> String {
    let telling = |keyword| {
        let number = assertion(nodes, keyword)?.as_number()?;
        number.as_f64().is_some_and(|n| n.abs() < TELLING).then(|| number::text(number))
    };
    let (above, below) = (telling("exclusiveMinimum"), telling("exclusiveMaximum"));
    match (telling("minimum"), telling("maximum"), above, below) {
        (Some(min), Some(max), None, None) => format!(" from {min} to {max}"),
        (min, max, above, below) => {
            let bounds = [
                min.map(|n| format!("at least {n}")),
                above.map(|n| format!("greater than {n}")),
                max.map(|n| format!("at most {n}")),
                below.map(|n| format!("less than {n}")),
            ];
            let bounds: Vec<String> = bounds.into_iter().flatten().collect();
            if bounds.is_empty() { String::new() } else { format!(", {}", bounds.join(" and ")) }
        }
    }
}

fn array(graph: &Graph, nodes: &[&Node], depth: usize) -> String {
    let items = nodes.iter().find(|node| node.prefix_items.is_empty()).and_then(|node| node.items);
    let Some(item) = items else { return "an array".to_owned() };
    match graph.admitted_types(item).names().as_slice() {
        ["string"] if phrase(graph, item, depth).as_deref() == Some("a string") => "an array of strings".to_owned(),
        ["integer"] => "an array of integers".to_owned(),
        ["number"] => "an array of numbers".to_owned(),
        ["object"] => "an array of objects".to_owned(),
        _ => match phrase(graph, item, depth) {
            Some(item) => format!("an array; each item {item}"),
            None => "an array".to_owned(),
        },
    }
}

fn object(graph: &Graph, nodes: &[&Node]) -> String {
    let mut names: Vec<String> = Vec::new();
    for node in nodes {
        for name in &node.required {
            // A tag says more than that it must be there.
            let tag = node.properties.get(name).and_then(|&id| graph.first(id, |node| node.options.as_ref()));
            let name = match tag.map(Vec::as_slice) {
                Some([only]) => format!("\"{name}\": {}", excerpt::json(only, PART_CHARS)),
                _ => format!("\"{name}\""),
            };
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    if names.is_empty() { "an object".to_owned() } else { format!("an object with {}", render::list(&names, 0)) }
}
