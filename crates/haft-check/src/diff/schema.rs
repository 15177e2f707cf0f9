//! Whether a schema accepts more or less than another did.
//!
//! A schema is the conjunction of its keywords, so it accepts more when each of them does. Keywords are compared one by one;
//! a union is compared branch by branch. Where the answer can't be told from there, it is [`Way::Unknown`].

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashSet};

use serde_json::{Map, Value};

use super::hash::canonical;
use crate::json::escape;

/// In which way something differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// It accepts values that it didn't.
    Wider,
    /// It no longer accepts values that it did.
    Narrower,
    /// It names an optional member that nobody could know of.
    Addition,
    /// What is left out means something else.
    Default,
    /// Accepts more or less or both.
    Unknown,
    /// A text differs, and nothing else.
    Text,
}

/// One difference.
#[derive(Debug)]
pub(super) struct Delta {
    pub(super) pointer: String,
    pub(super) way: Way,
    pub(super) message: String,
}

/// Schemas that are compared in one run; a union of unions can ask for many more.
const MOST: usize = 50_000;
/// Schemas within one another, references followed.
const DEEPEST: usize = 100;

/// Keywords that accept and refuse nothing.
const TEXTS: [&str; 9] =
    ["title", "description", "examples", "$comment", "deprecated", "readOnly", "writeOnly", "$id", "$anchor"];
/// Keywords that are looked at by the functions below.
const KNOWN: [&str; 28] = [
    "type",
    "enum",
    "const",
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "pattern",
    "format",
    "uniqueItems",
    "required",
    "properties",
    "patternProperties",
    "additionalProperties",
    "items",
    "prefixItems",
    "anyOf",
    "allOf",
    "default",
    "$ref",
    "x-mcp-header",
];
/// Keywords that hold definitions for others, or say how to read them.
const ASIDE: [&str; 3] = ["$defs", "definitions", "$schema"];

pub(super) fn compare(old: &Value, new: &Value) -> Vec<Delta> {
    let mut comparison = Comparison { old, new, left: MOST, depth: 0, open: HashSet::new(), deltas: Vec::new() };
    comparison.schemas(old, new, "");
    comparison.deltas
}

struct Comparison<'a> {
    old: &'a Value,
    new: &'a Value,
    left: usize,
    depth: usize,
    /// Pairs that are being compared: a schema that comes back to itself differs nowhere new.
    open: HashSet<(*const Value, *const Value)>,
    deltas: Vec<Delta>,
}

impl<'a> Comparison<'a> {
    fn say(&mut self, at: &str, way: Way, message: impl Into<String>) {
        self.deltas.push(Delta { pointer: at.to_owned(), way, message: message.into() });
    }

    fn schemas(&mut self, old: &'a Value, new: &'a Value, at: &str) {
        if (beside(old) || beside(new)) && old != new {
            self.say(at, Way::Unknown, "what stands beside `$ref` differs, and what that means can't be decided");
        }
        let (old, new) = (resolved(self.old, old), resolved(self.new, new));
        if std::ptr::eq(old, new) || !self.open.insert((old, new)) {
            return;
        }
        if self.left == 0 || self.depth == DEEPEST {
            self.say(at, Way::Unknown, "the schemas are too large or too deep to be compared further");
        } else {
            self.left -= 1;
            self.depth += 1;
            match (old, new) {
                (Value::Object(old), Value::Object(new)) => self.keywords(old, new, at),
                _ => match (accepts_all(old), accepts_all(new)) {
                    (Some(was), Some(is)) if was == is => {}
                    (Some(false), _) | (_, Some(true)) => {
                        self.say(at, Way::Wider, "this takes anything it didn't before")
                    }
                    (Some(true), _) | (_, Some(false)) => {
                        self.say(at, Way::Narrower, "this takes less than anything now")
                    }
                    _ => self.say(at, Way::Unknown, "this is no schema"),
                },
            }
            self.depth -= 1;
        }
        self.open.remove(&(std::ptr::from_ref(old), std::ptr::from_ref(new)));
    }

    fn keywords(&mut self, old: &'a Map<String, Value>, new: &'a Map<String, Value>, at: &str) {
        // One that leads nowhere within the document.
        if old.get("$ref") != new.get("$ref") {
            self.say(&format!("{at}/$ref"), Way::Unknown, "this reference can't be followed");
        }
        for text in TEXTS {
            if old.get(text) != new.get(text) {
                self.say(&format!("{at}/{text}"), Way::Text, format!("`{text}` differs"));
            }
        }
        self.types(old, new, at);
        self.values(old, new, at);
        self.bounds(old, new, at);
        self.opaque(old, new, at);
        self.members(old, new, at);
        self.items(old, new, at);
        self.union(old, new, at);
        if old.get("default") != new.get("default") {
            self.say(
                &format!("{at}/default"),
                Way::Default,
                "the default differs: what is left out means something else",
            );
        }
        let all: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        for keyword in all {
            let name = keyword.as_str();
            let looked_at = TEXTS.contains(&name) || KNOWN.contains(&name) || ASIDE.contains(&name);
            if !looked_at && old.get(name) != new.get(name) {
                let message = format!("`{name}` differs, and what that means can't be decided");
                self.say(&format!("{at}/{}", escape(name)), Way::Unknown, message);
            }
        }
    }

    fn types(&mut self, old: &Map<String, Value>, new: &Map<String, Value>, at: &str) {
        let (before, after) = (type_set(old), type_set(new));
        self.sets(&before, &after, &format!("{at}/type"), "the type");
    }

    /// Sets of what is accepted: more of them is wider.
    fn sets(&mut self, before: &BTreeSet<String>, after: &BTreeSet<String>, at: &str, what: &str) {
        let list = |these: &BTreeSet<String>, those: &BTreeSet<String>| {
            these.difference(those).take(5).cloned().collect::<Vec<_>>().join(", ")
        };
        if !before.is_subset(after) {
            self.say(at, Way::Narrower, format!("{what} no longer takes {}", list(before, after)));
        }
        if !after.is_subset(before) {
            self.say(at, Way::Wider, format!("{what} takes {} as well", list(after, before)));
        }
    }

    fn values(&mut self, old: &Map<String, Value>, new: &Map<String, Value>, at: &str) {
        let values = |schema: &Map<String, Value>| -> Option<BTreeSet<String>> {
            let one = canonical;
            match (schema.get("const"), schema.get("enum").and_then(Value::as_array)) {
                (Some(value), _) => Some(BTreeSet::from([one(value)])),
                (None, Some(values)) => Some(values.iter().map(one).collect()),
                (None, None) => None,
            }
        };
        let place =
            format!("{at}/{}", if new.contains_key("const") || old.contains_key("const") { "const" } else { "enum" });
        match (values(old), values(new)) {
            (Some(before), Some(after)) => self.sets(&before, &after, &place, "the list of values"),
            (None, Some(_)) => self.say(&place, Way::Narrower, "only listed values are taken now"),
            (Some(_), None) => self.say(&place, Way::Wider, "values aren't listed any more"),
            (None, None) => {}
        }
    }

    fn bounds(&mut self, old: &Map<String, Value>, new: &Map<String, Value>, at: &str) {
        for (keyword, upper) in [
            ("minimum", false),
            ("exclusiveMinimum", false),
            ("minLength", false),
            ("minItems", false),
            ("minProperties", false),
            ("maximum", true),
            ("exclusiveMaximum", true),
            ("maxLength", true),
            ("maxItems", true),
            ("maxProperties", true),
        ] {
            let (before, after) = (old.get(keyword), new.get(keyword));
            let place = format!("{at}/{keyword}");
            match (before.map(Value::as_f64), after.map(Value::as_f64)) {
                (None, None) => {}
                (Some(Some(was)), Some(Some(is))) => match is.partial_cmp(&was) {
                    Some(Ordering::Equal) => {}
                    Some(order) => {
                        let way = if (order == Ordering::Less) == upper { Way::Narrower } else { Way::Wider };
                        self.say(&place, way, format!("`{keyword}` was {was} and is {is}"));
                    }
                    None => self.say(&place, Way::Unknown, format!("`{keyword}` can't be compared")),
                },
                (None, Some(Some(is))) => self.say(&place, Way::Narrower, format!("`{keyword}` is {is} now")),
                (Some(Some(_)), None) => self.say(&place, Way::Wider, format!("`{keyword}` is gone")),
                _ if before == after => {}
                _ => self.say(&place, Way::Unknown, format!("`{keyword}` is no number")),
            }
        }
    }

    /// Keywords of which one can only say that they are there, or the same.
    fn opaque(&mut self, old: &Map<String, Value>, new: &Map<String, Value>, at: &str) {
        for keyword in ["pattern", "format", "multipleOf", "uniqueItems", "x-mcp-header"] {
            let (before, after) = (present(old, keyword), present(new, keyword));
            let place = format!("{at}/{keyword}");
            match (before, after) {
                (Some(was), Some(is)) if was != is => {
                    let message =
                        format!("`{keyword}` was {was} and is {is}; whether that takes more can't be decided");
                    self.say(&place, Way::Unknown, message);
                }
                (None, Some(is)) if keyword != "x-mcp-header" => {
                    self.say(&place, Way::Narrower, format!("`{keyword}` is {is} now"));
                }
                (Some(_), None) if keyword != "x-mcp-header" => {
                    self.say(&place, Way::Wider, format!("`{keyword}` is gone"));
                }
                (None, Some(_)) | (Some(_), None) => {
                    self.say(&place, Way::Unknown, "clients mirror this argument into a header, or no longer do");
                }
                _ => {}
            }
        }
    }

    fn members(&mut self, old: &'a Map<String, Value>, new: &'a Map<String, Value>, at: &str) {
        let (needed, needs) = (strings(old.get("required")), strings(new.get("required")));
        for name in needs.difference(&needed) {
            self.say(&format!("{at}/required"), Way::Narrower, format!("`{name}` is required now"));
        }
        for name in needed.difference(&needs) {
            self.say(&format!("{at}/required"), Way::Wider, format!("`{name}` is no longer required"));
        }
        if old.get("patternProperties") != new.get("patternProperties") {
            let message = "`patternProperties` differs, and what that means can't be decided";
            self.say(&format!("{at}/patternProperties"), Way::Unknown, message);
        }
        let (before, after) = (object(old.get("properties")), object(new.get("properties")));
        let (others_before, others_after) = (old.get("additionalProperties"), new.get("additionalProperties"));
        let names: BTreeSet<&String> = before.into_iter().chain(after).flat_map(Map::keys).collect();
        for name in names {
            let place = format!("{at}/properties/{}", escape(name));
            match (before.and_then(|list| list.get(name)), after.and_then(|list| list.get(name))) {
                (Some(was), Some(is)) => self.schemas(was, is, &place),
                (Some(was), None) => match others_after {
                    Some(Value::Bool(false)) => {
                        self.say(&place, Way::Narrower, format!("`{name}` is no longer taken"));
                    }
                    None | Some(Value::Bool(true)) => {
                        self.say(&place, Way::Wider, format!("nothing is said of `{name}` any more"));
                    }
                    Some(is) => self.schemas(was, is, &place),
                },
                (None, Some(is)) => match others_before {
                    Some(Value::Bool(false)) => self.say(&place, Way::Wider, format!("`{name}` is taken as well")),
                    None | Some(Value::Bool(true)) => self.say(&place, Way::Addition, format!("`{name}` is new")),
                    Some(was) => self.schemas(was, is, &place),
                },
                (None, None) => {}
            }
        }
        self.rest(others_before, others_after, &format!("{at}/additionalProperties"), "other members");
    }

    fn items(&mut self, old: &'a Map<String, Value>, new: &'a Map<String, Value>, at: &str) {
        let list = |schema: &'a Map<String, Value>| schema.get("prefixItems").and_then(Value::as_array);
        let (before, after) = (list(old), list(new));
        let (first, then) = (before.map_or(&[][..], Vec::as_slice), after.map_or(&[][..], Vec::as_slice));
        for index in 0..first.len().max(then.len()) {
            let place = format!("{at}/prefixItems/{index}");
            match (first.get(index).or(old.get("items")), then.get(index).or(new.get("items"))) {
                (Some(was), Some(is)) => self.schemas(was, is, &place),
                (was, is) => self.rest(was, is, &place, "this item"),
            }
        }
        self.rest(old.get("items"), new.get("items"), &format!("{at}/items"), "items");
    }

    /// A schema for all others, which may be absent: then they may be anything.
    fn rest(&mut self, old: Option<&'a Value>, new: Option<&'a Value>, at: &str, what: &str) {
        match (old, new) {
            (None, None) => {}
            (Some(was), Some(is)) => self.schemas(was, is, at),
            (None, Some(is)) if accepts_all(is) == Some(true) => {}
            (Some(was), None) if accepts_all(was) == Some(true) => {}
            (None, Some(_)) => self.say(at, Way::Narrower, format!("{what} may no longer be anything")),
            (Some(_), None) => self.say(at, Way::Wider, format!("{what} may be anything now")),
        }
    }

    fn union(&mut self, old: &'a Map<String, Value>, new: &'a Map<String, Value>, at: &str) {
        let branches = |schema: &'a Map<String, Value>, keyword| schema.get(keyword).and_then(Value::as_array);
        match (branches(old, "allOf"), branches(new, "allOf")) {
            (Some(before), Some(after)) if before.len() == after.len() => {
                for (index, (was, is)) in before.iter().zip(after).enumerate() {
                    self.schemas(was, is, &format!("{at}/allOf/{index}"));
                }
            }
            (before, after) => self.there(before, after, &format!("{at}/allOf")),
        }
        match (branches(old, "anyOf"), branches(new, "anyOf")) {
            (Some(before), Some(after)) if before.len() == after.len() && Self::pairwise(before, after) => {
                for (index, (was, is)) in before.iter().zip(after).enumerate() {
                    self.schemas(was, is, &format!("{at}/anyOf/{index}"));
                }
            }
            (Some(before), Some(after)) => {
                for (index, was) in before.iter().enumerate() {
                    if !after.iter().any(|is| self.within(was, is)) {
                        let place = format!("{at}/anyOf");
                        self.say(&place, Way::Narrower, format!("no branch takes all that branch {index} took"));
                    }
                }
                for (index, is) in after.iter().enumerate() {
                    if !before.iter().any(|was| self.reaches(was, is)) {
                        self.say(&format!("{at}/anyOf/{index}"), Way::Wider, "this branch takes what none did");
                    }
                }
            }
            (before, after) => self.there(before, after, &format!("{at}/anyOf")),
        }
    }

    fn there(&mut self, before: Option<&Vec<Value>>, after: Option<&Vec<Value>>, at: &str) {
        match (before, after) {
            (None, None) => {}
            (None, Some(_)) => self.say(at, Way::Narrower, "one more thing is asked for"),
            (Some(_), None) => self.say(at, Way::Wider, "one thing less is asked for"),
            (Some(was), Some(is)) if was == is => {}
            _ => self.say(at, Way::Unknown, "this differs, and what that means can't be decided"),
        }
    }

    /// Whether branches of unions belong to each other one by one: they differ in at most one.
    fn pairwise(before: &[Value], after: &[Value]) -> bool {
        before.iter().zip(after).filter(|(was, is)| was != is).count() <= 1
    }

    /// Whether `new` takes all that `old` took.
    fn within(&mut self, old: &'a Value, new: &'a Value) -> bool {
        self.left > 0 && self.apart(old, new).iter().all(|way| matches!(way, Way::Wider | Way::Text | Way::Default))
    }

    /// Whether `old` took all that `new` takes.
    fn reaches(&mut self, old: &'a Value, new: &'a Value) -> bool {
        let narrower = |way: &Way| matches!(way, Way::Narrower | Way::Addition | Way::Text | Way::Default);
        self.left > 0 && self.apart(old, new).iter().all(narrower)
    }

    /// The ways in which two schemas differ, told to nobody.
    fn apart(&mut self, old: &'a Value, new: &'a Value) -> Vec<Way> {
        let told = std::mem::take(&mut self.deltas);
        self.schemas(old, new, "");
        std::mem::replace(&mut self.deltas, told).into_iter().map(|delta| delta.way).collect()
    }
}

/// The schema that a reference leads to, if it leads anywhere within the document.
fn resolved<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let mut schema = schema;
    for _ in 0..DEEPEST {
        let target = schema.get("$ref").and_then(Value::as_str).and_then(|reference| reference.strip_prefix('#'));
        match target.and_then(|pointer| root.pointer(pointer)) {
            Some(next) => schema = next,
            None => break,
        }
    }
    schema
}

/// Whether keywords that ask for something stand beside a reference.
fn beside(schema: &Value) -> bool {
    let keywords = schema.as_object().filter(|keywords| keywords.contains_key("$ref"));
    keywords.is_some_and(|keywords| {
        keywords.keys().any(|name| name != "$ref" && !TEXTS.contains(&name.as_str()) && !ASIDE.contains(&name.as_str()))
    })
}

/// `true` and `{}`, or `false`.
fn accepts_all(schema: &Value) -> Option<bool> {
    match schema {
        Value::Bool(all) => Some(*all),
        Value::Object(keywords) if keywords.keys().all(|keyword| TEXTS.contains(&keyword.as_str())) => Some(true),
        _ => None,
    }
}

/// The types that a schema takes: all of them if it names none. An integer is a number.
fn type_set(schema: &Map<String, Value>) -> BTreeSet<String> {
    let all = || ["array", "boolean", "integer", "null", "number", "object", "string"].map(str::to_owned);
    let mut types: BTreeSet<String> = match schema.get("type") {
        Some(Value::String(one)) => BTreeSet::from([one.clone()]),
        Some(several @ Value::Array(_)) => strings(Some(several)),
        _ => all().into(),
    };
    if types.contains("number") {
        types.insert("integer".to_owned());
    }
    types
}

fn strings(list: Option<&Value>) -> BTreeSet<String> {
    let items = list.and_then(Value::as_array).into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn object(value: Option<&Value>) -> Option<&Map<String, Value>> {
    value.and_then(Value::as_object)
}

fn present<'a>(schema: &'a Map<String, Value>, keyword: &str) -> Option<&'a Value> {
    schema.get(keyword).filter(|value| **value != Value::Bool(false))
}
