//! A schema without references, where that is finite.

use std::fmt;

use serde_json::{Map, Value};

use super::super::branches::resolve;
use super::{HEAVIEST, map_children, own_weight};

/// Schemas in one that was inlined.
const MOST: usize = 10_000;
/// How deep they may be nested.
const DEEPEST: usize = 64;
/// What only serves references.
const SERVING: [&str; 7] = ["$defs", "definitions", "$schema", "$id", "$anchor", "$dynamicAnchor", "$comment"];
/// Keywords beside a reference that say something of the place, and not of the value.
const OF_THE_PLACE: [&str; 6] = ["title", "description", "default", "deprecated", "readOnly", "writeOnly"];

/// Why a schema can't be inlined.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// It refers to what is not in it.
    Dangling(String),
    /// It contains itself.
    Endless(String),
    /// It would have more schemas, or deeper ones, than can be of use.
    TooLarge,
}

impl Trouble {
    /// Whether it can't be used with its references, either.
    pub(super) fn is_fatal(&self) -> bool {
        matches!(self, Trouble::Dangling(_))
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Dangling(reference) => write!(f, "its input schema refers to {reference}, which is not in it"),
            Trouble::Endless(reference) => write!(f, "its input schema contains itself, at {reference}"),
            Trouble::TooLarge => f.write_str("its input schema is too large without references"),
        }
    }
}

pub(super) fn inlined(schema: &Value) -> Result<Value, Trouble> {
    Inliner { root: schema, open: Vec::new(), left: MOST, weight: HEAVIEST, depth: 0 }.schema(schema)
}

struct Inliner<'a> {
    root: &'a Value,
    /// The references that are being followed.
    open: Vec<String>,
    left: usize,
    /// What its schemas may still hold beside schemas.
    weight: usize,
    depth: usize,
}

impl Inliner<'_> {
    fn schema(&mut self, schema: &Value) -> Result<Value, Trouble> {
        self.left = self.left.checked_sub(1).ok_or(Trouble::TooLarge)?;
        let Value::Object(members) = schema else { return Ok(schema.clone()) };
        if self.depth == DEEPEST {
            return Err(Trouble::TooLarge);
        }
        self.weight = self.weight.checked_sub(own_weight(members)).ok_or(Trouble::TooLarge)?;
        self.depth += 1;
        let mut own = members.clone();
        own.retain(|keyword, _| !SERVING.contains(&keyword.as_str()));
        let reference = own.remove("$ref").or_else(|| own.remove("$dynamicRef"));
        let own = map_children(&own, |child| self.schema(child))?;
        let inlined = match reference.as_ref().and_then(Value::as_str) {
            Some(reference) => {
                let target = self.target(reference)?;
                merged(own, target)
            }
            None => Value::Object(own),
        };
        self.depth -= 1;
        Ok(inlined)
    }

    fn target(&mut self, reference: &str) -> Result<Value, Trouble> {
        let root = self.root;
        let target = resolve(root, reference).ok_or_else(|| Trouble::Dangling(reference.to_owned()))?;
        if self.open.iter().any(|open| open == reference) {
            return Err(Trouble::Endless(reference.to_owned()));
        }
        self.open.push(reference.to_owned());
        let target = self.schema(target)?;
        self.open.pop();
        Ok(target)
    }
}

/// What stands beside a reference, and what it refers to: both count.
fn merged(mut own: Map<String, Value>, target: Value) -> Value {
    let Value::Object(mut target) = target else {
        return if own.is_empty() { target } else { Value::Object(own) };
    };
    let clashes = own.keys().any(|keyword| !OF_THE_PLACE.contains(&keyword.as_str()) && target.contains_key(keyword));
    if clashes {
        let all = own.entry("allOf").or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(all) = all {
            all.push(Value::Object(target));
        }
        return Value::Object(own);
    }
    target.extend(own);
    Value::Object(target)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn references_are_followed_and_definitions_go() {
        let schema = json!({"$schema": "x", "properties": {"a": {"$ref": "#/$defs/a", "description": "here"},
            "$ref": {"type": "string"}}, "$defs": {"a": {"description": "there", "items": {"$ref": "#/$defs/b"}}, "b": true}});
        let expected = json!({"properties": {"a": {"description": "here", "items": true}, "$ref": {"type": "string"}}});
        assert_eq!(inlined(&schema), Ok(expected));
    }

    #[test]
    fn what_is_endless_dangling_or_exploding_is_refused() {
        let endless = json!({"$ref": "#/$defs/a", "$defs": {"a": {"items": {"$ref": "#/$defs/a"}}}});
        assert_eq!(inlined(&endless), Err(Trouble::Endless("#/$defs/a".to_owned())));
        let dangling = json!({"items": {"$ref": "https://example.com/a"}});
        assert_eq!(inlined(&dangling), Err(Trouble::Dangling("https://example.com/a".to_owned())));
        let mut defs = Map::new();
        for n in 0..40 {
            let next = json!({"$ref": format!("#/$defs/{}", n + 1)});
            defs.insert(n.to_string(), json!({"properties": {"a": next, "b": next}}));
        }
        defs.insert("40".to_owned(), json!({}));
        let exploding = json!({"$ref": "#/$defs/0", "$defs": defs});
        assert_eq!(inlined(&exploding), Err(Trouble::TooLarge));
        let repeated: Vec<Value> = vec![json!({"$ref": "#/$defs/list"}); 5_000];
        let heavy = json!({"anyOf": repeated, "$defs": {"list": {"enum": vec![0; 50_000]}}});
        assert_eq!(inlined(&heavy), Err(Trouble::TooLarge));
    }
}
