//! Arguments that a tool's schema takes, and such as it refuses.

use haft_schema::Checker;
use serde_json::{Map, Value, json};

/// The most calls of each kind for one tool.
const MOST_GOOD: usize = 3;
const MOST_BAD: usize = 8;
/// The longest string that is made up to be too long.
const LONGEST: u64 = 20_000;

/// Arguments and what they are about, such as "without `id`".
pub(super) type Attempt = (String, Value);

/// A tool's input schema, compiled.
pub(super) struct Input<'a> {
    schema: &'a Value,
    checker: Checker,
}

impl<'a> Input<'a> {
    /// None where the schema is broken: nobody knows what it takes.
    pub(super) fn new(schema: &'a Value) -> Option<Self> {
        Some(Self { schema, checker: Checker::compile(schema).ok()? })
    }

    /// What the schema takes, by its own word: its `examples` and `default`, or those of what is required. Made up is
    /// nothing.
    pub(super) fn good(&self) -> Vec<Attempt> {
        let whole = self.schema["examples"].as_array().into_iter().flatten().map(|it| ("an example", it.clone()));
        let default = self.schema.get("default").map(|it| ("the default", it.clone()));
        let composed = self.composed().map(|it| ("examples and defaults", it));
        let mut good: Vec<Attempt> = Vec::new();
        for (about, arguments) in whole.chain(default).chain(composed) {
            if self.checker.is_valid(&arguments) && good.iter().all(|(_, known)| *known != arguments) {
                good.push((about.to_owned(), arguments));
            }
        }
        good.truncate(MOST_GOOD);
        good
    }

    fn composed(&self) -> Option<Value> {
        let known = |name: &str| {
            let schema = self.property(name)?;
            let first = |keyword: &str| schema[keyword].as_array()?.first().cloned();
            first("examples")
                .or_else(|| schema.get("default").cloned())
                .or_else(|| schema.get("const").cloned())
                .or_else(|| first("enum"))
        };
        let values = self.required().map(|name| Some((name.to_owned(), known(name)?)));
        values.collect::<Option<Map<_, _>>>().map(Value::Object)
    }

    /// What the schema refuses for one thing each: a name that isn't known, one that is missing, a type, a range.
    pub(super) fn bad(&self, good: Option<&Value>) -> Vec<Attempt> {
        let base = good.and_then(Value::as_object).cloned().unwrap_or_else(|| self.made_up());
        let mut attempts: Vec<Attempt> = Vec::new();
        if !self.checker.is_valid(&Value::Object(base.clone())) {
            // It is wrong already: one more thing would not be found. What is missing is.
            attempts.extend(self.required().take(1).map(|name| (format!("without `{name}`"), json!({}))));
            attempts.retain(|(_, arguments)| !self.checker.is_valid(arguments));
            return attempts;
        }
        let with = |name: &str, value: Value| {
            let mut changed = base.clone();
            changed.insert(name.to_owned(), value);
            Value::Object(changed)
        };
        attempts.push(("an argument that isn't known".to_owned(), with("haft_no_such_argument", json!(true))));
        for name in self.required().take(2) {
            let mut changed = base.clone();
            changed.remove(name);
            attempts.push((format!("without `{name}`"), Value::Object(changed)));
        }
        let properties = self.schema["properties"].as_object().into_iter().flatten();
        // What stands in a header, too, would be refused for the header's sake.
        let properties: Vec<_> = properties.filter(|(_, schema)| schema.get("x-mcp-header").is_none()).collect();
        for (name, schema) in &properties {
            attempts
                .extend(other_types(schema).into_iter().map(|value| (about(name, &value), with(name, value))).take(2));
            attempts.extend(out_of_range(schema).into_iter().map(|value| (about(name, &value), with(name, value))));
        }
        attempts.retain(|(_, arguments)| !self.checker.is_valid(arguments));
        attempts.truncate(MOST_BAD);
        attempts
    }

    fn property(&self, name: &str) -> Option<&'a Value> {
        self.schema["properties"].get(name)
    }

    fn required(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str)
    }

    /// Values for what is required, of the right type: enough to be wrong in one more thing.
    fn made_up(&self) -> Map<String, Value> {
        let null = Value::Null;
        self.required().map(|name| (name.to_owned(), made_up(self.property(name).unwrap_or(&null)))).collect()
    }
}

/// A value of the right type, as small as it may be.
fn made_up(schema: &Value) -> Value {
    let least =
        |keyword: &str| usize::try_from(schema[keyword].as_u64().unwrap_or_default()).unwrap_or_default().min(100);
    match schema["type"].as_str() {
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or(json!(1)),
        Some("boolean") => json!(true),
        Some("array") => json!(vec![made_up(&schema["items"]); least("minItems")]),
        Some("object") => json!({}),
        _ => schema["enum"].get(0).cloned().unwrap_or_else(|| json!("haft-".repeat(1 + least("minLength") / 5))),
    }
}

fn about(name: &str, value: &Value) -> String {
    let shown: String = value.to_string().chars().take(40).collect();
    format!("`{name}` as {shown}")
}

/// Values of other types, the one that a lenient server takes last.
fn other_types(schema: &Value) -> Vec<Value> {
    match schema["type"].as_str() {
        Some("string") => vec![json!(12345)],
        Some("integer" | "number") => vec![json!("haft"), json!("1")],
        Some("boolean") => vec![json!("haft"), json!("true")],
        Some("array" | "object") => vec![json!("haft")],
        _ => Vec::new(),
    }
}

/// Values of the right type that a keyword refuses.
fn out_of_range(schema: &Value) -> Vec<Value> {
    let mut values = Vec::new();
    let beyond =
        |keyword: &str, by: i64| schema[keyword].as_i64().and_then(|limit| limit.checked_add(by)).map(|it| json!(it));
    values.extend(beyond("maximum", 1).or_else(|| beyond("exclusiveMaximum", 0)));
    values.extend(beyond("minimum", -1).or_else(|| beyond("exclusiveMinimum", 0)));
    if schema["type"].as_str() == Some("string") {
        if schema.get("enum").is_some() || schema.get("pattern").is_some() {
            values.push(json!("haft: no such value \u{2603}"));
        }
        if let Some(most) = schema["maxLength"].as_u64().filter(|most| *most < LONGEST) {
            values.push(json!("x".repeat(usize::try_from(most).unwrap_or_default() + 1)));
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_arguments_are_the_schema_s_own_and_bad_ones_are_refused() {
        let schema = json!({
            "type": "object", "required": ["id"], "additionalProperties": false,
            "properties": {
                "id": {"type": "string", "pattern": "^A-[0-9]+$", "examples": ["A-1"]},
                "limit": {"type": "integer", "minimum": 1, "maximum": 10},
                "region": {"type": "string", "x-mcp-header": "Region"},
            },
        });
        let input = Input::new(&schema).expect("a schema");
        let good = input.good();
        assert_eq!(good, [("examples and defaults".to_owned(), json!({"id": "A-1"}))]);
        let bad = input.bad(good.first().map(|(_, it)| it));
        let about: Vec<&str> = bad.iter().map(|(about, _)| about.as_str()).collect();
        assert_eq!(
            about[..4],
            [
                "an argument that isn't known",
                "without `id`",
                "`id` as 12345",
                "`id` as \"haft: no such value \u{2603}\""
            ]
        );
        assert!(
            bad.iter().all(|(_, arguments)| !input.checker.is_valid(arguments) && arguments.get("region").is_none())
        );
        assert!(bad.iter().any(|(_, arguments)| arguments["limit"] == 11));
    }

    #[test]
    fn nothing_is_made_up_for_a_call_that_is_to_succeed() {
        let schema = json!({"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}});
        assert_eq!(Input::new(&schema).expect("a schema").good(), []);
        assert_eq!(Input::new(&json!({"type": "object"})).expect("a schema").good().len(), 1);
        assert!(Input::new(&json!({"type": 1})).is_none());
    }
}
