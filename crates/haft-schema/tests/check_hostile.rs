//! Schemas and values made to hang, to overflow or to leak: each must end soon, in words.

use std::time::{Duration, Instant};

use haft_schema::{Checker, RenderOptions, ViolationKind, render};
use serde_json::{Value, json};

/// What is generous for a debug build on a busy machine, and far below what any blow-up takes.
const SOON: Duration = Duration::from_secs(20);

fn soon<T>(run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = run();
    assert!(start.elapsed() < SOON, "took {:?}", start.elapsed());
    result
}

fn problems(schema: &Value) -> Vec<String> {
    soon(|| Checker::compile(schema)).expect_err("must be refused").iter().map(ToString::to_string).collect()
}

/// Dropping a value goes as deep as it is nested, which is more than the stack of a test takes.
fn take_apart(value: Value) {
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        match value {
            Value::Array(items) => pending.extend(items),
            Value::Object(members) => pending.extend(members.into_iter().map(|(_, member)| member)),
            _ => {}
        }
    }
}

fn text(schema: &Value, value: &Value) -> String {
    let checker = Checker::compile(schema).unwrap();
    let violations = soon(|| checker.check(value));
    assert!(!violations.is_empty());
    let text = render(&violations, &RenderOptions::arguments("tool"));
    assert!(text.len() < 10_000, "{} bytes", text.len());
    text
}

#[test]
fn a_reference_to_itself_is_refused() {
    for schema in [
        json!({"$ref": "#"}),
        json!({"allOf": [{"$ref": "#"}]}),
        json!({"$ref": "#/$defs/a", "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/b"}]}, "b": {"not": {"$ref": "#/$defs/a"}}}}),
        json!({"propertyNames": {"$ref": "#"}}),
        json!({"if": {"$ref": "#"}}),
        json!({"dependentSchemas": {"a": {"$ref": "#"}}}),
        json!({"$dynamicRef": "#node", "$dynamicAnchor": "node"}),
    ] {
        let problems = problems(&schema);
        assert!(problems[0].contains("refers to itself for the same value"), "{problems:?}");
    }
}

#[test]
fn recursion_through_members_is_fine() {
    let checker = Checker::compile(&json!({
        "type": "object",
        "properties": {"name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#"}}},
        "additionalProperties": false
    }))
    .unwrap();
    assert!(checker.check(&json!({"children": [{"name": "a", "children": []}]})).is_empty());
    let violations = checker.check(&json!({"children": [{"name": 1, "children": [{"nmae": ""}]}]}));
    let pointers: Vec<&str> = violations.iter().map(|v| v.pointer.as_str()).collect();
    assert_eq!(pointers, ["/children/0/children/0/nmae", "/children/0/name"]);
}

#[test]
fn references_that_lead_nowhere_or_out_are_refused_all_at_once() {
    assert_eq!(
        problems(&json!({
            "properties": {
                "a": {"$ref": "#/$defs/Gone"},
                "b": {"$ref": "https://example.com/schema.json"},
                "c": {"$ref": "file:///etc/passwd"},
                "d": {"$ref": "#nowhere"},
                "e": {"$ref": "http://json-schema.org/draft-07/schema#"},
            }
        })),
        [
            "/properties/a/$ref: \"#/$defs/Gone\" leads nowhere in this schema [schema]",
            "/properties/b/$ref: \"https://example.com/schema.json\" leads out of the schema; references are never fetched: \
             copy the schema into $defs and refer to it as #/$defs/Name [schema]",
            "/properties/c/$ref: \"file:///etc/passwd\" leads out of the schema; references are never fetched: \
             copy the schema into $defs and refer to it as #/$defs/Name [schema]",
            "/properties/d/$ref: \"#nowhere\" leads nowhere in this schema [schema]",
            "/properties/e/$ref: \"http://json-schema.org/draft-07/schema#\" leads out of the schema; references are never \
             fetched: copy the schema into $defs and refer to it as #/$defs/Name [schema]",
        ]
    );
}

#[test]
fn an_unknown_dialect_is_refused() {
    let problems = problems(&json!({"$schema": "https://example.com/my-dialect", "type": "object"}));
    assert!(
        problems[0]
            .starts_with("/$schema: the dialect \"https://example.com/my-dialect\" is not known; use one of https://")
    );
    assert!(Checker::compile(&json!({"$schema": 7})).is_err());
}

#[test]
fn a_schema_10_000_levels_deep_is_refused() {
    let mut schema = json!({});
    for _ in 0..10_000 {
        schema = Value::Object([("items".to_owned(), schema)].into_iter().collect());
    }
    let problems = problems(&schema);
    take_apart(schema);
    assert_eq!(problems, ["the schema is nested deeper than 128 levels; move parts of it into $defs [schema]"]);
}

#[test]
fn a_value_10_000_levels_deep_is_refused() {
    let checker =
        Checker::compile(&json!({"$defs": {"n": {"items": {"$ref": "#/$defs/n"}}}, "$ref": "#/$defs/n"})).unwrap();
    let mut value = json!([]);
    for _ in 0..10_000 {
        value = Value::Array(vec![value]);
    }
    checker.normalise(&mut value);
    assert!(!checker.is_valid(&value));
    let violations = checker.check(&value);
    take_apart(value);
    assert_eq!(violations[0].kind, ViolationKind::Depth { limit: 128 });
    assert_eq!(
        render(&violations, &RenderOptions::arguments("tool")),
        "tool was not run: 1 problem with its arguments.\n\
         - (all arguments): is nested too deeply; at most 128 levels are allowed\n\
         Correct this argument and call tool again."
    );
}

#[test]
fn the_deepest_value_and_the_longest_chains_fit_the_stack() {
    // Each level of the value passes a chain of references as long as is allowed.
    let mut definitions = serde_json::Map::new();
    for n in 0..13 {
        definitions.insert(format!("n{n}"), json!({"$ref": format!("#/$defs/n{}", n + 1)}));
    }
    definitions.insert("n13".into(), json!({"items": {"$ref": "#/$defs/n0"}, "not": {"type": "string"}}));
    let checker = Checker::compile(&json!({"$ref": "#/$defs/n0", "$defs": definitions})).unwrap();
    let mut value = json!("x");
    for _ in 0..127 {
        value = json!([value]);
    }
    checker.normalise(&mut value);
    let violations = soon(|| checker.check(&value));
    assert_eq!(violations[0].pointer, "/0".repeat(127));
}

#[test]
fn longer_chains_leave_fewer_levels_to_the_value() {
    let mut definitions = serde_json::Map::new();
    for n in 0..60 {
        definitions.insert(format!("n{n}"), json!({"$ref": format!("#/$defs/n{}", n + 1)}));
    }
    definitions.insert("n60".into(), json!({"items": {"$ref": "#/$defs/n0"}, "not": {"type": "string"}}));
    let checker = Checker::compile(&json!({"$ref": "#/$defs/n0", "$defs": definitions})).unwrap();
    let mut value = json!("x");
    for _ in 0..32 {
        value = json!([value]);
    }
    assert_eq!(soon(|| checker.check(&value))[0].pointer, "/0".repeat(32));
    for _ in 0..95 {
        value = json!([value]);
    }
    assert_eq!(soon(|| checker.check(&value))[0].kind, ViolationKind::Depth { limit: 32 });
}

#[test]
fn a_chain_of_references_that_is_too_long_is_refused() {
    let mut definitions = serde_json::Map::new();
    for n in 0..5_000 {
        definitions.insert(format!("n{n}"), json!({"$ref": format!("#/$defs/n{}", n + 1)}));
    }
    definitions.insert("n5000".into(), json!({}));
    let problems = problems(&json!({"$ref": "#/$defs/n0", "$defs": definitions}));
    assert!(problems[0].contains("more than 64 schemas apply to one value in a row"), "{problems:?}");
}

#[test]
fn doubled_references_do_not_double_the_work() {
    // 2^20 paths lead to the last definition.
    let mut definitions = serde_json::Map::new();
    for n in 0..20 {
        let next = json!({"$ref": format!("#/$defs/n{}", n + 1)});
        definitions.insert(format!("n{n}"), json!({"allOf": [next, next]}));
    }
    definitions.insert("n20".into(), json!({"type": "string"}));
    let schema = json!({"$ref": "#/$defs/n0", "$defs": definitions});
    assert_eq!(
        soon(|| text(&schema, &json!(5))),
        "tool was not run: 1 problem with its arguments.\n\
         - (all arguments): must be a string, got 5\n\
         Correct this argument and call tool again."
    );
}

#[test]
fn recursive_unions_do_not_blow_up() {
    // Each level may be read in three ways, so a naive report grows as 3^100.
    let tagged = json!({"$ref": "#/$defs/e", "$defs": {"e": {"oneOf": [
        {"properties": {"op": {"const": "and"}, "of": {"$ref": "#/$defs/e"}}, "required": ["op", "of"]},
        {"properties": {"op": {"const": "or"}, "of": {"$ref": "#/$defs/e"}}, "required": ["op", "of"]},
        {"properties": {"op": {"const": "leaf"}, "is": {"type": "string"}}, "required": ["op", "is"]},
    ]}}});
    let mut value = json!({"op": "leaf", "is": 5});
    for _ in 0..100 {
        value = json!({"op": "or", "of": value});
    }
    let violations = soon(|| Checker::compile(&tagged).unwrap().check(&value));
    assert_eq!(violations.len(), 1);
    assert_eq!(violations[0].pointer, format!("{}/is", "/of".repeat(100)));

    let untagged = json!({"$ref": "#/$defs/e", "$defs": {"e": {"anyOf": [
        {"properties": {"of": {"$ref": "#/$defs/e"}, "a": {"type": "string"}}, "required": ["of"]},
        {"properties": {"of": {"$ref": "#/$defs/e"}, "b": {"type": "string"}}, "required": ["of"]},
        {"properties": {"is": {"type": "string"}}, "required": ["is"]},
    ]}}});
    let mut value = json!({"is": 5});
    for _ in 0..100 {
        value = json!({"of": value, "a": 1, "b": 1});
    }
    text(&untagged, &value);
    let checker = Checker::compile(&untagged).unwrap();
    soon(|| checker.normalise(&mut value));
}

#[test]
fn a_costly_pattern_counts_as_no_match() {
    let long = "a".repeat(60);
    // The linear engine takes this one.
    let linear = json!({"type": "string", "pattern": "^(a+)+$"});
    assert!(soon(|| Checker::compile(&linear).unwrap().is_valid(&json!(long))));
    assert!(soon(|| !Checker::compile(&linear).unwrap().is_valid(&json!(format!("{long}!")))));
    // Lookaround needs the other.
    for pattern in ["^(?=(a+)+$)(a+)+$", "^(?!b)(a+)+\\b$", "^(a+)+(?<!b)$", "(a*)*\\1!(?<=x)"] {
        let schema = json!({"type": "object", "properties": {"s": {"type": "string", "pattern": pattern}}});
        let checker = Checker::compile(&schema).unwrap();
        let value = json!({"s": format!("{long}!")});
        let violations = soon(|| checker.check(&value));
        assert_eq!(violations.len(), 1, "{pattern}: {violations:?}");
        assert!(
            matches!(violations[0].kind, ViolationKind::PatternCost { .. } | ViolationKind::Pattern { .. }),
            "{violations:?}"
        );
    }
}

#[test]
fn a_costly_pattern_is_never_a_pass_even_under_not() {
    let schema = json!({"not": {"pattern": "(a*)*\\1!(?<=x)"}, "type": "string"});
    let checker = Checker::compile(&schema).unwrap();
    let value = json!(format!("{}!", "a".repeat(200)));
    assert!(soon(|| !checker.is_valid(&value)));
    assert!(!soon(|| checker.check(&value)).is_empty());
}

#[test]
fn a_costly_pattern_on_many_items_ends() {
    let schema = json!({"items": {"type": "string", "pattern": "(a*)*\\1!(?<=x)"}});
    let checker = Checker::compile(&schema).unwrap();
    let items: Vec<String> = (0..500).map(|n| format!("{}!{n}", "a".repeat(200))).collect();
    let violations = soon(|| checker.check(&json!(items)));
    assert!(!violations.is_empty());
}

#[test]
fn a_pattern_that_is_too_large_is_refused() {
    for pattern in ["a".repeat(5_000), "(((a{1,1000}){1,1000}){1,1000})".to_owned(), "(".to_owned(), "[z-a]".to_owned()]
    {
        let problems = problems(&json!({"properties": {"s": {"pattern": pattern}}}));
        assert!(problems[0].starts_with("/properties/s/pattern: "), "{problems:?}");
    }
}

#[test]
fn a_huge_enum_is_cut() {
    let options: Vec<String> = (0..100_000).map(|n| format!("option-{n}")).collect();
    let text = text(&json!({"properties": {"o": {"enum": options}}}), &json!({"o": "optoin-7"}));
    assert_eq!(
        text,
        "tool was not run: 1 problem with its arguments.\n\
         - /o: must be one of \"option-0\", \"option-1\", \"option-2\", \"option-3\", \"option-4\", \"option-5\", \
         \"option-6\", \"option-7\", \"option-8\", \"option-9\", \"option-10\", \"option-11\" and 99988 more, \
         got \"optoin-7\"; did you mean \"option-7\"?\n\
         Correct this argument and call tool again."
    );
}

#[test]
fn an_array_with_every_item_wrong_is_cut() {
    let items = vec![json!("x"); 100_000];
    let text = text(&json!({"properties": {"n": {"items": {"type": "integer"}}}}), &json!({"n": items}));
    assert!(text.starts_with("tool was not run: more than 1000 problems with its arguments.\n- /n/0: must be an integer, got the string \"x\"\n"));
    assert!(text.ends_with("\n- /n/9: must be an integer, got the string \"x\"\n… and at least 990 more\nCorrect these arguments and call tool again."), "{text}");
}

#[test]
fn an_object_with_many_unknown_members_is_cut() {
    let members: serde_json::Map<String, Value> = (0..100_000).map(|n| (format!("m{n}"), json!(n))).collect();
    let known: serde_json::Map<String, Value> = (0..2_000).map(|n| (format!("known{n}"), json!({}))).collect();
    text(&json!({"properties": known, "additionalProperties": false}), &Value::Object(members));
}

#[test]
fn union_items_with_every_one_wrong_are_cut() {
    let branches: Vec<Value> = (0..200)
        .map(|n| json!({"properties": {"kind": {"const": format!("k{n}")}, "v": {"type": "string"}}, "required": ["kind", "v"]}))
        .collect();
    let items: Vec<Value> = (0..100_000).map(|n| json!({"kind": format!("k{}", n % 200), "v": n})).collect();
    let text = text(&json!({"items": {"oneOf": branches}}), &json!(items));
    assert!(text.contains("- /0/v: must be a string, got 0\n"), "{text}");
}

#[test]
fn names_and_strings_cannot_break_the_line() {
    let text = text(
        &json!({"properties": {"a": {"type": "integer"}}, "additionalProperties": false}),
        &json!({"a": "x\n- /b: fine\u{1b}[31m\u{202e}", "evil\nname\u{200b}": 1, "~/": 2}),
    );
    assert_eq!(
        text,
        "tool was not run: 3 problems with its arguments.\n\
         - /a: must be an integer, got the string \"x\\n- /b: fine\\u001b[31m\\u202e\"\n\
         - /evil\\nname\\u200b: unknown argument; known arguments: a\n\
         - /~0~1: unknown argument; known arguments: a\n\
         Correct these arguments and call tool again."
    );
}

#[test]
fn long_values_are_cut_at_characters() {
    let text = text(&json!({"properties": {"a": {"type": "integer"}}}), &json!({"a": "é".repeat(1_000_000)}));
    assert!(text.contains(&format!("got the string \"{}…\n", "é".repeat(79))), "{text}");
}

/// `$ref`s that double at each step, by this keyword: 2^30 paths lead to the last definition.
fn doubled(keyword: &str, wrap: impl Fn(Value) -> Value, last: Value) -> Value {
    let mut definitions = serde_json::Map::new();
    for n in 0..30 {
        let next = wrap(json!({"$ref": format!("#/$defs/n{}", n + 1)}));
        definitions.insert(format!("n{n}"), json!({keyword: [next, next]}));
    }
    definitions.insert("n30".into(), last);
    json!({"$ref": "#/$defs/n0", "$defs": definitions})
}

#[test]
fn what_would_take_too_long_to_check_is_refused_before_it_is() {
    let mut nested = json!("x");
    for _ in 0..30 {
        nested = json!({"of": nested});
    }
    let numbers: Vec<u32> = (0..200_000).collect();
    let wide: Vec<Value> = (0..9_000).map(|least| json!({"minimum": -least})).collect();
    let below = |schema| json!({"properties": {"of": schema}});
    let texts: Vec<String> = (0..60_000).map(|n| format!("aaaaaaaaaaaaaa{n}")).collect();
    for (schema, value) in [
        (doubled("allOf", |next| next, json!({"type": "string"})), json!("x")),
        (doubled("anyOf", |next| next, json!({"type": "string"})), json!(5)),
        (doubled("allOf", below, json!({"type": "string"})), nested),
        (json!({"items": {"allOf": wide}}), json!(numbers)),
        (json!({"items": {"pattern": "^(?!b)(?:(a+)+b|a+\\d+$)"}}), json!(texts)),
    ] {
        let checker = soon(|| Checker::compile(&schema)).unwrap();
        let violations = soon(|| checker.check(&value));
        assert_eq!(violations.len(), 1);
        assert_eq!(violations[0].kind, ViolationKind::Cost);
        assert!(!soon(|| checker.is_valid(&value)));
    }
}

#[test]
fn what_is_large_and_plain_is_checked() {
    let rows: Vec<Value> = (0..100_000).map(|n| json!({"id": n, "name": "a name", "tags": ["a", "b"]})).collect();
    let schema = json!({"items": {"type": "object", "required": ["id"], "properties": {
        "id": {"type": "integer"}, "name": {"type": "string", "pattern": "^a"}, "tags": {"items": {"enum": ["a", "b"]}}}}});
    assert!(Checker::compile(&schema).unwrap().check(&json!(rows)).is_empty());
}

#[test]
fn a_long_list_that_many_branches_refer_to_is_not_put_together_as_often() {
    let schema =
        json!({"anyOf": vec![json!({"$ref": "#/$defs/list"}); 5_000], "$defs": {"list": {"enum": vec![0; 40_000]}}});
    text(&schema, &json!("x"));
}
