//! How single members of a message are read and written.

use serde::de::DeserializeOwned;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::ErrorObject;

/// A member that is there counts as there even if it is `null`. Use with `default`.
pub(crate) fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}

/// A member that only advises: of the wrong shape it reads as absent, so that it can't take down what it advises on.
pub(crate) fn lenient<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    Ok(entry(Value::deserialize(deserializer)?))
}

/// A list that only advises: entries of the wrong shape are left out.
pub(crate) fn lenient_list<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    let Value::Array(items) = Value::deserialize(deserializer)? else { return Ok(Vec::new()) };
    Ok(items.into_iter().filter_map(entry).collect())
}

/// Derived structs read themselves from arrays too; nothing that is read here is an array.
fn entry<T: DeserializeOwned>(value: Value) -> Option<T> {
    if value.is_array() { None } else { serde_json::from_value(value).ok() }
}

/// A struct that may be absent, from nothing but an object.
pub(crate) fn optional_struct<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    Option::<Box<RawValue>>::deserialize(deserializer)?.map(|raw| from_object(&raw)).transpose()
}

/// A struct, from nothing but an object.
pub(crate) fn struct_of<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    from_object(&Box::<RawValue>::deserialize(deserializer)?)
}

fn from_object<T: DeserializeOwned, E: serde::de::Error>(raw: &RawValue) -> Result<T, E> {
    if !raw.get().starts_with('{') {
        return Err(E::custom("expected an object"));
    }
    serde_json::from_str(raw.get()).map_err(E::custom)
}

/// A number, without a needless `.0`.
pub(crate) fn number<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if !value.is_finite() {
        return Err(S::Error::custom(format_args!("{value} is not a JSON number")));
    }
    if value.fract() == 0.0 && value.abs() <= EXACT {
        serializer.serialize_i64(*value as i64)
    } else {
        serializer.serialize_f64(*value)
    }
}

/// The same for a member that may be absent.
pub(crate) fn optional_number<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => number(value, serializer),
        None => serializer.serialize_none(),
    }
}

/// One member of a request's parameters. `null` reads as absent.
///
/// # Errors
///
/// -32602, naming the member and what it should be, if it has another shape.
pub(crate) fn member<T: DeserializeOwned>(
    raw: Option<&RawValue>,
    name: &str,
    expected: &str,
) -> Result<Option<T>, ErrorObject> {
    let Some(raw) = raw else { return Ok(None) };
    if raw.get() == "null" {
        return Ok(None);
    }
    serde_json::from_str(raw.get()).map(Some).map_err(|_| wrong(name, expected, raw))
}

/// The same for a struct: from nothing but an object.
pub(crate) fn struct_member<T: DeserializeOwned>(
    raw: Option<&RawValue>,
    name: &str,
    expected: &str,
) -> Result<Option<T>, ErrorObject> {
    match raw {
        Some(raw) if raw.get().starts_with('{') => serde_json::from_str(raw.get())
            .map(Some)
            .map_err(|_| ErrorObject::invalid_params(format!("params.{name} must be {expected}"))),
        Some(raw) if raw.get() != "null" => Err(wrong(name, expected, raw)),
        _ => Ok(None),
    }
}

/// The same for an object that stays raw.
pub(crate) fn object(raw: Option<&RawValue>, name: &str) -> Result<Option<Box<RawValue>>, ErrorObject> {
    match raw {
        None => Ok(None),
        Some(raw) if raw.get() == "null" => Ok(None),
        Some(raw) if raw.get().starts_with('{') => Ok(Some(raw.to_owned())),
        Some(raw) => Err(wrong(name, "an object", raw)),
    }
}

/// The -32602 for a member without which the method can't do.
pub(crate) fn missing(name: &str, expected: &str) -> ErrorObject {
    ErrorObject::invalid_params(format!("params.{name} is missing: send {expected}"))
}

fn wrong(name: &str, expected: &str, raw: &RawValue) -> ErrorObject {
    ErrorObject::invalid_params(format!("params.{name} must be {expected}, got {}", kind(raw.get())))
}

/// What kind of value a JSON text is, in words.
pub(crate) fn kind(text: &str) -> &'static str {
    match text.as_bytes().first() {
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b'"') => "a string",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        Some(_) => "a number",
        None => "nothing",
    }
}

/// A name of the other side for use in a message: in quotes, escaped, at most 80 characters.
pub(crate) fn quoted(name: &str) -> String {
    const MOST: usize = 80;
    match name.char_indices().nth(MOST) {
        Some((end, _)) => format!("{:?}…", &name[..end]),
        None => format!("{name:?}"),
    }
}

/// The members of a request's parameters that a method looks at; all of them absent if there are no parameters.
///
/// # Errors
///
/// -32602 if they are not an object, or have a member twice. (After `parse` they are neither.)
pub(crate) fn members<'a, T: Default + Deserialize<'a>>(params: Option<&'a RawValue>) -> Result<T, ErrorObject> {
    let Some(params) = params else { return Ok(T::default()) };
    if !params.get().starts_with('{') {
        return Err(ErrorObject::invalid_params(format!("params must be an object, got {}", kind(params.get()))));
    }
    serde_json::from_str(params.get()).map_err(|error| ErrorObject::invalid_params(format!("params: {error}")))
}
