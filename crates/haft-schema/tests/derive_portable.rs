//! The portable profile as rules over anybody's definitions.

use haft_schema::portable;
use serde_json::{Value, json};

fn places(problems: &[haft_schema::Problem]) -> Vec<String> {
    problems.iter().map(|problem| format!("{} {}", problem.rule, problem.place)).collect()
}

fn input(property: Value) -> Vec<String> {
    places(&portable::input_schema(&json!({ "type": "object", "properties": { "a": property } })))
}

#[test]
fn names_of_tools() {
    for good in ["get_order", "a1b", "x_2", &"a".repeat(40)] {
        assert_eq!(portable::tool_name(good), Ok(()), "{good}");
    }
    for bad in ["", "ab", "Get", "1st", "_a_b", "a-b", "a.b", "a__b", "é_a", &"a".repeat(41)] {
        assert!(portable::tool_name(bad).is_err(), "{bad}");
    }
    assert_eq!(
        portable::tool_name("get-order").unwrap_err(),
        "the tool name `get-order` has characters other than a-z, 0-9 and _; use 3 to 40 characters a-z, 0-9 and single _, a letter first"
    );
}

#[test]
fn names_of_arguments_and_headers() {
    for good in ["a", "_a", "userId", "A_1", &"a".repeat(64)] {
        assert_eq!(portable::argument_name(good), Ok(()), "{good}");
    }
    for bad in ["", "1a", "a-b", "a.b", "$filter", "naïve", &"a".repeat(65)] {
        assert!(portable::argument_name(bad).is_err(), "{bad}");
    }
    assert!(portable::is_token("X-Region_1"));
    assert!(
        !portable::is_token("") && !portable::is_token("a b") && !portable::is_token("a:b") && !portable::is_token("é")
    );
}

#[test]
fn descriptions() {
    assert!(portable::description("x").is_ok());
    assert!(portable::description(&"é".repeat(1_024)).is_ok());
    assert!(portable::description(&"x".repeat(1_025)).is_err());
    assert!(portable::description(" \n").is_err());
    assert!(portable::input_size(&"x".repeat(5_000)).is_ok());
    assert!(portable::input_size(&"x".repeat(5_001)).is_err());
}

#[test]
fn input_schemas_inside_the_subset() {
    let schema = json!({
        "type": "object",
        "properties": {
            "any": {},
            "id": { "type": "string", "description": "d", "pattern": "^a$", "minLength": 1, "maxLength": 2, "examples": ["a"] },
            "at": { "type": "string", "format": "date-time" },
            "state": { "type": "string", "enum": ["on", "off"], "default": "on" },
            "count": { "type": "integer", "minimum": 0, "maximum": 9_007_199_254_740_991_i64, "x-mcp-header": "Count" },
            "list": { "type": "array", "items": { "anyOf": [{ "type": "string" }, { "type": "number" }] }, "minItems": 1 },
            "map": { "type": "object", "additionalProperties": { "type": "boolean" } },
            "open": { "type": "object", "additionalProperties": true },
        },
        "required": ["id"],
        "additionalProperties": false,
    });
    assert_eq!(portable::input_schema(&schema), []);
}

#[test]
fn input_schemas_outside_the_subset() {
    let at = |place: &str| vec![format!("portable_input /properties/a{place}")];
    assert_eq!(input(json!(true)), at(""));
    assert_eq!(input(json!({ "type": ["string", "null"] })), at("/type"));
    assert_eq!(input(json!({ "type": "null" })), at("/type"));
    assert_eq!(input(json!({ "type": "array" })), at(""));
    assert_eq!(input(json!({ "type": "string", "format": "uuid" })), at("/format"));
    assert_eq!(input(json!({ "type": "string", "enum": ["", "a"] })), at("/enum"));
    assert_eq!(input(json!({ "enum": ["a"] })), at(""));
    assert_eq!(input(json!({ "type": "integer", "maximum": 9_007_199_254_740_992_i64 })), at("/maximum"));
    assert_eq!(input(json!({ "type": "object", "required": ["b"] })), at("/required"));
    assert_eq!(input(json!({ "type": "string", "x-mcp-header": "a b" })), at("/x-mcp-header"));
    for keyword in
        ["const", "oneOf", "allOf", "not", "multipleOf", "exclusiveMinimum", "uniqueItems", "nullable", "title"]
    {
        assert_eq!(input(json!({ keyword: 1 })), at(&format!("/{keyword}")), "{keyword}");
    }
    assert_eq!(input(json!({ "$ref": "#/$defs/A" })), ["recursion /properties/a/$ref"]);
    assert_eq!(input(json!({ "description": "" })), ["portable_description /properties/a/description"]);
    let nested = json!({ "type": "array", "items": { "anyOf": [{ "type": "object", "additionalProperties": { "const": 1 } }] } });
    assert_eq!(input(nested), at("/items/anyOf/0/additionalProperties/const"));
    let root = json!({ "$schema": "x", "type": "string", "anyOf": [], "properties": { "a-b": {} } });
    assert_eq!(
        places(&portable::input_schema(&root)),
        ["portable_input ", "portable_input /anyOf", "portable_input /properties/a-b", "portable_input /$schema"]
    );
}

#[test]
fn output_schemas() {
    let check = |schema: Value| places(&portable::output_schema(&schema));
    assert_eq!(
        check(
            json!({ "type": "object", "additionalProperties": false, "properties": { "a": { "type": ["string", "null"] } } })
        ),
        [""; 0]
    );
    assert_eq!(check(json!({ "type": "array", "items": {} })), ["portable_output "]);
    assert_eq!(check(json!({ "type": "object", "properties": { "a": true } })), ["portable_output /properties/a"]);
    assert_eq!(check(json!({ "type": "object", "$schema": "x" })), ["portable_output /$schema"]);
    let to = |name: &str| json!({ "items": { "$ref": format!("#/$defs/{name}") } });
    let definitions = |b: &str| json!({ "type": "object", "$defs": { "A": to("B"), "B": to(b), "C": {} } });
    assert_eq!(check(definitions("A")), ["recursion /$defs/A"]);
    assert_eq!(check(definitions("B")), ["recursion /$defs/B"]);
    assert_eq!(check(definitions("C")), [""; 0]);
    assert_eq!(check(json!({ "type": "object", "properties": { "a": { "$ref": "#" } } })), ["recursion "]);
}

#[test]
fn rules_have_the_names_that_tools_opt_out_by() {
    assert_eq!(
        portable::RULES,
        ["portable_name", "portable_description", "portable_input", "portable_output", "recursion"]
    );
}
