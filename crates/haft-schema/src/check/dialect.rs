//! The dialects of JSON Schema, and which keyword means what in which.

use jsonschema::Draft;
use serde_json::Value;

use super::excerpt;
use super::problem::Problem;

/// A dialect of JSON Schema. Later ones are greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Dialect {
    Draft4,
    Draft6,
    Draft7,
    Draft201909,
    Draft202012,
}

const KNOWN: &str = "https://json-schema.org/draft/2020-12/schema, https://json-schema.org/draft/2019-09/schema, \
                     http://json-schema.org/draft-07/schema#, http://json-schema.org/draft-06/schema#, \
                     http://json-schema.org/draft-04/schema#";

impl Dialect {
    /// The dialect that `$schema` names; 2020-12 if there is none.
    ///
    /// spec: basic#json-schema-usage
    pub(crate) fn of(schema: &Value) -> Result<Self, Problem> {
        match schema.get("$schema") {
            None => Ok(Self::Draft202012),
            Some(Value::String(uri)) => Self::named(uri).ok_or_else(|| {
                let uri = excerpt::plain(uri, 120);
                Problem::new("schema", "/$schema", format!("the dialect \"{uri}\" is not known; use one of {KNOWN}"))
            }),
            Some(other) => Err(Problem::new(
                "schema",
                "/$schema",
                format!("must be the URI of a dialect, is {}; use one of {KNOWN}", excerpt::json(other, 80)),
            )),
        }
    }

    /// The dialect of this URI. The scheme and an empty fragment don't matter: both spellings are in use.
    pub(crate) fn named(uri: &str) -> Option<Self> {
        let uri = uri.strip_suffix('#').unwrap_or(uri);
        let path = uri.strip_prefix("https://").or_else(|| uri.strip_prefix("http://"))?;
        match path.strip_prefix("json-schema.org/")? {
            "draft/2020-12/schema" | "schema" => Some(Self::Draft202012),
            "draft/2019-09/schema" => Some(Self::Draft201909),
            "draft-07/schema" => Some(Self::Draft7),
            "draft-06/schema" => Some(Self::Draft6),
            "draft-04/schema" => Some(Self::Draft4),
            _ => None,
        }
    }

    /// The same for the validator.
    pub(crate) fn draft(self) -> Draft {
        match self {
            Self::Draft4 => Draft::Draft4,
            Self::Draft6 => Draft::Draft6,
            Self::Draft7 => Draft::Draft7,
            Self::Draft201909 => Draft::Draft201909,
            Self::Draft202012 => Draft::Draft202012,
        }
    }

    /// The keyword that gives a schema its URI.
    pub(crate) fn id_keyword(self) -> &'static str {
        if self == Self::Draft4 { "id" } else { "$id" }
    }

    /// Whether a `$ref` hides the keywords beside it.
    pub(crate) fn reference_hides_siblings(self) -> bool {
        self <= Self::Draft7
    }

    /// Whether a keyword with subschemas has its meaning in this dialect. Those not named here have it in all.
    pub(crate) fn knows(self, keyword: &str) -> bool {
        match keyword {
            "propertyNames" | "contains" => self >= Self::Draft6,
            "if" => self >= Self::Draft7,
            "dependencies" | "additionalItems" => self <= Self::Draft201909,
            "dependentSchemas" | "unevaluatedProperties" | "unevaluatedItems" => self >= Self::Draft201909,
            "prefixItems" | "$dynamicRef" => self >= Self::Draft202012,
            "$recursiveRef" => self == Self::Draft201909,
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_default_is_2020_12() {
        assert_eq!(Dialect::of(&json!({})).unwrap(), Dialect::Draft202012);
        assert_eq!(Dialect::of(&json!(true)).unwrap(), Dialect::Draft202012);
    }

    #[test]
    fn scheme_and_empty_fragment_do_not_matter() {
        for uri in ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft-07/schema"] {
            assert_eq!(Dialect::of(&json!({"$schema": uri})).unwrap(), Dialect::Draft7);
        }
    }

    #[test]
    fn an_unknown_dialect_lists_the_known_ones() {
        let problem = Dialect::of(&json!({"$schema": "https://example.com/mine"})).unwrap_err();
        assert_eq!(problem.place, "/$schema");
        for known in ["2020-12", "2019-09", "draft-07", "draft-06", "draft-04"] {
            assert!(problem.message.contains(known), "{}", problem.message);
        }
    }
}
