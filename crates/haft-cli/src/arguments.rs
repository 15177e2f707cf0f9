//! `key=value` words to JSON, by the tool's input schema.

use anyhow::{Context, bail};
use serde_json::{Map, Value};

/// The arguments of a call: `--json` as it is, then each word.
///
/// A word whose value doesn't read as the type that the schema wants is sent as a string: the server says best what is
/// wrong with it.
pub(crate) fn read(json: Option<&str>, words: &[String], schema: &Value) -> anyhow::Result<Value> {
    let mut arguments = match json {
        None => Map::new(),
        Some(json) => {
            match serde_json::from_str(json).context("--json takes an object such as '{\"text\": \"hi\"}'")? {
                Value::Object(arguments) => arguments,
                _ => bail!("--json takes an object such as '{{\"text\": \"hi\"}}'"),
            }
        }
    };
    for word in words {
        let Some((name, value)) = word.split_once('=') else {
            bail!("{word:?} is no argument: write name=value, or --json for the whole object");
        };
        arguments.insert(name.to_owned(), typed(value, &schema["properties"][name]));
    }
    Ok(Value::Object(arguments))
}

fn typed(text: &str, schema: &Value) -> Value {
    let string = || Value::String(text.to_owned());
    let parsed = serde_json::from_str::<Value>(text).ok();
    let wanted = match schema["type"].as_str() {
        Some("string") => None,
        Some("integer" | "number") => parsed.filter(Value::is_number),
        Some("boolean") => parsed.filter(Value::is_boolean),
        Some("array") => parsed.filter(Value::is_array),
        Some("object") => parsed.filter(Value::is_object),
        _ => parsed,
    };
    wanted.unwrap_or_else(string)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_take_the_type_that_the_schema_wants() {
        let schema = json!({"properties": {
            "id": {"type": "string"}, "count": {"type": "integer"}, "on": {"type": "boolean"}, "tags": {"type": "array"},
        }});
        let words = ["id=42", "count=42", "on=true", r#"tags=["a"]"#, "other=x"].map(str::to_owned);
        let expected = json!({"id": "42", "count": 42, "on": true, "tags": ["a"], "other": "x"});
        assert_eq!(read(None, &words, &schema).unwrap(), expected);
    }

    #[test]
    fn a_value_of_the_wrong_type_is_left_to_the_server() {
        let schema = json!({"properties": {"count": {"type": "integer"}}});
        assert_eq!(read(None, &["count=many".to_owned()], &schema).unwrap(), json!({"count": "many"}));
    }

    #[test]
    fn words_add_to_json_and_a_word_without_a_value_is_refused() {
        let read = |json, words: &[&str]| {
            read(Some(json), &words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>(), &json!({}))
        };
        assert_eq!(read(r#"{"a": 1}"#, &["b=2"]).unwrap(), json!({"a": 1, "b": 2}));
        assert!(read("[1]", &[]).is_err());
        assert!(read("{}", &["word"]).unwrap_err().to_string().contains("name=value"));
    }
}
