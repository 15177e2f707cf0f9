//! Two schemas that both apply, made one: what schemars' `flatten`, `allOf` and a `$ref` with neighbours come down to.

use std::cmp::Ordering;

use serde_json::{Value, json};

use super::number::compare;
use super::object::{ANNOTATIONS, Object};

/// Merges `other` into `base`, so that `base` admits what both admitted. Annotations of `base` win.
///
/// What can't be said in one schema is appended to `rest`, as schemas that apply too.
pub(super) fn merge(base: &mut Object, other: Object, rest: &mut Vec<Value>) {
    for (keyword, new) in other {
        let Some(old) = base.get_mut(&keyword) else {
            base.insert(keyword, new);
            continue;
        };
        if *old == new || ANNOTATIONS.contains(&keyword.as_str()) {
            continue;
        }
        if let Err(new) = merge_keyword(&keyword, old, new) {
            rest.push(Value::Object(Object::from_iter([(keyword, new)])));
        }
    }
}

/// Merges one keyword, or gives the new value back.
fn merge_keyword(keyword: &str, old: &mut Value, new: Value) -> Result<(), Value> {
    match keyword {
        "required" => {
            let (Value::Array(names), Value::Array(more)) = (old, new) else { return Ok(()) };
            for name in more {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            Ok(())
        }
        "properties" | "patternProperties" => {
            let (Value::Object(old), Value::Object(new)) = (old, new) else { return Ok(()) };
            for (name, schema) in new {
                match old.get_mut(&name) {
                    None => {
                        old.insert(name, schema);
                    }
                    Some(same) if *same == schema => {}
                    Some(both) => *both = json!({ "allOf": [both.take(), schema] }),
                }
            }
            Ok(())
        }
        "additionalProperties" | "unevaluatedProperties" => match (&*old, &new) {
            (Value::Bool(true), _) => {
                *old = new;
                Ok(())
            }
            (Value::Bool(false), _) | (_, Value::Bool(true)) => Ok(()),
            (_, Value::Bool(false)) => {
                *old = new;
                Ok(())
            }
            _ => Err(new),
        },
        "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties" => {
            replace_if(old, new, Ordering::Greater)
        }
        "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties" => {
            replace_if(old, new, Ordering::Less)
        }
        "type" => match (old.as_str(), new.as_str()) {
            (Some("number"), Some("integer")) => {
                *old = new;
                Ok(())
            }
            (Some("integer"), Some("number")) => Ok(()),
            _ => Err(new),
        },
        "enum" => {
            let (Value::Array(list), Value::Array(allowed)) = (old, &new) else { return Err(new) };
            list.retain(|value| allowed.contains(value));
            Ok(())
        }
        // Of two formats the first says more: it stands nearer to the field.
        "format" => Ok(()),
        _ => Err(new),
    }
}

fn replace_if(old: &mut Value, new: Value, wanted: Ordering) -> Result<(), Value> {
    match compare(&new, old) {
        Some(order) if order == wanted => *old = new,
        Some(_) => {}
        None => return Err(new),
    }
    Ok(())
}
