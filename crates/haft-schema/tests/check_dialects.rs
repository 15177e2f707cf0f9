//! Schemas of older dialects, and references by other means than pointers from the root.

use haft_schema::{Checker, RenderOptions, render};
use serde_json::{Value, json};

/// The lines on what is wrong.
#[track_caller]
fn lines(schema: &Value, value: Value) -> Vec<String> {
    let checker = Checker::compile(schema).unwrap_or_else(|problems| panic!("{problems:?}"));
    let violations = checker.check(&value);
    assert_eq!(violations.is_empty(), checker.is_valid(&value));
    let text = render(&violations, &RenderOptions::arguments("t"));
    text.lines().filter_map(|line| line.strip_prefix("- ")).map(str::to_owned).collect()
}

#[test]
fn draft_04() {
    let schema = json!({
        "$schema": "http://json-schema.org/draft-04/schema#",
        "id": "http://example.com/root.json",
        "properties": {
            "n": {"type": "integer", "minimum": 0, "exclusiveMinimum": true},
            "p": {"$ref": "#/definitions/p"},
            "q": {"$ref": "http://example.com/root.json#/definitions/p"},
            "const": {"const": "means nothing here"},
        },
        "definitions": {"p": {"type": "string"}}
    });
    assert_eq!(
        lines(&schema, json!({"n": 0, "p": 1, "q": 2, "const": 3})),
        ["/n: must be greater than 0, got 0", "/p: must be a string, got 1", "/q: must be a string, got 2"]
    );
}

#[test]
fn draft_07() {
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "properties": {
            "hidden": {"$ref": "#/definitions/any", "type": "string"},
            "pair": {"items": [{"type": "string"}, {"type": "integer"}], "additionalItems": false},
            "at": {"type": "string", "format": "date"},
            "named": {"$ref": "#name"},
        },
        "dependencies": {"at": ["zone"], "pair": {"required": ["of"]}},
        "definitions": {"any": {}, "named": {"$id": "#name", "type": "boolean"}}
    });
    assert_eq!(lines(&schema, json!({"hidden": 5})), [""; 0]);
    assert_eq!(
        lines(&schema, json!({"pair": [1, 2, 3], "at": "today", "named": "no", "of": 1})),
        [
            "/at: must be a date, e.g. 2026-07-28, got \"today\"",
            "/named: must be true or false, got the string \"no\"",
            "/pair/0: must be a string, got 1",
            "/pair/2: not allowed here",
            "/zone: missing",
        ]
    );
    assert_eq!(lines(&schema, json!({"pair": []})), ["/of: missing"]);
}

#[test]
fn draft_2019_09() {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2019-09/schema",
        "type": "object",
        "properties": {"next": {"$recursiveRef": "#"}, "name": {"type": "string"}},
        "allOf": [{"properties": {"extra": true}}],
        "unevaluatedProperties": false
    });
    assert_eq!(
        lines(&schema, json!({"next": {"next": {"name": 1}, "extra": 1, "extar": 2}})),
        [
            "/next/next/name: must be a string, got 1",
            "/next/extar: unknown property; known properties: name, next, extra",
        ]
    );
}

#[test]
fn draft_2020_12() {
    let schema = json!({
        "$id": "https://example.com/a/root",
        "properties": {
            "anchor": {"$ref": "#here"},
            "relative": {"$ref": "inner"},
            "within": {"$ref": "/a/inner#/$defs/x"},
            "escaped": {"$ref": "#/$defs/a~1b%20c"},
            "tuple": {"prefixItems": [{"type": "string"}], "items": {"type": "null"}},
            "rest": {"prefixItems": [true], "unevaluatedItems": false},
        },
        "$defs": {
            "one": {"$anchor": "here", "type": "string"},
            "two": {"$id": "inner", "type": "integer", "$defs": {"x": {"$ref": "#/$defs/y"}, "y": {"type": "boolean"}}},
            "a/b c": {"type": "array"},
        }
    });
    assert_eq!(
        lines(
            &schema,
            json!({"anchor": 1, "relative": 1.5, "within": 1, "escaped": 1, "tuple": [1, 2], "rest": [1, 2]})
        ),
        [
            "/anchor: must be a string, got 1",
            "/escaped: must be an array, got 1",
            "/relative: must be an integer, got 1.5",
            "/rest/1: not allowed here",
            "/tuple/0: must be a string, got 1",
            "/tuple/1: must be null, got 2",
            "/within: must be true or false, got 1",
        ]
    );
}

#[test]
fn what_is_wrong_with_a_schema_is_said_all_at_once() {
    let problems = |schema: Value| -> Vec<String> {
        Checker::compile(&schema).expect_err("must be refused").iter().map(ToString::to_string).collect()
    };
    assert_eq!(
        problems(json!({"properties": {
            "a": {"type": "strng"}, "b": {"type": ["string", "int"]}, "c": 5, "d": {"anyOf": {}}, "e": {"properties": []}}})),
        [
            "/properties/a/type: \"strng\" is not a type of JSON Schema; did you mean \"string\"? [schema]",
            "/properties/b/type: \"int\" is not a type of JSON Schema [schema]",
            "/properties/c: a schema must be an object, true or false; this is 5 [schema]",
            "/properties/d/anyOf: must be an array of schemas [schema]",
            "/properties/e/properties: must be an object whose members are schemas [schema]",
        ]
    );
    let places: Vec<String> = Checker::compile(&json!({"minLength": -1, "required": "a", "pattern": "("}))
        .expect_err("must be refused")
        .into_iter()
        .map(|problem| problem.place)
        .collect();
    assert_eq!(places, ["/minLength", "/pattern", "/required"]);
    assert!(!problems(json!([])).is_empty());
    assert!(!problems(json!("string")).is_empty());
    assert!(
        problems(json!({"items": {"$schema": "http://json-schema.org/draft-04/schema#"}}))[0]
            .contains("can't change inside")
    );
}

#[test]
fn keywords_are_judged_in_a_dialect_of_choice() {
    let places = |schema: serde_json::Value, dialect: Option<&str>| {
        let problems = haft_schema::keyword_problems(&schema, dialect);
        problems.into_iter().map(|problem| problem.place).collect::<Vec<_>>()
    };
    let draft_07 = Some("http://json-schema.org/draft-07/schema#");
    let list = serde_json::json!({"type": "array", "items": [{"type": "string"}]});
    assert_eq!(places(list.clone(), None), ["/items"], "a list of schemas is not one of 2020-12, and is said once");
    assert!(places(list, draft_07).is_empty());
    let declared = serde_json::json!({"$schema": draft_07, "items": [true], "minLength": "3"});
    assert_eq!(places(declared, None), ["/minLength"]);
    assert_eq!(places(serde_json::json!({}), Some("https://example.com/mine")), ["/$schema"]);
}
