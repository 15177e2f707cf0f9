//! What normalising changes, and that it changes nothing else.

use haft_schema::{Checker, RenderOptions, render};
use serde_json::{Value, json};

#[track_caller]
fn normalised(schema: &Value, value: Value) -> Value {
    let checker = Checker::compile(schema).expect("compiles");
    let mut once = value;
    checker.normalise(&mut once);
    let mut twice = once.clone();
    checker.normalise(&mut twice);
    assert_eq!(once, twice, "idempotent");
    once
}

/// Equal, and the numbers of the same kind: `2` isn't `2.0`.
#[track_caller]
fn same(one: &Value, other: &Value) {
    assert_eq!(one, other);
    assert_eq!(one.to_string(), other.to_string());
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn optional_nulls_go_at_any_depth() {
    let schema = json!({
        "type": "object",
        "properties": {
            "required": {"type": "string"}, "optional": {"type": "string"}, "nullable": {"type": ["string", "null"]},
            "any": {}, "list": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
            "map": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Item"}},
            "both": {"allOf": [{"$ref": "#/$defs/Item"}, {"properties": {"more": {"type": "integer"}}}]},
        },
        "required": ["required"],
        "$defs": {"Item": {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "again": {"$ref": "#/$defs/Item"}}}}
    });
    same(
        &normalised(
            &schema,
            json!({
                "required": null, "optional": null, "nullable": null, "any": null, "unknown": null,
                "list": [{"a": null, "b": null, "again": {"a": null}}, null],
                "map": {"x": {"a": null}, "y": null},
                "both": {"a": null, "more": null, "other": null},
            }),
        ),
        &json!({
            "required": null, "nullable": null, "any": null, "unknown": null,
            "list": [{"b": null, "again": {}}, null],
            "map": {"x": {}, "y": null},
            "both": {"other": null},
        }),
    );
}

#[test]
fn the_branch_of_a_tagged_union_decides() {
    let schema = json!({"oneOf": [
        {"type": "object", "properties": {"op": {"const": "put"}, "ttl": {"type": "integer"}, "note": {"type": ["string", "null"]}}, "required": ["op"]},
        {"type": "object", "properties": {"op": {"const": "del"}, "ttl": {"type": ["number", "null"]}, "note": {"type": "string"}}, "required": ["op"]},
    ]});
    same(&normalised(&schema, json!({"op": "put", "ttl": null, "note": null})), &json!({"op": "put", "note": null}));
    same(&normalised(&schema, json!({"op": "put", "ttl": 2.0})), &json!({"op": "put", "ttl": 2}));
    same(&normalised(&schema, json!({"op": "del", "ttl": null, "note": null})), &json!({"op": "del", "ttl": null}));
    same(&normalised(&schema, json!({"op": "del", "ttl": 2.0})), &json!({"op": "del", "ttl": 2.0}));
    same(&normalised(&schema, json!({"op": "get", "ttl": null})), &json!({"op": "get", "ttl": null}));

    let external = json!({"oneOf": [
        {"type": "object", "properties": {"a": {"type": "object", "properties": {"x": {"type": "integer"}}}}, "required": ["a"], "additionalProperties": false},
        {"type": "object", "properties": {"b": {"type": "object", "properties": {"x": {"type": "null"}}}}, "required": ["b"], "additionalProperties": false},
    ]});
    same(&normalised(&external, json!({"a": {"x": null}})), &json!({"a": {}}));
    same(&normalised(&external, json!({"b": {"x": null}})), &json!({"b": {"x": null}}));
}

#[test]
fn an_optional_object_that_may_be_null() {
    let schema = json!({"properties": {"p": {"anyOf": [
        {"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}}, "required": ["x"]}, {"type": "null"}]}}});
    same(&normalised(&schema, json!({"p": {"x": 1.0, "y": null}})), &json!({"p": {"x": 1}}));
    same(&normalised(&schema, json!({"p": null})), &json!({"p": null}));
}

#[test]
fn an_untagged_union_by_what_fits_best() {
    let schema = json!({"anyOf": [
        {"type": "object", "properties": {"email": {"type": "string"}, "name": {"type": "string"}}, "required": ["email"], "additionalProperties": false},
        {"type": "object", "properties": {"phone": {"type": "integer"}, "name": {"type": "string"}}, "required": ["phone"], "additionalProperties": false},
    ]});
    same(&normalised(&schema, json!({"phone": 5.0, "name": null})), &json!({"phone": 5}));
}

#[test]
fn whole_numbers_become_integers_where_the_schema_says_so() {
    let schema = json!({"properties": {
        "i": {"type": "integer"}, "n": {"type": "number"}, "both": {"type": ["integer", "number"]},
        "list": {"items": {"type": "integer"}}, "pair": {"prefixItems": [{"type": "number"}, {"type": "integer"}]},
        "maybe": {"type": ["integer", "null"]},
    }});
    same(
        &normalised(
            &schema,
            json!({"i": 2.0, "n": 2.0, "both": 2.0, "list": [1.0, 2, 3.5, "4"], "pair": [1.0, 2.0], "maybe": -0.0, "free": 2.0}),
        ),
        &json!({"i": 2, "n": 2.0, "both": 2.0, "list": [1, 2, 3.5, "4"], "pair": [1.0, 2], "maybe": 0, "free": 2.0}),
    );
    // What 64 bits don't hold stays as it is.
    same(&normalised(&schema, json!({"i": 1e20})), &json!({"i": 1e20}));
}

#[test]
fn nothing_else_is_coerced() {
    let schema = json!({"properties": {"i": {"type": "integer"}, "b": {"type": "boolean"}, "l": {"type": "array"}, "s": {"type": "string"}}});
    let value = json!({"i": "2", "b": "true", "l": "[1]", "s": 5, "x": {"y": [null, 1.0]}});
    same(&normalised(&schema, value.clone()), &value);
    let value = json!({"i": 2.5, "b": 0, "l": {}, "s": true});
    same(&normalised(&schema, value.clone()), &value);
}

#[test]
fn numbers_however_they_are_spelled() {
    let schema = json!({"properties": {"i": {"type": "integer"}, "n": {"type": "number"}}});
    for (i, n, i_after, n_after) in [
        ("1e3", "1e3", json!(1000), json!(1000.0)),
        ("2.0", "2.50", json!(2), json!(2.5)),
        ("18446744073709551615", "18446744073709551616", json!(u64::MAX), json!(18446744073709551616.0)),
        ("-9223372036854775808", "-0.0", json!(i64::MIN), json!(-0.0)),
        ("9007199254740993", "9007199254740993", json!(9007199254740993_i64), json!(9007199254740993_i64)),
    ] {
        let value = normalised(&schema, parsed(&format!(r#"{{"i": {i}, "n": {n}}}"#)));
        same(&value["i"], &i_after);
        same(&value["n"], &n_after);
    }
}

#[test]
fn bounds_of_64_bits_are_exact() {
    let schema = json!({"properties": {
        "i": {"type": "integer", "minimum": i64::MIN, "maximum": i64::MAX},
        "u": {"type": "integer", "minimum": 0, "maximum": u64::MAX},
        "safe": {"type": "integer", "minimum": -9007199254740991_i64, "maximum": 9007199254740991_i64},
    }});
    let checker = Checker::compile(&schema).unwrap();
    let lines = |text: &str| -> String {
        let mut value = parsed(text);
        checker.normalise(&mut value);
        let violations = checker.check(&value);
        assert_eq!(violations.is_empty(), checker.is_valid(&value), "{text}");
        if violations.is_empty() {
            return String::new();
        }
        let text = render(&violations, &RenderOptions::arguments("t"));
        text.lines().filter(|line| line.starts_with('-')).collect::<Vec<_>>().join("\n")
    };
    for fine in [
        r#"{"i": 9223372036854775807, "u": 18446744073709551615, "safe": 9007199254740991}"#,
        r#"{"i": -9223372036854775808, "u": 0, "safe": -9007199254740991}"#,
        r#"{"i": 2.0, "u": 1e3, "safe": 9.007199254740991e15}"#,
    ] {
        assert_eq!(lines(fine), "", "{fine}");
    }
    assert_eq!(
        lines(r#"{"i": 9223372036854775808, "u": 18446744073709551616, "safe": 9007199254740992}"#),
        "- /i: must be at most 9223372036854775807, got 9223372036854775808\n\
         - /safe: must be at most 9007199254740991, got 9007199254740992\n\
         - /u: must be at most 18446744073709551615, got 1.8446744073709552e19"
    );
    assert_eq!(
        lines(r#"{"i": -9223372036854777857, "u": -1, "safe": -9007199254740993}"#),
        "- /i: must be at least -9223372036854775808, got -9.223372036854778e18\n\
         - /safe: must be at least -9007199254740991, got -9007199254740993\n\
         - /u: must be at least 0, got -1"
    );
    assert_eq!(
        lines(r#"{"i": 2.5, "u": 1e-3}"#),
        "- /i: must be an integer, got 2.5\n- /u: must be an integer, at least 0, got 0.001"
    );
}

#[test]
fn numbers_are_checked_alike_however_they_are_spelled() {
    let checker = Checker::compile(&json!({"properties": {
        "e": {"enum": [1000, 2.5]}, "m": {"multipleOf": 0.1}, "max": {"maximum": 1e3}, "u": {"uniqueItems": true}, "i": {"type": "integer"}}}))
    .unwrap();
    // Not normalised.
    for fine in
        [r#"{"e": 1e3}"#, r#"{"e": 2.50}"#, r#"{"max": 1000.0}"#, r#"{"max": 1e3}"#, r#"{"i": 1e3}"#, r#"{"m": 3e-1}"#]
    {
        assert_eq!(checker.check(&parsed(fine)), [], "{fine}");
        assert!(checker.is_valid(&parsed(fine)), "{fine}");
    }
    for wrong in [r#"{"u": [1, 1.0]}"#, r#"{"u": [1e3, 1000]}"#, r#"{"max": 1001e0}"#, r#"{"i": 15e-1}"#] {
        assert_eq!(checker.check(&parsed(wrong)).len(), 1, "{wrong}");
        assert!(!checker.is_valid(&parsed(wrong)), "{wrong}");
    }
}

#[test]
fn a_number_beyond_a_double_is_refused() {
    // Without `arbitrary_precision` serde_json refuses it itself.
    if let Ok(value) = serde_json::from_str::<Value>(r#"{"a": [1e400], "b": 1}"#) {
        let checker = Checker::compile(&json!({})).unwrap();
        assert!(!checker.is_valid(&value));
        assert_eq!(
            render(&checker.check(&value), &RenderOptions::arguments("t")),
            "t was not run: 1 problem with its arguments.\n- /a/0: must be a number between -1.8e308 and 1.8e308, got 1e400\nCorrect this argument and call t again."
        );
    }
}
