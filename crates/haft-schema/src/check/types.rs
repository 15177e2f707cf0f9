//! Sets of JSON types.

use serde_json::Value;

/// A set of JSON types. Whole numbers and other numbers are told apart, so `integer` is a subset of `number`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TypeSet(u8);

impl TypeSet {
    pub(crate) const NONE: Self = Self(0);
    pub(crate) const STRING: Self = Self(1);
    pub(crate) const INTEGER: Self = Self(2);
    pub(crate) const NUMBER: Self = Self(2 | 4);
    pub(crate) const BOOLEAN: Self = Self(8);
    pub(crate) const ARRAY: Self = Self(16);
    pub(crate) const OBJECT: Self = Self(32);
    pub(crate) const NULL: Self = Self(64);
    pub(crate) const ALL: Self = Self(127);

    const NAMED: [(&'static str, Self); 7] = [
        ("string", Self::STRING),
        // Before `integer`, which it includes.
        ("number", Self::NUMBER),
        ("integer", Self::INTEGER),
        ("boolean", Self::BOOLEAN),
        ("array", Self::ARRAY),
        ("object", Self::OBJECT),
        ("null", Self::NULL),
    ];

    /// The types that the keyword `type` lists; `None` if one of its names isn't known.
    pub(crate) fn of_keyword(keyword: &Value) -> Option<Self> {
        let named = |name: &Value| {
            let name = name.as_str()?;
            Self::NAMED.iter().find(|(known, _)| *known == name).map(|(_, set)| *set)
        };
        match keyword {
            Value::Array(names) => names.iter().try_fold(Self::NONE, |set, name| Some(set.or(named(name)?))),
            name => named(name),
        }
    }

    /// The type of a value.
    pub(crate) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Number(n) if n.is_i64() || n.is_u64() || n.as_f64().is_some_and(|n| n.fract() == 0.0) => {
                Self::INTEGER
            }
            Value::Number(_) => Self(4),
            Value::String(_) => Self::STRING,
            Value::Array(_) => Self::ARRAY,
            Value::Object(_) => Self::OBJECT,
        }
    }

    pub(crate) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(crate) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub(crate) fn meets(self, other: Self) -> bool {
        self.and(other) != Self::NONE
    }

    /// Whether whole numbers are in the set, and other numbers aren't.
    pub(crate) fn wants_integers(self) -> bool {
        self.and(Self::NUMBER) == Self::INTEGER
    }

    /// The names of the types, as the keyword `type` has them.
    pub(crate) fn names(self) -> Vec<&'static str> {
        let mut left = self;
        let mut names = Vec::new();
        for (name, set) in Self::NAMED {
            if left.and(set) == set {
                names.push(name);
                left = left.without(set);
            }
        }
        names
    }
}
