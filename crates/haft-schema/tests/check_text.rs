//! What a model reads, whole texts: read them as it would.

use haft_schema::{Checker, RenderOptions, render};
use serde_json::{Value, json};

/// The text for arguments of the tool `name`, after normalising.
#[track_caller]
fn refused(name: &str, schema: &Value, mut arguments: Value) -> String {
    let checker = Checker::compile_with_formats(schema).expect("compiles");
    checker.normalise(&mut arguments);
    let violations = checker.check(&arguments);
    assert_eq!(violations.is_empty(), checker.is_valid(&arguments));
    assert!(!violations.is_empty(), "must be refused");
    render(&violations, &RenderOptions::arguments(name))
}

#[track_caller]
fn admitted(schema: &Value, mut arguments: Value) -> Value {
    let checker = Checker::compile_with_formats(schema).expect("compiles");
    checker.normalise(&mut arguments);
    assert_eq!(checker.check(&arguments), []);
    assert!(checker.is_valid(&arguments));
    arguments
}

fn get_order() -> Value {
    json!({
        "type": "object",
        "properties": {"order_id": {"type": "string", "pattern": r"^A-\d{4}$", "description": "Order ID, e.g. A-1001"}},
        "required": ["order_id"],
        "additionalProperties": false
    })
}

#[test]
fn a_pattern() {
    assert_eq!(
        refused("get_order", &get_order(), json!({"order_id": "1001"})),
        r#"get_order was not run: 1 problem with its arguments.
- /order_id: must match the pattern ^A-\d{4}$, got "1001" (Order ID, e.g. A-1001)
Correct this argument and call get_order again."#
    );
    let thai_digits = json!({"order_id": "A-๑๒๓๔"});
    assert!(
        refused("get_order", &get_order(), thai_digits).contains("must match the pattern"),
        r"\d means ASCII digits"
    );
}

#[test]
fn a_misspelled_name_beside_what_it_should_have_been() {
    assert_eq!(
        refused("get_order", &get_order(), json!({"orderId": "A-1001"})),
        r#"get_order was not run: 2 problems with its arguments.
- /order_id: missing; expected a string matching ^A-\d{4}$ (Order ID, e.g. A-1001)
- /orderId: unknown argument; did you mean "order_id"? Known arguments: order_id
Correct these arguments and call get_order again."#
    );
}

#[test]
fn another_name_for_the_only_missing_argument() {
    let schema = json!({
        "type": "object",
        "properties": {"location": {"type": "string", "description": "City name or postal code"}},
        "required": ["location"],
        "additionalProperties": false
    });
    assert_eq!(
        refused("get_weather_data", &schema, json!({"city": "Toronto"})),
        r#"get_weather_data was not run: 2 problems with its arguments.
- /location: missing; expected a string (City name or postal code)
- /city: unknown argument; did you mean "location"? Known arguments: location
Correct these arguments and call get_weather_data again."#
    );
    assert_eq!(
        refused("get_weather_data", &schema, json!({"location": "Toronto", "units": "F"})),
        r#"get_weather_data was not run: 1 problem with its arguments.
- /units: unknown argument; known arguments: location
Correct this argument and call get_weather_data again."#
    );
    assert_eq!(
        refused("get_weather_data", &schema, json!({"location": 5})),
        r#"get_weather_data was not run: 1 problem with its arguments.
- /location: must be a string, got 5 (City name or postal code)
Correct this argument and call get_weather_data again."#
    );
    assert_eq!(
        refused("get_weather_data", &schema, json!({"location": null})),
        r#"get_weather_data was not run: 1 problem with its arguments.
- /location: must be a string, got null (City name or postal code)
Correct this argument and call get_weather_data again."#
    );
}

#[test]
fn a_tool_without_arguments() {
    assert_eq!(
        refused("ping", &json!({"type": "object", "properties": {}, "additionalProperties": false}), json!({"x": 1})),
        r#"ping was not run: 1 problem with its arguments.
- /x: unknown argument; ping takes no arguments
Correct this argument and call ping again."#
    );
}

#[test]
fn many_kinds_at_once() {
    let schema = json!({
        "type": "object",
        "properties": {
            "n": {"type": "integer", "minimum": 1, "maximum": 50},
            "kind": {"type": "string", "enum": ["a", "b"]},
            "s": {"type": "string", "maxLength": 5},
            "tags": {"type": "array", "items": {"type": "string"}, "description": "Labels"},
            "rate": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        },
        "additionalProperties": false
    });
    let bad = json!({"n": 999, "kind": "z", "s": "toolongstring", "tags": "notalist", "rate": 2});
    assert_eq!(
        refused("rich", &schema, bad),
        r#"rich was not run: 5 problems with its arguments.
- /kind: must be one of "a", "b", got "z"
- /n: must be at most 50, got 999
- /rate: must be less than 1, got 2
- /s: must have at most 5 characters, has 13, got "toolongstring"
- /tags: must be an array of strings, got the string "notalist" (Labels)
Correct these arguments and call rich again."#
    );
}

#[test]
fn wrong_types() {
    let schema = json!({
        "type": "object",
        "properties": {
            "i": {"type": "integer"}, "b": {"type": "boolean"}, "f": {"type": "number"}, "s": {"type": "string"},
            "l": {"type": "array", "items": {"type": "integer"}}, "o": {"type": "object"}, "m": {"type": ["string", "integer", "null"]},
        },
        "required": ["i", "b", "f", "s", "l", "o", "m"],
    });
    let bad = json!({"i": 5.5, "b": "maybe", "f": "x", "s": 3, "l": {"a": 1}, "o": [1, "two", null], "m": true});
    assert_eq!(
        refused("strict_types", &schema, bad),
        r#"strict_types was not run: 7 problems with its arguments.
- /i: must be an integer, got 5.5
- /b: must be true or false, got the string "maybe"
- /f: must be a number, got the string "x"
- /s: must be a string, got 3
- /l: must be an array of integers, got the object {"a":1}
- /o: must be an object, got the array [1,"two",null]
- /m: must be a string, an integer or null, got true
Correct these arguments and call strict_types again."#
    );
    assert_eq!(
        refused("strict_types", &schema, json!({"m": 1, "l": ["1", 2, 3.5], "i": "2"})),
        r#"strict_types was not run: 7 problems with its arguments.
- /i: must be an integer, got the string "2"
- /b: missing; expected true or false
- /f: missing; expected a number
- /s: missing; expected a string
- /l/0: must be an integer, got the string "1"
- /l/2: must be an integer, got 3.5
- /o: missing; expected an object
Correct these arguments and call strict_types again."#
    );
}

#[test]
fn the_whole_is_no_object() {
    assert_eq!(
        refused("get_order", &get_order(), json!(["A-1001"])),
        r#"get_order was not run: 1 problem with its arguments.
- (all arguments): must be an object with "order_id", got the array ["A-1001"]
Correct this argument and call get_order again."#
    );
}

#[test]
fn bounds_of_all_kinds() {
    let schema = json!({"type": "object", "properties": {
        "a": {"minimum": 3}, "b": {"exclusiveMinimum": 3.5}, "c": {"maximum": -1e3}, "d": {"multipleOf": 0.5},
        "e": {"minLength": 1}, "f": {"minLength": 3}, "g": {"maxLength": 1}, "h": {"minItems": 1}, "i": {"minItems": 2},
    }});
    let bad = json!({"a": 2, "b": 3.5, "c": 0, "d": 0.7, "e": "", "f": "é", "g": "no", "h": [], "i": [1]});
    assert_eq!(
        refused("t", &schema, bad),
        r#"t was not run: 9 problems with its arguments.
- /a: must be at least 3, got 2
- /b: must be greater than 3.5, got 3.5
- /c: must be at most -1000, got 0
- /d: must be a multiple of 0.5, got 0.7
- /e: must not be empty, got ""
- /f: must have at least 3 characters, has 1, got "é"
- /g: must have at most 1 character, has 2, got "no"
- /h: must not be empty, got []
- /i: must have at least 2 items, has 1, got [1]
Correct these arguments and call t again."#
    );
    let schema = json!({"type": "object", "properties": {
        "a": {"maxItems": 1}, "b": {"uniqueItems": true}, "c": {"contains": {"type": "string"}},
        "d": {"contains": {"const": 1}, "minContains": 0, "maxContains": 1}, "e": {"minProperties": 1}, "f": {"maxProperties": 1},
        "g": {"propertyNames": {"pattern": "^[a-z]+$"}}, "h": {"not": {"type": "null"}}, "i": false, "j": {"const": 7},
    }});
    let bad = json!({"a": [1, 2], "b": [1, 1.0], "c": [1], "d": [1, 1], "e": {}, "f": {"x": 1, "y": 2}, "g": {"A b": 1},
        "h": null, "i": 1, "j": 8});
    assert_eq!(
        refused("t", &schema, bad),
        r#"t was not run: 9 problems with its arguments.
- /a: must have at most 1 item, has 2, got [1,2]
- /b: must not contain the same item twice, got [1,1]
- /c: must contain at least 1 item that is a string, has 0, got [1]
- /d: must contain at most 1 item that is 1, has 2, got [1,1]
- /e: must not be empty, got {}
- /f: must have at most 1 property, has 2, got {"x":1,"y":2}
- /g/A b: its name must match the pattern ^[a-z]+$
- /i: not allowed here
- /j: must be 7, got 8
Correct these arguments and call t again."#,
        "the null of /h is removed, for it is optional and not admitted"
    );
}

#[test]
fn formats() {
    let schema = json!({"type": "object", "properties": {
        "at": {"type": "string", "format": "date-time", "pattern": "^\\d"}, "id": {"type": "string", "format": "uuid"},
        "unknown": {"type": "string", "format": "int32"},
    }, "required": ["at", "id"]});
    assert_eq!(
        refused("t", &schema, json!({"at": "tomorrow", "unknown": "x"})),
        r#"t was not run: 2 problems with its arguments.
- /at: must be a date and time with offset, e.g. 2026-07-28T09:30:00Z, got "tomorrow"
- /id: missing; expected a UUID, e.g. 123e4567-e89b-12d3-a456-426614174000
Correct these arguments and call t again."#
    );
    // By the dialect's own rule, 2020-12 only annotates.
    assert!(Checker::compile(&schema).unwrap().is_valid(&json!({"at": "4 o'clock", "id": "x"})));
}

#[test]
fn what_belongs_where_something_is_missing() {
    let schema = json!({"type": "object", "properties": {
        "a": {"type": "integer", "minimum": 1, "maximum": 50},
        "b": {"enum": ["x", "y"], "type": "string"},
        "c": {"type": "string", "minLength": 1, "maxLength": 64},
        "d": {"type": "array", "items": {"$ref": "#/$defs/Point"}},
        "e": {"$ref": "#/$defs/Point", "description": "Where to start"},
        "f": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "g": {"type": "integer", "minimum": 0, "maximum": 4294967295_u32},
        "h": {"type": "string", "examples": ["A-1001"], "description": "The order"},
        "i": true,
        "j": {"type": "array", "items": {"type": "string", "enum": ["red", "green"]}},
    }, "required": ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"],
    "$defs": {"Point": {"type": "object", "properties": {"x": {"type": "number"}, "y": {"type": "number"}}, "required": ["x", "y"]}}});
    assert_eq!(
        refused("t", &schema, json!({})),
        r#"t was not run: 10 problems with its arguments.
- /a: missing; expected an integer from 1 to 50
- /b: missing; expected one of "x", "y"
- /c: missing; expected a string of 1 to 64 characters
- /d: missing; expected an array of objects
- /e: missing; expected an object with "x", "y" (Where to start)
- /f: missing; expected a string or null
- /g: missing; expected an integer, at least 0
- /h: missing; expected a string (The order; e.g. "A-1001")
- /i: missing
- /j: missing; expected an array; each item one of "red", "green"
Correct these arguments and call t again."#
    );
}

#[test]
fn nested_members() {
    let schema = json!({"type": "object", "properties": {"p": {"type": "object", "properties": {"x": {"type": "integer"},
        "y": {"type": "integer"}}, "required": ["x"], "additionalProperties": false}}, "additionalProperties": false});
    assert_eq!(
        refused("rich", &schema, json!({"p": {"y": 1, "yy": 2}})),
        r#"rich was not run: 2 problems with its arguments.
- /p/x: missing; expected an integer
- /p/yy: unknown property; did you mean "x"? Known properties: x, y
Correct these arguments and call rich again."#
    );
}

#[test]
fn more_than_ten() {
    let text =
        refused("sum", &json!({"properties": {"n": {"items": {"type": "integer"}}}}), json!({"n": vec!["x"; 13]}));
    assert!(text.starts_with("sum was not run: 13 problems with its arguments.\n"), "{text}");
    assert!(text.ends_with(
        "- /n/9: must be an integer, got the string \"x\"\n… and 3 more\nCorrect these arguments and call sum again."
    ));
    assert_eq!(text.lines().count(), 13);
}

fn store() -> Value {
    json!({"type": "object", "oneOf": [
        {"type": "object", "properties": {"op": {"type": "string", "const": "put"}, "key": {"type": "string"},
            "value": {"type": "string", "description": "What to store"}},
            "required": ["op", "key", "value"], "additionalProperties": false},
        {"type": "object", "properties": {"op": {"type": "string", "const": "del"}, "key": {"type": "string"}},
            "required": ["op", "key"], "additionalProperties": false},
    ]})
}

#[test]
fn tagged_unions_read_like_plain_objects() {
    assert_eq!(
        refused("store", &store(), json!({"op": "put", "key": "k"})),
        r#"store was not run: 1 problem with its arguments.
- /value: missing; expected a string (What to store)
Correct this argument and call store again."#
    );
    assert_eq!(
        refused("store", &store(), json!({"op": "del", "key": "k", "value": "v"})),
        r#"store was not run: 1 problem with its arguments.
- /value: unknown argument; known arguments: op, key
Correct this argument and call store again."#
    );
    assert_eq!(
        refused("store", &store(), json!({"op": "putt", "key": "k"})),
        r#"store was not run: 1 problem with its arguments.
- /op: must be one of "put", "del", got "putt"; did you mean "put"?
Correct this argument and call store again."#
    );
    assert_eq!(
        refused("store", &store(), json!({"key": "k"})),
        r#"store was not run: 1 problem with its arguments.
- /op: missing; expected one of "put", "del"
Correct this argument and call store again."#
    );
    assert_eq!(
        refused("store", &store(), json!({})),
        r#"store was not run: 1 problem with its arguments.
- /op: missing; expected one of "put", "del"
Correct this argument and call store again."#
    );
}

#[test]
fn tags_behind_references_and_unevaluated_properties() {
    let schema = json!({
        "type": "object", "properties": {"dry_run": {"type": "boolean"}},
        "oneOf": [{"$ref": "#/$defs/Put"}, {"allOf": [{"$ref": "#/$defs/Del"}]}],
        "unevaluatedProperties": false,
        "$defs": {
            "Put": {"properties": {"op": {"const": "put"}, "value": {"type": "string"}}, "required": ["op", "value"]},
            "Del": {"properties": {"op": {"const": "del"}}, "required": ["op"]},
        }
    });
    admitted(&schema, json!({"op": "del", "dry_run": true}));
    assert_eq!(
        refused("t", &schema, json!({"op": "put", "value": 1, "dryrun": true})),
        r#"t was not run: 2 problems with its arguments.
- /value: must be a string, got 1
- /dryrun: unknown argument; did you mean "dry_run"? Known arguments: dry_run, op, value
Correct these arguments and call t again."#
    );
    assert_eq!(
        refused("t", &schema, json!({"op": "get", "value": "v"})),
        r#"t was not run: 1 problem with its arguments.
- /op: must be one of "put", "del", got "get"
Correct this argument and call t again."#
    );
}

#[test]
fn externally_tagged_unions() {
    let schema = json!({"type": "object", "required": ["shape"], "properties": {"shape": {"oneOf": [
        {"type": "string", "enum": ["point", "line"]},
        {"type": "object", "properties": {"circle": {"type": "object", "properties": {"r": {"type": "number"}}, "required": ["r"]}},
            "required": ["circle"], "additionalProperties": false},
        {"type": "object", "properties": {"square": {"type": "number"}}, "required": ["square"], "additionalProperties": false},
    ]}}});
    admitted(&schema, json!({"shape": "line"}));
    assert_eq!(
        refused("draw", &schema, json!({"shape": {"circle": {}}})),
        r#"draw was not run: 1 problem with its arguments.
- /shape/circle/r: missing; expected a number
Correct this argument and call draw again."#
    );
    assert_eq!(
        refused("draw", &schema, json!({"shape": {"circel": {"r": 1}}})),
        r#"draw was not run: 1 problem with its arguments.
- /shape/circel: unknown property; did you mean "circle"? Known properties: circle, square
Correct this argument and call draw again."#
    );
    assert_eq!(
        refused("draw", &schema, json!({"shape": "lin"})),
        r#"draw was not run: 1 problem with its arguments.
- /shape: must be one of "point", "line", {"circle": …}, {"square": …}, got "lin"; did you mean "line"?
Correct this argument and call draw again."#
    );
    assert_eq!(
        refused("draw", &schema, json!({"shape": "Circle"})),
        r#"draw was not run: 1 problem with its arguments.
- /shape: must be one of "point", "line", {"circle": …}, {"square": …}, got "Circle"; did you mean {"circle": …}?
Correct this argument and call draw again."#
    );
    assert_eq!(
        refused("draw", &schema, json!({"shape": 5})),
        r#"draw was not run: 1 problem with its arguments.
- /shape: must be one of "point", "line", {"circle": …}, {"square": …}, got 5
Correct this argument and call draw again."#
    );
    assert_eq!(
        refused("draw", &schema, json!({"shape": {}})),
        r#"draw was not run: 1 problem with its arguments.
- /shape: must be one of "point", "line", {"circle": …}, {"square": …}, got {}
Correct this argument and call draw again."#
    );
}

#[test]
fn documented_enums() {
    let schema = json!({"type": "object", "properties": {"unit": {"oneOf": [
        {"const": "celsius", "description": "Degrees Celsius"}, {"const": "fahrenheit"}, {"enum": ["kelvin", "rankine"]}]}}});
    assert_eq!(
        refused("t", &schema, json!({"unit": "Celcius"})),
        r#"t was not run: 1 problem with its arguments.
- /unit: must be one of "celsius", "fahrenheit", "kelvin", "rankine", got "Celcius"; did you mean "celsius"?
Correct this argument and call t again."#
    );
}

#[test]
fn other_unions() {
    let nullable = json!({"type": "object", "required": ["p"], "properties": {"p": {"anyOf": [
        {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}, {"type": "null"}]}}});
    assert_eq!(
        refused("t", &nullable, json!({"p": {"x": "1"}})),
        r#"t was not run: 1 problem with its arguments.
- /p/x: must be an integer, got the string "1"
Correct this argument and call t again."#
    );
    let untagged = json!({"type": "object", "properties": {"to": {"anyOf": [
        {"type": "object", "properties": {"email": {"type": "string"}, "name": {"type": "string"}}, "required": ["email", "name"]},
        {"type": "object", "properties": {"phone": {"type": "string"}}, "required": ["phone"]},
        {"type": "integer", "minimum": 1},
    ]}}});
    assert_eq!(
        refused("send", &untagged, json!({"to": {"phone": 5}})),
        r#"send was not run: 1 problem with its arguments.
- /to/phone: must be a string, got 5
Correct this argument and call send again."#,
        "the branch with the fewest faults"
    );
    assert_eq!(
        refused("send", &untagged, json!({"to": {"email": "e"}})),
        r#"send was not run: 1 problem with its arguments.
- /to: must be one of: an object with "email", "name"; an object with "phone", got {"email":"e"}
Correct this argument and call send again."#
    );
    assert_eq!(
        refused("send", &untagged, json!({"to": "bob"})),
        r#"send was not run: 1 problem with its arguments.
- /to: must be an integer or an object, got the string "bob"
Correct this argument and call send again."#
    );
    let both = json!({"type": "object", "properties": {"n": {"oneOf": [
        {"type": "integer", "multipleOf": 2, "description": "even"}, {"type": "integer", "multipleOf": 3}]}}});
    assert_eq!(
        refused("t", &both, json!({"n": 6})),
        r#"t was not run: 1 problem with its arguments.
- /n: must fit exactly one of these, fits several: an integer that is a multiple of 2; an integer that is a multiple of 3, got 6
Correct this argument and call t again."#
    );
}

#[test]
fn doubled_violations_are_merged() {
    let schema = json!({"type": "object", "allOf": [
        {"required": ["a"], "properties": {"b": {"type": "integer"}}, "additionalProperties": true},
        {"required": ["a"], "properties": {"a": {"type": "string", "description": "The first"}, "b": {"type": "integer"}}},
    ]});
    assert_eq!(
        refused("t", &schema, json!({"b": "x"})),
        r#"t was not run: 2 problems with its arguments.
- /a: missing; expected a string (The first)
- /b: must be an integer, got the string "x"
Correct these arguments and call t again."#
    );
}

#[test]
fn conditions_and_dependencies() {
    let schema = json!({"type": "object", "properties": {"mode": {"type": "string"}, "to": {"type": "string"}, "cc": {}},
        "if": {"properties": {"mode": {"const": "mail"}}, "required": ["mode"]}, "then": {"required": ["to"]},
        "else": {"properties": {"to": false}}, "dependentRequired": {"cc": ["subject"]}});
    assert_eq!(
        refused("t", &schema, json!({"mode": "mail", "cc": 1})),
        r#"t was not run: 2 problems with its arguments.
- /to: missing; expected a string
- /subject: missing
Correct these arguments and call t again."#
    );
    assert_eq!(
        refused("t", &schema, json!({"mode": "fax", "to": "x"})),
        r#"t was not run: 1 problem with its arguments.
- /to: not allowed here
Correct this argument and call t again."#
    );
}

#[test]
fn secrets_are_never_shown() {
    let schema = json!({"type": "object", "properties": {
        "password": {"type": "string", "pattern": "^[a-z]+$", "description": "The password"},
        "pin": {"type": "integer"}, "keys": {"type": "object", "additionalProperties": {"type": "integer"}},
        "mode": {"enum": ["hunter1"]},
    }, "additionalProperties": false});
    let checker = Checker::compile(&schema).unwrap();
    let violations = checker
        .check(&json!({"password": "HUNTER2", "pin": "HUNTER2", "keys": {"HUNTER2": "HUNTER2", "HUNTER2b": "x"},
            "mode": "HUNTER2", "passwordy": 1}));
    let secrets = ["/password".to_owned(), "/pin".to_owned(), "/keys".to_owned(), "/mode".to_owned()];
    let text = render(&violations, &RenderOptions::arguments("log_in").secrets(&secrets));
    assert_eq!(
        text,
        r#"log_in was not run: 5 problems with its arguments.
- /keys: something in it is invalid (value not shown)
- /mode: must be "hunter1" (value not shown)
- /password: must match the pattern ^[a-z]+$ (The password; value not shown)
- /pin: must be an integer, got a string (value not shown)
- /passwordy: unknown argument; known arguments: keys, mode, password, pin
Correct these arguments and call log_in again."#
    );
    assert!(!text.contains("HUNTER2"));
}

#[test]
fn output_is_for_the_operator() {
    let schema = json!({"type": "object", "properties": {"temperature": {"type": "number", "description": "Celsius"}}, "required": ["temperature"]});
    let violations = Checker::compile(&schema).unwrap().check(&json!({"temperature": "warm"}));
    assert_eq!(
        render(&violations, &RenderOptions::output("get_weather")),
        r#"The output of get_weather does not match its output schema: 1 problem.
- /temperature: must be a number, got the string "warm" (Celsius)
Correct the tool, or the type that its output schema is made from."#
    );
}

#[test]
fn what_serde_refuses_after_the_check_reads_alike() {
    let schema = json!({"type": "object", "properties": {"ports": {"type": "array", "items": {"type": "string", "description": "A port"}}}});
    let checker = Checker::compile(&schema).unwrap();
    let arguments = json!({"ports": ["80", "70000"]});
    let violation = checker.rejected(&arguments, "/ports/1", "must be below 65536");
    assert_eq!(
        render(&[violation], &RenderOptions::arguments("open")),
        r#"open was not run: 1 problem with its arguments.
- /ports/1: is not valid: must be below 65536, got "70000" (A port)
Correct this argument and call open again."#
    );
}

#[test]
fn the_same_whatever_the_order_of_keys() {
    let schema = r#"{"type":"object","properties":{"b":{"type":"integer"},"a":{"type":"integer"},"c":{"type":"integer"}},"required":["c"]}"#;
    let checker = Checker::compile(&serde_json::from_str(schema).unwrap()).unwrap();
    let one: Value = serde_json::from_str(r#"{"a":{"z":1,"y":2},"b":"x"}"#).unwrap();
    let other: Value = serde_json::from_str(r#"{"b":"x","a":{"y":2,"z":1}}"#).unwrap();
    let text = |value| render(&checker.check(value), &RenderOptions::arguments("t"));
    assert_eq!(text(&one), text(&other));
    assert_eq!(
        text(&one),
        r#"t was not run: 3 problems with its arguments.
- /c: missing; expected an integer
- /a: must be an integer, got the object {"y":2,"z":1}
- /b: must be an integer, got the string "x"
Correct these arguments and call t again."#
    );
}
