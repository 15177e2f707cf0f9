//! Which branch of a failed `anyOf` or `oneOf` was meant.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::graph::{Graph, Id, Union};
use super::number;
use super::types::TypeSet;
use super::walk::Walk;

/// The most values of all branches that are put together: several may refer to one long list.
const OPTIONS: usize = 10_000;
/// Children of a value that count for the choice between branches.
const COUNTED: usize = 1_000;

/// What is to be said about a value that fits no branch of a union, or too many.
pub(crate) enum Choice<'a> {
    /// This branch was meant: say what is wrong by it.
    Branch(Id),
    /// The value is of a type that no branch admits.
    Types(TypeSet),
    /// All branches that could be meant are lists of values.
    Options(Vec<&'a Value>),
    /// The member that tells the branches apart has none of their values.
    Tag { name: &'a str, options: &'a [Value] },
    /// The member that tells the branches apart is absent.
    NoTag { name: &'a str, options: &'a [Value] },
    /// Each branch has one member of its own, and the value has another.
    Keys { known: Vec<&'a str> },
    /// The value is neither one of these, nor an object with one of these as its only member.
    Forms { options: Vec<&'a Value>, keys: Vec<&'a str> },
    /// Any of these branches may be meant.
    Open(Vec<Id>),
    /// The value fits several branches that exclude each other.
    Ambiguous(Vec<Id>),
}

/// Decides what to say about a value that a union refuses.
pub(crate) fn choose<'a>(walk: &mut Walk<'a>, union: &'a Union, value: &Value) -> Choice<'a> {
    let graph = walk.graph;
    if union.exclusive {
        let fitting = walk.fitting(union, value);
        if fitting.len() > 1 {
            return Choice::Ambiguous(fitting);
        }
    }
    let of_options: Option<Vec<&Vec<Value>>> =
        union.branches.iter().map(|&branch| graph.first(branch, |node| node.options.as_ref())).collect();
    if let Some(options) = of_options.filter(|options| !options.is_empty()) {
        return Choice::Options(options.into_iter().flatten().take(OPTIONS).collect());
    }
    if let Some(forms) = forms(graph, union, value) {
        return forms;
    }
    let kind = TypeSet::of(value);
    let candidates: Vec<Id> =
        union.branches.iter().copied().filter(|&branch| graph.admitted_types(branch).meets(kind)).collect();
    match candidates.as_slice() {
        [] => {
            let admitted = |set: TypeSet, branch: &Id| set.or(graph.admitted_types(*branch));
            Choice::Types(union.branches.iter().fold(TypeSet::NONE, admitted))
        }
        [only] => Choice::Branch(*only),
        several => match value {
            Value::Object(members) => among_objects(walk, union, several, members, value),
            _ => nearest(walk, several, value),
        },
    }
}

/// A union of plain values and of objects told apart by their only member, which is how serde writes an enum by default.
fn forms<'a>(graph: &'a Graph, union: &'a Union, value: &Value) -> Option<Choice<'a>> {
    let Telling::Key { branch_of } = union.telling(graph) else { return None };
    if value.as_object().is_some_and(|members| !members.is_empty()) {
        return None;
    }
    let mut options = Vec::new();
    for branch in &union.branches {
        if !branch_of.iter().any(|(_, keyed)| keyed == branch) {
            let left = OPTIONS.saturating_sub(options.len());
            options.extend(graph.first(*branch, |node| node.options.as_ref())?.iter().take(left));
        }
    }
    Some(Choice::Forms { options, keys: branch_of.iter().map(|(name, _)| name.as_str()).collect() })
}

fn among_objects<'a>(
    walk: &mut Walk<'a>,
    union: &'a Union,
    branches: &[Id],
    members: &Map<String, Value>,
    value: &Value,
) -> Choice<'a> {
    match union.telling(walk.graph) {
        Telling::Tag { name, branch_of, options } => match members.get(name) {
            None => Choice::NoTag { name, options },
            Some(tag) => match key(tag).and_then(|key| branch_of.get(&key)) {
                Some(&branch) => Choice::Branch(branch),
                None => Choice::Tag { name, options },
            },
        },
        Telling::Key { branch_of } => {
            let named: Vec<Id> =
                branch_of.iter().filter(|(name, _)| members.contains_key(name)).map(|(_, branch)| *branch).collect();
            match named.as_slice() {
                [only] => Choice::Branch(*only),
                [] if !members.is_empty() => {
                    Choice::Keys { known: branch_of.iter().map(|(n, _)| n.as_str()).collect() }
                }
                _ => Choice::Open(branches.to_vec()),
            }
        }
        Telling::Nothing => nearest(walk, branches, value),
    }
}

/// The branch that a value of a tagged union means, whether or not the value fits it.
pub(crate) fn tagged(graph: &Graph, union: &Union, members: &Map<String, Value>) -> Option<Id> {
    match union.telling(graph) {
        Telling::Tag { name, branch_of, .. } => branch_of.get(&key(members.get(name)?)?).copied(),
        Telling::Key { branch_of } => {
            let mut named = branch_of.iter().filter(|(name, _)| members.contains_key(name));
            let (_, branch) = named.next()?;
            named.next().is_none().then_some(*branch)
        }
        Telling::Nothing => None,
    }
}

/// How the branches of a union that admit objects are told apart.
#[derive(Debug)]
pub(crate) enum Telling {
    /// By the value of one member.
    Tag { name: String, branch_of: HashMap<String, Id>, options: Vec<Value> },
    /// By the name of their only member.
    Key { branch_of: Vec<(String, Id)> },
    /// Not by one member alone.
    Nothing,
}

impl Telling {
    pub(crate) fn of(graph: &Graph, branches: &[Id]) -> Self {
        let objects: Vec<Id> =
            branches.iter().copied().filter(|&branch| graph.admitted_types(branch).meets(TypeSet::OBJECT)).collect();
        Self::by_tag(graph, &objects).or_else(|| Self::by_key(graph, &objects)).unwrap_or(Self::Nothing)
    }

    fn by_tag(graph: &Graph, branches: &[Id]) -> Option<Self> {
        let mut names: Vec<&str> = Vec::new();
        for part in graph.together(*branches.first()?) {
            // Required ones first: they tell all values apart.
            names.extend(graph.declared(&graph.nodes[part]));
        }
        names.into_iter().find_map(|name| {
            let mut branch_of = HashMap::new();
            let mut options = Vec::new();
            for &branch in branches {
                for value in pinned(graph, branch, name)? {
                    if branch_of.insert(key(value)?, branch).is_some_and(|other| other != branch) {
                        return None;
                    }
                    options.push(value.clone());
                }
            }
            Some(Self::Tag { name: name.to_owned(), branch_of, options })
        })
    }

    fn by_key(graph: &Graph, branches: &[Id]) -> Option<Self> {
        let mut branch_of: Vec<(String, Id)> = Vec::new();
        for &branch in branches {
            let node = graph.first(branch, |node| (!node.properties.is_empty()).then_some(node))?;
            let rest = node.additional_properties.or(node.unevaluated_properties)?;
            let [name] = node.required.as_slice() else { return None };
            let only = node.properties.len() == 1 && graph.nodes[rest].constant == Some(false);
            if !only || !node.properties.contains_key(name) || branch_of.iter().any(|(other, _)| other == name) {
                return None;
            }
            branch_of.push((name.clone(), branch));
        }
        (!branch_of.is_empty()).then_some(Self::Key { branch_of })
    }
}

/// The values that a branch lists for a member.
fn pinned<'a>(graph: &'a Graph, branch: Id, name: &str) -> Option<&'a [Value]> {
    let member = graph.first(branch, |node| node.properties.get(name).copied())?;
    graph.first(member, |node| node.options.as_deref())
}

/// A tag's value as a key under which equal values meet; `None` for arrays, objects and null.
fn key(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(format!("\"{text}")),
        Value::Number(number) => Some(number::text(number)),
        Value::Bool(value) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The branch with the fewest faults, if it is the only one.
fn nearest<'a>(walk: &mut Walk<'a>, branches: &[Id], value: &Value) -> Choice<'a> {
    let faults: Vec<usize> = branches.iter().map(|&branch| faults(walk, branch, value, 8)).collect();
    let fewest = faults.iter().copied().min().unwrap_or_default();
    let nearest: Vec<Id> = branches.iter().zip(&faults).filter(|(_, n)| **n == fewest).map(|(id, _)| *id).collect();
    match nearest.as_slice() {
        [only] => Choice::Branch(*only),
        _ => Choice::Open(nearest),
    }
}

/// How many faults a value has by a node, counting each faulty child once.
fn faults(walk: &mut Walk<'_>, id: Id, value: &Value, depth: usize) -> usize {
    let graph = walk.graph;
    let node = &graph.nodes[id];
    let Some(depth) = depth.checked_sub(1).filter(|_| walk.step()) else { return 0 };
    if node.constant == Some(false) {
        return 1;
    }
    let mut count = graph.asserted(id).map_or(0, |asserted| asserted.iter_errors(value).take(COUNTED).count());
    for part in node.reference.iter().chain(&node.all_of).copied() {
        count += faults(walk, part, value, depth);
    }
    count += node.unions.iter().filter(|union| !walk.fits_union(union, value)).count();
    match value {
        Value::Object(members) => {
            for (name, member) in members.iter().take(COUNTED) {
                let fits = graph.member_schemas(node, name).into_iter().all(|schema| walk.fits(schema, member));
                count += usize::from(!fits);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().take(COUNTED).enumerate() {
                count += usize::from(graph.item_schema(node, index).is_some_and(|schema| !walk.fits(schema, item)));
            }
        }
        _ => {}
    }
    count
}
