//! The exact schema: one normal form, objects closed, integer bounds written out, optional values never null.
//!
//! In: a schema without `$ref`s (but those of recursive types). Out: a schema whose nodes have one `type`, or a union of
//! such nodes; see `variants` for unions of objects.

use std::cmp::Ordering;

use serde_json::{Value, json};

use super::formats::{integer_bounds, is_too_wide, text_format};
use super::merge::merge;
use super::number::{compare, from_whole};
use super::object::{ANNOTATIONS, Object, is_any, is_null, property, property_names, requires, take_annotations};
use super::place::Place;
use super::variants::unite;
use super::words::{add_sentence, tidy};
use crate::Problem;

/// Unions that are flattened into one object multiply; a schema past this is no use to any host.
const MAX_COMBINATIONS: usize = 256;

/// Keys of a map from unsigned integers.
pub(super) const WHOLE_KEYS: &str = r"^(0|[1-9]\d*)$";
/// Keys of a map from integers.
pub(super) const INTEGER_KEYS: &str = r"^(0|-?[1-9]\d*)$";

/// Brings schemas into the normal form.
pub(super) struct Exact {
    /// Whether objects that don't say otherwise refuse unknown members.
    pub(super) closed: bool,
    pub(super) problems: Vec<Problem>,
}

/// A `oneOf` or `anyOf` that stands beside other keywords.
struct Factor {
    keyword: &'static str,
    branches: Vec<Value>,
}

/// The keywords of one schema, sorted by how they combine.
#[derive(Default)]
struct Parts {
    /// What merges into one object.
    base: Object,
    factors: Vec<Factor>,
    /// What applies too and can't be merged.
    rest: Vec<Value>,
}

impl Exact {
    pub(super) fn new(closed: bool) -> Exact {
        Exact { closed, problems: Vec::new() }
    }

    /// The schema in normal form.
    pub(super) fn schema(&mut self, schema: Value, place: &Place) -> Value {
        match schema {
            Value::Object(object) => self.object(object, place),
            Value::Bool(false) => {
                let message = format!("no value at all would do for {}; its type has no variants", place.subject());
                self.problems.push(place.problem("schema", message));
                json!({ "not": {} })
            }
            _ => json!({}),
        }
    }

    fn object(&mut self, mut raw: Object, place: &Place) -> Value {
        let mut annotations = take_annotations(&mut raw);
        let mut parts = Parts::default();
        gather(raw, &mut parts);
        let Parts { mut base, mut factors, rest } = parts;
        for (key, value) in take_annotations(&mut base) {
            annotations.entry(key).or_insert(value);
        }
        tidy_annotations(&mut annotations);
        if let Some(Value::Array(kinds)) = base.get("type") {
            let branches = kinds.iter().filter_map(Value::as_str).map(|kind| restricted_to(&base, kind)).collect();
            factors.push(Factor { keyword: "anyOf", branches });
            base = Object::new();
        }
        match (factors.pop(), factors.is_empty()) {
            (None, _) => self.leaf(base, rest, annotations, place),
            (Some(factor), true) if base.is_empty() && rest.is_empty() => {
                let branches = factor.branches.into_iter().enumerate();
                let branches = branches.map(|(i, branch)| self.schema(branch, &place.keyword(factor.keyword, i)));
                unite(factor.keyword, branches.collect(), annotations)
            }
            (Some(last), _) => {
                factors.push(last);
                self.distribute(&base, factors, &rest, annotations, place)
            }
        }
    }

    /// Writes a union beside other keywords as a union of whole schemas.
    fn distribute(
        &mut self,
        base: &Object,
        factors: Vec<Factor>,
        rest: &[Value],
        annotations: Object,
        place: &Place,
    ) -> Value {
        let count = factors.iter().fold(1_usize, |count, factor| count.saturating_mul(factor.branches.len()));
        if count > MAX_COMBINATIONS {
            let message = format!(
                "{} combines enums into {count} variants, more than {MAX_COMBINATIONS}; keep the enums in fields of their own",
                place.subject()
            );
            self.problems.push(place.problem("schema", message));
            return json!({});
        }
        let exclusive = factors.iter().all(|factor| factor.keyword == "oneOf");
        let keyword = if exclusive { "oneOf" } else { "anyOf" };
        let mut combinations = vec![rest.to_vec()];
        for factor in factors {
            let extended = combinations.iter().flat_map(|combination| {
                factor.branches.iter().map(|branch| {
                    let mut longer = combination.clone();
                    longer.push(branch.clone());
                    longer
                })
            });
            combinations = extended.collect();
        }
        let branches = combinations.into_iter().enumerate().map(|(index, combination)| {
            let mut whole = base.clone();
            whole.insert("allOf".to_owned(), combination.into());
            self.object(whole, &place.keyword(keyword, index))
        });
        unite(keyword, branches.collect(), annotations)
    }

    /// A schema without unions.
    fn leaf(&mut self, mut base: Object, rest: Vec<Value>, annotations: Object, place: &Place) -> Value {
        if !base.contains_key("type") && (base.contains_key("properties") || base.contains_key("required")) {
            base.insert("type".to_owned(), "object".into());
        }
        let kind = base.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        let mut leaf = match kind.as_str() {
            "object" => self.record(base, !rest.is_empty(), place),
            "array" => self.list(base, place),
            "integer" => self.integer(base, place),
            "number" => number(base),
            _ => base,
        };
        self.bounds(&leaf, place);
        if !rest.is_empty() {
            leaf.insert("allOf".to_owned(), rest.into());
        }
        leaf.extend(annotations);
        if kind == "string" {
            text(&mut leaf);
        }
        Value::Object(leaf)
    }

    /// Bounds that leave nothing between them are a slip of the author's.
    fn bounds(&mut self, leaf: &Object, place: &Place) {
        const PAIRS: [(&str, &str); 5] = [
            ("minimum", "maximum"),
            ("exclusiveMinimum", "exclusiveMaximum"),
            ("minLength", "maxLength"),
            ("minItems", "maxItems"),
            ("minProperties", "maxProperties"),
        ];
        for (least, greatest) in PAIRS {
            let (Some(low), Some(high)) = (leaf.get(least), leaf.get(greatest)) else { continue };
            let order = compare(low, high);
            if order == Some(Ordering::Greater) || (order == Some(Ordering::Equal) && least == "exclusiveMinimum") {
                let message =
                    format!("{} can't be met: `{least}` is {low} and `{greatest}` is {high}", place.subject());
                self.problems.push(place.problem("schema", message));
            }
        }
    }

    fn record(&mut self, mut base: Object, composed: bool, place: &Place) -> Object {
        let whole = Value::Object(base.clone());
        let mut properties = Object::new();
        for name in property_names(&whole) {
            let Some(raw) = property(&whole, name).cloned() else { continue };
            let raw = if requires(&whole, name) { raw } else { without_null(raw) };
            properties.insert(name.to_owned(), self.schema(raw, &place.property(name)));
        }
        if let Some(Value::Object(declared)) = base.remove("properties") {
            for (name, schema) in declared.into_iter().filter(|(_, schema)| *schema == Value::Bool(false)) {
                let schema = if requires(&whole, &name) { self.schema(schema, &place.property(&name)) } else { schema };
                properties.insert(name, schema);
            }
        }
        if !properties.is_empty() {
            base.insert("properties".to_owned(), Value::Object(properties));
        }
        if let Some(Value::Object(patterns)) = base.remove("patternProperties") {
            let place = place.values();
            let patterns = patterns.into_iter().map(|(pattern, schema)| {
                let pattern = match pattern.as_str() {
                    // serde reads these keys as JSON numbers, which have no leading zeros and no negative zero.
                    r"^\d+$" => WHOLE_KEYS.to_owned(),
                    r"^-?\d+$" => INTEGER_KEYS.to_owned(),
                    _ => pattern,
                };
                (pattern, self.schema(schema, &place))
            });
            let patterns = Value::Object(patterns.collect());
            base.insert("patternProperties".to_owned(), patterns);
        }
        if base.get("required").and_then(Value::as_array).is_some_and(Vec::is_empty) {
            base.remove("required");
        }
        let said = base.remove("additionalProperties").or_else(|| base.remove("unevaluatedProperties"));
        let composed = composed || ["if", "$ref", "dependentSchemas"].iter().any(|keyword| base.contains_key(*keyword));
        let others = if composed { "unevaluatedProperties" } else { "additionalProperties" };
        match said {
            None if self.closed => {
                base.insert(others.to_owned(), false.into());
            }
            None => {}
            Some(Value::Bool(said)) => {
                base.insert(others.to_owned(), said.into());
            }
            Some(schema) => {
                let schema = self.schema(schema, &place.values());
                let schema = if is_any(&schema) { Value::Bool(true) } else { schema };
                base.insert(others.to_owned(), schema);
            }
        }
        base
    }

    fn list(&mut self, mut base: Object, place: &Place) -> Object {
        match base.remove("prefixItems") {
            Some(Value::Array(items)) => {
                let items = items.into_iter().map(|item| self.schema(item, &place.items())).collect();
                base.insert("prefixItems".to_owned(), Value::Array(items));
            }
            _ => {
                let items = base.remove("items").unwrap_or_default();
                base.insert("items".to_owned(), self.schema(items, &place.items()));
            }
        }
        base
    }

    fn integer(&mut self, mut base: Object, place: &Place) -> Object {
        let format = base.remove("format");
        let Some(format) = format.as_ref().and_then(Value::as_str) else { return base };
        if is_too_wide(format) {
            let message = format!(
                "{} is a 128-bit integer, which JSON numbers don't carry; use `u64` or `i64`, or a `String` with a pattern",
                place.subject()
            );
            self.problems.push(place.problem("portable_input", message));
        }
        if let Some((least, greatest)) = integer_bounds(format) {
            tighten(&mut base, "minimum", from_whole(least), Ordering::Greater);
            tighten(&mut base, "maximum", from_whole(greatest), Ordering::Less);
        }
        base
    }
}

/// Sorts the keywords of a schema by how they combine, those of `allOf` included.
fn gather(mut raw: Object, parts: &mut Parts) {
    for keyword in ["oneOf", "anyOf"] {
        if let Some(Value::Array(branches)) = raw.remove(keyword) {
            parts.factors.push(Factor { keyword, branches });
        }
    }
    let members = raw.remove("allOf");
    merge(&mut parts.base, raw, &mut parts.rest);
    let Some(Value::Array(members)) = members else { return };
    for member in members {
        match member {
            Value::Object(member) if !member.contains_key("$ref") && !member.contains_key("if") => {
                gather(member, parts)
            }
            Value::Bool(true) => {}
            other => parts.rest.push(other),
        }
    }
}

/// What a schema with several types says of one of them.
fn restricted_to(base: &Object, kind: &str) -> Value {
    let mut branch = Object::new();
    for (keyword, value) in base {
        let applies = match keyword.as_str() {
            "type" => false,
            "pattern" | "minLength" | "maxLength" | "contentEncoding" | "contentMediaType" => kind == "string",
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
                matches!(kind, "integer" | "number")
            }
            "items" | "prefixItems" | "minItems" | "maxItems" | "uniqueItems" | "contains" => kind == "array",
            "properties"
            | "patternProperties"
            | "additionalProperties"
            | "unevaluatedProperties"
            | "required"
            | "minProperties"
            | "maxProperties"
            | "propertyNames" => kind == "object",
            "enum" | "const" | "format" | "not" => kind != "null",
            _ => true,
        };
        if applies {
            branch.insert(keyword.clone(), value.clone());
        }
    }
    if let Some(Value::Array(list)) = branch.get_mut("enum") {
        list.retain(|value| match kind {
            "string" => value.is_string(),
            "integer" | "number" => value.is_number(),
            "boolean" => value.is_boolean(),
            "array" => value.is_array(),
            _ => value.is_object(),
        });
    }
    branch.insert("type".to_owned(), kind.into());
    Value::Object(branch)
}

/// The schema of an optional property: absence says what null would.
pub(super) fn without_null(schema: Value) -> Value {
    let Value::Object(mut object) = schema else { return schema };
    if let Some(Value::Array(kinds)) = object.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [only] = kinds.as_mut_slice() {
            let only = only.take();
            object.insert("type".to_owned(), only);
        }
        if let Some(Value::Array(list)) = object.get_mut("enum") {
            list.retain(|value| !value.is_null());
        }
    }
    for keyword in ["anyOf", "oneOf"] {
        let Some(Value::Array(branches)) = object.get_mut(keyword) else { continue };
        branches.retain(|branch| !is_null(branch));
        if let [only] = branches.as_mut_slice() {
            let only = only.take();
            object.remove(keyword);
            let Value::Object(only) = without_null(only) else { continue };
            let mut rest = Vec::new();
            merge(&mut object, only, &mut rest);
            if !rest.is_empty() {
                object.insert("allOf".to_owned(), rest.into());
            }
        }
    }
    Value::Object(object)
}

/// Sets a bound unless the one that stands there says more.
fn tighten(schema: &mut Object, keyword: &str, bound: Value, tighter: Ordering) {
    match schema.get(keyword) {
        Some(said) if compare(&bound, said) != Some(tighter) => {}
        _ => {
            schema.insert(keyword.to_owned(), bound);
        }
    }
}

fn number(mut base: Object) -> Object {
    let format = base.remove("format");
    if format.as_ref().and_then(Value::as_str) == Some("float") {
        // serde would make an infinity of what lies beyond. The bound is spelled as serde spells the greatest `f32`.
        const GREATEST: f64 = 3.402_823_5e38;
        tighten(&mut base, "minimum", Value::from(-GREATEST), Ordering::Greater);
        tighten(&mut base, "maximum", Value::from(GREATEST), Ordering::Less);
    }
    base
}

fn text(leaf: &mut Object) {
    let Some(Value::String(format)) = leaf.get("format") else { return };
    let Some(known) = text_format(format) else {
        leaf.remove("format");
        return;
    };
    if format != "date-time" {
        leaf.remove("format");
    }
    if let Some(pattern) = known.pattern
        && !leaf.contains_key("pattern")
    {
        leaf.insert("pattern".to_owned(), pattern.into());
    }
    let description = leaf.get("description").and_then(Value::as_str).unwrap_or_default().to_lowercase();
    if !known.hint.is_empty() && !description.contains(known.word) {
        add_sentence(leaf, known.hint);
    }
}

/// One description in running text; titles count as one where there is none; a default of null says nothing.
fn tidy_annotations(annotations: &mut Object) {
    let title = annotations.remove("title");
    if let Some(Value::String(description)) = annotations.get_mut("description") {
        *description = tidy(description);
    } else if let Some(title) = title {
        annotations.insert("description".to_owned(), title);
    }
    if annotations.get("default").is_some_and(Value::is_null) {
        annotations.remove("default");
    }
    debug_assert!(annotations.keys().all(|key| ANNOTATIONS.contains(&key.as_str())));
}
