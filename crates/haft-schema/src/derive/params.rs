//! One function parameter: the schema of its type as schemars gives it, and what the author said about it.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;

// Asks schemars whether a *field* of type `T` may be absent; only its derive knows.
// Not a doc comment: schemars would publish it.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only the schema of this type is used")]
struct Field<T> {
    value: T,
}

// Asks schemars for the schema of a flattened field, which differs from the plain one for `Option`s and enums.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only the schema of this type is used")]
struct Flattened<T> {
    #[schemars(flatten)]
    value: T,
}

/// One parameter of a tool's function.
///
/// Setters can be called in any order. What doesn't fit the parameter's type (a pattern on an integer, a range on a
/// string) is a [`Problem`](crate::Problem) of [`input`](crate::input), not of the setter.
#[derive(Clone, Debug)]
pub struct Param {
    pub(super) name: &'static str,
    /// The type's name in Rust, for messages to the tool's author.
    pub(super) rust_type: &'static str,
    pub(super) schema: fn(&mut SchemaGenerator) -> Schema,
    /// The schema as a flattened field; the same as `schema` for a parameter that isn't flattened.
    pub(super) flat_schema: fn(&mut SchemaGenerator) -> Schema,
    pub(super) optional: bool,
    pub(super) flattened: bool,
    pub(super) secret: bool,
    pub(super) description: Option<&'static str>,
    pub(super) pattern: Option<&'static str>,
    pub(super) minimum: Option<Value>,
    pub(super) maximum: Option<Value>,
    pub(super) exclusive_minimum: Option<Value>,
    pub(super) exclusive_maximum: Option<Value>,
    pub(super) min_length: Option<u64>,
    pub(super) max_length: Option<u64>,
    pub(super) examples: Vec<Value>,
    pub(super) default: Option<Value>,
    pub(super) header: Option<&'static str>,
}

impl Param {
    /// A parameter called `name` whose type is `T`, `Option` included: an `Option` makes it optional.
    #[must_use]
    pub fn of<T: JsonSchema + 'static>(name: &'static str) -> Param {
        Param {
            name,
            rust_type: std::any::type_name::<T>(),
            schema: |generator| generator.subschema_for::<T>(),
            flat_schema: |generator| generator.subschema_for::<T>(),
            optional: may_be_absent::<T>(),
            flattened: false,
            secret: false,
            description: None,
            pattern: None,
            minimum: None,
            maximum: None,
            exclusive_minimum: None,
            exclusive_maximum: None,
            min_length: None,
            max_length: None,
            examples: Vec::new(),
            default: None,
            header: None,
        }
    }

    /// A parameter whose fields stand beside the other parameters: a struct, an enum of structs or a map.
    #[must_use]
    pub fn flatten<T: JsonSchema + 'static>() -> Param {
        Param {
            flat_schema: <Flattened<T> as JsonSchema>::json_schema,
            flattened: true,
            optional: false,
            ..Param::of::<T>("")
        }
    }

    /// What the parameter means. Paragraphs are kept, line breaks inside them are not.
    #[must_use]
    pub fn describe(mut self, description: &'static str) -> Self {
        self.description = Some(description);
        self
    }

    /// A regular expression (ECMA-262) that the string has to match.
    #[must_use]
    pub fn pattern(mut self, pattern: &'static str) -> Self {
        self.pattern = Some(pattern);
        self
    }

    /// The least number allowed.
    #[must_use]
    pub fn minimum(mut self, bound: impl Into<Value>) -> Self {
        self.minimum = Some(bound.into());
        self
    }

    /// The greatest number allowed.
    #[must_use]
    pub fn maximum(mut self, bound: impl Into<Value>) -> Self {
        self.maximum = Some(bound.into());
        self
    }

    /// The number has to be greater than this.
    #[must_use]
    pub fn exclusive_minimum(mut self, bound: impl Into<Value>) -> Self {
        self.exclusive_minimum = Some(bound.into());
        self
    }

    /// The number has to be less than this.
    #[must_use]
    pub fn exclusive_maximum(mut self, bound: impl Into<Value>) -> Self {
        self.exclusive_maximum = Some(bound.into());
        self
    }

    /// The least length: characters of a string, elements of a list, entries of a map.
    #[must_use]
    pub fn min_length(mut self, length: u64) -> Self {
        self.min_length = Some(length);
        self
    }

    /// The greatest length: characters of a string, elements of a list, entries of a map.
    #[must_use]
    pub fn max_length(mut self, length: u64) -> Self {
        self.max_length = Some(length);
        self
    }

    /// An example value for models to follow. Can be given several times; each has to pass the parameter's schema.
    #[must_use]
    pub fn example(mut self, value: Value) -> Self {
        self.examples.push(value);
        self
    }

    /// The value that an absent argument stands for; makes the parameter optional. It has to pass the parameter's
    /// schema.
    #[must_use]
    pub fn default_value(mut self, value: Value) -> Self {
        self.default = Some(value);
        self
    }

    /// The name under which an HTTP client repeats the argument as a header, without `Mcp-Param-`
    /// (spec: server/tools, `x-mcp-header`).
    #[must_use]
    pub fn header(mut self, name: &'static str) -> Self {
        self.header = Some(name);
        self
    }

    /// Marks a value that is never echoed, logged or shown.
    #[must_use]
    pub fn secret(mut self) -> Self {
        self.secret = true;
        self
    }

    /// The parameter's name; empty if [flattened](Param::is_flattened).
    #[must_use]
    pub fn name(&self) -> &str {
        self.name
    }

    /// The value of an absent argument, if one was [set](Param::default_value).
    #[must_use]
    pub fn default(&self) -> Option<&Value> {
        self.default.as_ref()
    }

    /// Whether the value must not be shown.
    #[must_use]
    pub fn is_secret(&self) -> bool {
        self.secret
    }

    /// Whether the type's fields stand beside the other parameters.
    #[must_use]
    pub fn is_flattened(&self) -> bool {
        self.flattened
    }
}

fn may_be_absent<T: JsonSchema>() -> bool {
    let schema = <Field<T> as JsonSchema>::json_schema(&mut SchemaGenerator::default());
    let required = schema.get("required").and_then(Value::as_array);
    !required.is_some_and(|names| names.iter().any(|name| name == "value"))
}
