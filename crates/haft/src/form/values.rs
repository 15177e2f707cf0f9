//! What of Rust's own types a form can ask for.

use serde_json::{Map, Value, json};

use super::field::{Choice, FormField, HasLength, HasRange, IsText};

/// The members of a schema; `schema` is an object wherever this is called.
fn members(schema: Value) -> Map<String, Value> {
    match schema {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

impl FormField for String {
    type Plain = Self;

    fn schema() -> Map<String, Value> {
        members(json!({"type": "string"}))
    }

    fn read(value: Option<&Value>) -> Option<Self> {
        value?.as_str().map(str::to_owned)
    }

    fn write(plain: Self) -> Value {
        plain.into()
    }
}

impl IsText for String {}

impl HasLength for String {
    const KEYWORDS: (&'static str, &'static str) = ("minLength", "maxLength");
}

impl FormField for bool {
    type Plain = Self;

    fn schema() -> Map<String, Value> {
        members(json!({"type": "boolean"}))
    }

    fn read(value: Option<&Value>) -> Option<Self> {
        value?.as_bool()
    }

    fn write(plain: Self) -> Value {
        plain.into()
    }
}

/// The largest integer that every JSON reader keeps exactly; no bound that goes out lies past it.
const SAFE: i64 = (1 << 53) - 1;

macro_rules! integers {
    ($($ty:ident)*) => {$(
        impl FormField for $ty {
            type Plain = Self;

            fn schema() -> Map<String, Value> {
                let min = i64::try_from($ty::MIN).unwrap_or(-SAFE).max(-SAFE);
                let max = i64::try_from($ty::MAX).unwrap_or(SAFE).min(SAFE);
                members(json!({"type": "integer", "minimum": min, "maximum": max}))
            }

            fn read(value: Option<&Value>) -> Option<Self> {
                let value = value?;
                value.as_i64().and_then(|value| value.try_into().ok())
                    .or_else(|| value.as_u64().and_then(|value| value.try_into().ok()))
            }

            fn write(plain: Self) -> Value {
                plain.into()
            }
        }

        impl HasRange for $ty {}
    )*};
}

integers!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

macro_rules! floats {
    ($($ty:ident)*) => {$(
        impl FormField for $ty {
            type Plain = Self;

            fn schema() -> Map<String, Value> {
                members(json!({"type": "number"}))
            }

            #[allow(clippy::cast_possible_truncation, reason = "an `f32` is as near as its author wants it")]
            fn read(value: Option<&Value>) -> Option<Self> {
                value?.as_f64().map(|value| value as $ty).filter(|value| value.is_finite())
            }

            fn write(plain: Self) -> Value {
                plain.into()
            }
        }

        impl HasRange for $ty {}
    )*};
}

floats!(f32 f64);

impl<T: FormField> FormField for Option<T> {
    type Plain = T::Plain;

    const REQUIRED: bool = false;

    fn schema() -> Map<String, Value> {
        T::schema()
    }

    fn read(value: Option<&Value>) -> Option<Self> {
        match value {
            None | Some(Value::Null) => Some(None),
            value => T::read(value).map(Some),
        }
    }

    fn write(plain: Self::Plain) -> Value {
        T::write(plain)
    }
}

impl<T: IsText> IsText for Option<T> {}

impl<T: HasLength> HasLength for Option<T> {
    const KEYWORDS: (&'static str, &'static str) = T::KEYWORDS;
}

impl<T: HasRange> HasRange for Option<T> {}

/// Several of an enum's variants.
impl<E: Choice> FormField for Vec<E> {
    type Plain = Self;

    fn schema() -> Map<String, Value> {
        let items = match titled(E::OPTIONS) {
            Some(options) => json!({"anyOf": options}),
            None => json!({"type": "string", "enum": names(E::OPTIONS)}),
        };
        members(json!({"type": "array", "items": items}))
    }

    fn read(value: Option<&Value>) -> Option<Self> {
        value?.as_array()?.iter().map(|item| E::named(item.as_str()?)).collect()
    }

    fn write(plain: Self) -> Value {
        plain.iter().map(|variant| Value::from(variant.name())).collect()
    }
}

impl<E: Choice> HasLength for Vec<E> {
    const KEYWORDS: (&'static str, &'static str) = ("minItems", "maxItems");
}

type Options = &'static [(&'static str, Option<&'static str>)];

/// What the derive says of an enum: one of its variants.
#[doc(hidden)]
pub fn one_of(options: Options) -> Map<String, Value> {
    members(match titled(options) {
        Some(options) => json!({"type": "string", "oneOf": options}),
        None => json!({"type": "string", "enum": names(options)}),
    })
}

/// What the derive says of an enum with `enum_names`: its titles apart from its names.
#[doc(hidden)]
pub fn one_of_names(options: Options) -> Map<String, Value> {
    let titles: Vec<_> = options.iter().map(|&(name, title)| title.unwrap_or(name)).collect();
    members(json!({"type": "string", "enum": names(options), "enumNames": titles}))
}

fn names(options: Options) -> Vec<&'static str> {
    options.iter().map(|(name, _)| *name).collect()
}

/// The variants with their titles, where any has one.
fn titled(options: Options) -> Option<Vec<Value>> {
    options
        .iter()
        .any(|(_, title)| title.is_some())
        .then(|| options.iter().map(|&(name, title)| json!({"const": name, "title": title.unwrap_or(name)})).collect())
}
