//! JSON values as text that is the same under every feature of `serde_json`: members sorted by name, numbers spelled
//! as a program would spell them.

use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};
use serde_json::{Map, Number, Value};

/// A value whose text doesn't depend on `preserve_order` or `arbitrary_precision`.
pub(crate) struct Ordered<'a>(pub(crate) &'a Value);

impl Serialize for Ordered<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::Number(value) => number(value, serializer),
            Value::String(value) => serializer.serialize_str(value),
            Value::Array(items) => {
                let mut seq = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    seq.serialize_element(&Ordered(item))?;
                }
                seq.end()
            }
            Value::Object(members) => map(members, serializer),
        }
    }
}

/// The members of an object, sorted.
pub(crate) fn map<S: Serializer>(members: &Map<String, Value>, serializer: S) -> Result<S::Ok, S::Error> {
    let mut out = serializer.serialize_map(Some(members.len()))?;
    extend(members, &mut out)?;
    out.end()
}

/// Adds the members of an object, sorted, to a map that has been begun.
pub(crate) fn extend<M: SerializeMap>(members: &Map<String, Value>, out: &mut M) -> Result<(), M::Error> {
    let mut sorted: Vec<_> = members.iter().collect();
    sorted.sort_unstable_by_key(|(name, _)| *name);
    sorted.into_iter().try_for_each(|(name, value)| out.serialize_entry(name, &Ordered(value)))
}

fn number<S: Serializer>(value: &Number, serializer: S) -> Result<S::Ok, S::Error> {
    if let Some(value) = value.as_u64() {
        serializer.serialize_u64(value)
    } else if let Some(value) = value.as_i64() {
        serializer.serialize_i64(value)
    } else if let Some(value) = value.as_f64().filter(|value| value.is_finite()) {
        serializer.serialize_f64(value)
    } else {
        value.serialize(serializer)
    }
}

/// For `serialize_with`.
pub(crate) fn optional_value<S: Serializer>(value: &Option<Value>, serializer: S) -> Result<S::Ok, S::Error> {
    value.as_ref().map(Ordered).serialize(serializer)
}

/// For `serialize_with`.
pub(crate) fn optional_map<S: Serializer>(
    members: &Option<Map<String, Value>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match members {
        Some(members) => map(members, serializer),
        None => serializer.serialize_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::Ordered;

    #[test]
    fn text_is_the_same_under_every_feature() {
        let value =
            serde_json::from_str(r#"{"b":[1e3,2.50,-1,18446744073709551615],"a":{"z":null,"y":true}}"#).unwrap();
        assert_eq!(
            serde_json::to_string(&Ordered(&value)).unwrap(),
            r#"{"a":{"y":true,"z":null},"b":[1000.0,2.5,-1,18446744073709551615]}"#
        );
    }
}
