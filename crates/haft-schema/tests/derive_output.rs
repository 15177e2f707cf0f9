//! Results and their schemas: the natural schema of what serde sends.
#![allow(dead_code, reason = "the types are there for their schemas")]

use std::collections::{BTreeMap, HashMap};

use haft_schema::{Checker, output, portable, schema_text};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

const ANY_ROOT: &[&str] = &["portable_output"];

fn published<T: JsonSchema>() -> String {
    output::<T>(ANY_ROOT).unwrap().unwrap().published
}

fn refused<T: JsonSchema>(allow: &[&str]) -> Vec<&'static str> {
    output::<T>(allow).unwrap_err().iter().map(|problem| problem.rule).collect()
}

#[derive(JsonSchema, Serialize)]
struct Order {
    id: String,
    note: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    eta: Option<u32>,
    status: Status,
    weight: u64,
    extra: Value,
    tags: HashMap<String, Value>,
    placed: chrono::DateTime<chrono::Utc>,
}

#[derive(JsonSchema, Serialize)]
enum Status {
    /// Not yet shipped
    Open,
    Sent,
}

#[test]
fn a_struct_publishes_what_serde_sends() {
    let output = output::<Order>(&[]).unwrap().unwrap();
    assert_eq!(
        output.published,
        concat!(
            r#"{"type":"object","properties":{"id":{"type":"string"},"note":{"anyOf":[{"type":"string"},{"type":"null"}]},"#,
            r#""status":{"type":"string","description":"`Open`: Not yet shipped.","enum":["Sent","Open"]},"#,
            r#""weight":{"type":"integer","minimum":0},"extra":{},"tags":{"type":"object","additionalProperties":true},"#,
            r#""placed":{"type":"string","format":"date-time"},"eta":{"anyOf":[{"type":"integer","minimum":0},{"type":"null"}]}},"#,
            r#""required":["id","note","status","weight","extra","tags","placed"]}"#,
        )
    );
    assert_eq!(portable::output_schema(&output.published_value), []);
    let sent = Order {
        id: "A-1001".to_owned(),
        note: None,
        eta: None,
        status: Status::Open,
        weight: u64::MAX,
        extra: json!(null),
        tags: HashMap::new(),
        placed: chrono::DateTime::UNIX_EPOCH,
    };
    let checker = Checker::compile(&output.exact).unwrap();
    assert_eq!(checker.check(&serde_json::to_value(sent).unwrap()), []);
}

#[test]
fn roots_that_are_no_objects_have_to_be_allowed() {
    assert_eq!(published::<Vec<u8>>(), r#"{"type":"array","items":{"type":"integer","minimum":0,"maximum":255}}"#);
    assert_eq!(published::<i64>(), r#"{"type":"integer"}"#);
    assert_eq!(published::<bool>(), r#"{"type":"boolean"}"#);
    assert_eq!(published::<f64>(), r#"{"type":"number"}"#);
    let root = published::<Option<Order>>();
    assert!(root.starts_with(r#"{"anyOf":[{"type":"object","#) && root.ends_with(r#"},{"type":"null"}]}"#), "{root}");
    for rules in [refused::<Vec<u8>>(&[]), refused::<i64>(&[]), refused::<bool>(&[]), refused::<Option<Order>>(&[])] {
        assert_eq!(rules, ["portable_output"]);
    }
}

#[test]
fn types_that_say_nothing_publish_nothing() {
    #[derive(JsonSchema, Serialize)]
    struct Unit;
    assert!(output::<()>(&[]).unwrap().is_none());
    assert!(output::<Unit>(&[]).unwrap().is_none());
    assert!(output::<Value>(&[]).unwrap().is_none());
    assert!(output::<Option<Value>>(&[]).unwrap().is_none());
}

#[derive(JsonSchema, Serialize)]
struct Tree {
    name: String,
    children: Vec<Tree>,
}

#[test]
fn recursion_has_to_be_allowed() {
    assert_eq!(refused::<Tree>(&[]), ["recursion"]);
    let output = output::<Tree>(&["recursion"]).unwrap().unwrap();
    let checker = Checker::compile(&output.exact).unwrap();
    let tree = Tree { name: "a".to_owned(), children: vec![Tree { name: "b".to_owned(), children: Vec::new() }] };
    assert_eq!(checker.check(&serde_json::to_value(tree).unwrap()), []);
    assert_eq!(checker.check(&json!({ "name": "a", "children": [{ "name": 1, "children": [] }] })).len(), 1);
}

#[derive(JsonSchema, Serialize)]
#[serde(tag = "kind")]
enum Event {
    Moved { x: u8 },
    Gone,
}

#[test]
fn an_enum_of_structs_is_an_object() {
    assert_eq!(
        output::<Event>(&[]).unwrap().unwrap().published,
        concat!(
            r#"{"type":"object","oneOf":[{"type":"object","properties":{"kind":{"type":"string","const":"Moved"},"#,
            r#""x":{"type":"integer","minimum":0,"maximum":255}},"required":["kind","x"]},"#,
            r#"{"type":"object","properties":{"kind":{"type":"string","const":"Gone"}},"required":["kind"]}]}"#,
        )
    );
}

#[test]
fn objects_stay_open() {
    assert!(!published::<Order>().contains(r#""additionalProperties":false"#));
}

#[test]
fn text_is_canonical() {
    let schema = json!({
        "required": ["b"], "properties": { "c": {}, "a": { "minimum": 1.0, "default": 1e3, "type": "number", "maximum": 0.1 }, "b": true },
        "x-z": 1, "additionalProperties": { "examples": [{ "z": 1, "a": u64::MAX }], "description": "d" }, "$defs": {}, "type": "object",
    });
    assert_eq!(
        schema_text(&schema),
        concat!(
            r#"{"type":"object","properties":{"b":true,"a":{"type":"number","minimum":1,"maximum":0.1,"default":1000},"c":{}},"#,
            r#""required":["b"],"additionalProperties":{"description":"d","examples":[{"a":18446744073709551615,"z":1}]},"x-z":1,"$defs":{}}"#,
        )
    );
    let spelled: Value = serde_json::from_str(r#"{"minimum":1e3,"maximum":2.50,"multipleOf":-0.0}"#).unwrap();
    assert_eq!(schema_text(&spelled), r#"{"minimum":1000,"maximum":2.5,"multipleOf":0}"#);
}

#[test]
fn maps_and_nested_enums_keep_their_natural_schema() {
    #[derive(JsonSchema, Serialize)]
    struct Report {
        by_day: BTreeMap<u32, Option<Event>>,
        range: (u8, u8),
    }
    let schema = output::<Report>(&[]).unwrap().unwrap().published_value;
    assert_eq!(schema["properties"]["by_day"]["patternProperties"][r"^\d+$"]["anyOf"][1], json!({ "type": "null" }));
    assert_eq!(schema["properties"]["range"]["prefixItems"].as_array().unwrap().len(), 2);
}
