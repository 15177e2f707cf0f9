//! The graph and the validator agree on every value, and whatever the validator refuses has words.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::compile;
use super::explain;
use super::graph::Graph;
use super::normalise;
use super::violation::ViolationKind;
use super::walk::Walk;

fn name() -> impl Strategy<Value = String> {
    prop_oneof![Just("a"), Just("b"), Just("c"), Just("kind")].prop_map(str::to_owned)
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        (-2..4_i64).prop_map(Value::from),
        Just(json!(1.0)),
        Just(json!(1.5)),
        "[ab]{0,3}".prop_map(Value::from),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((name(), inner), 0..4).prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn types() -> impl Strategy<Value = Value> {
    prop_oneof![
        proptest::sample::select(vec!["string", "integer", "number", "boolean", "array", "object", "null"])
            .prop_map(Value::from),
        Just(json!(["string", "null"])),
        Just(json!(["integer", "array"])),
    ]
}

/// A keyword that asserts.
fn assertion() -> impl Strategy<Value = (String, Value)> {
    let small = || (0..3_u64).prop_map(Value::from);
    let keyword =
        |name: &'static str, value: BoxedStrategy<Value>| value.prop_map(move |value| (name.to_owned(), value));
    prop_oneof![
        4 => keyword("type", types().boxed()),
        2 => keyword("const", scalar().boxed()),
        2 => keyword("enum", vec(scalar(), 1..4).prop_map(Value::from).boxed()),
        1 => keyword("minimum", small().boxed()),
        1 => keyword("exclusiveMaximum", small().boxed()),
        1 => keyword("multipleOf", Just(json!(2)).boxed()),
        1 => keyword("minLength", small().boxed()),
        1 => keyword("pattern", Just(json!("^a")).boxed()),
        1 => keyword("maxItems", small().boxed()),
        1 => keyword("uniqueItems", Just(json!(true)).boxed()),
        1 => keyword("maxProperties", small().boxed()),
        3 => keyword("required", vec(name(), 1..3).prop_map(|mut names| { names.sort(); names.dedup(); json!(names) }).boxed()),
        1 => keyword("dependentRequired", Just(json!({"a": ["b"]})).boxed()),
        1 => keyword("minContains", Just(json!(0)).boxed()),
        1 => keyword("maxContains", Just(json!(1)).boxed()),
    ]
}

fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        1 => any::<bool>().prop_map(Value::from),
        6 => vec(assertion(), 0..3).prop_map(|keywords| Value::Object(keywords.into_iter().collect())),
    ];
    leaf.prop_recursive(3, 24, 3, |inner| {
        let one = |name: &'static str| {
            let inner = inner.clone();
            inner.prop_map(move |schema| (name.to_owned(), schema)).boxed()
        };
        let list = |name: &'static str| {
            vec(inner.clone(), 1..4).prop_map(move |schemas| (name.to_owned(), Value::from(schemas))).boxed()
        };
        let map = |keyword: &'static str| {
            vec((name(), inner.clone()), 1..3)
                .prop_map(move |schemas| (keyword.to_owned(), Value::Object(schemas.into_iter().collect())))
                .boxed()
        };
        let reference = Just(("$ref".to_owned(), json!("#/$defs/shared"))).boxed();
        let applicator = prop_oneof![
            4 => map("properties"), 1 => map("patternProperties"), 1 => map("dependentSchemas"),
            2 => one("additionalProperties"), 2 => one("unevaluatedProperties"), 1 => one("propertyNames"),
            2 => one("items"), 1 => list("prefixItems"), 1 => one("contains"), 1 => one("unevaluatedItems"),
            1 => list("allOf"), 2 => list("anyOf"), 2 => list("oneOf"), 1 => one("not"),
            1 => reference,
        ];
        let condition =
            (one("if"), one("then"), one("else")).prop_map(|(test, then, otherwise)| vec![test, then, otherwise]);
        let applicators = prop_oneof![
            5 => vec(applicator.clone(), 1..4),
            1 => condition.clone(),
            1 => (condition, applicator).prop_map(|(mut keywords, another)| { keywords.push(another); keywords }),
        ];
        (applicators, vec(assertion(), 0..2))
            .prop_map(|(applicators, assertions)| Value::Object(applicators.into_iter().chain(assertions).collect()))
    })
}

fn document() -> impl Strategy<Value = Value> {
    // What is shared refers to itself only by a member, or it would never end.
    let shared = vec(assertion(), 0..2).prop_map(|keywords| {
        let mut shared: Map<String, Value> = keywords.into_iter().collect();
        shared.insert("properties".to_owned(), json!({"a": {"$ref": "#/$defs/shared"}, "kind": {"const": "a"}}));
        Value::Object(shared)
    });
    (schema(), shared).prop_map(|(schema, shared)| match schema {
        Value::Object(mut keywords) => {
            keywords.insert("$defs".to_owned(), json!({ "shared": shared }));
            Value::Object(keywords)
        }
        constant => constant,
    })
}

proptest! {
    #[test]
    fn the_graph_agrees_with_the_validator(document in document(), values in vec(value(), 1..6)) {
        let Ok(checker) = compile::compile(&document, false) else {
            return Err(TestCaseError::fail(format!("doesn't compile: {document}")));
        };
        for value in values {
            let valid = checker.is_valid(&value);
            prop_assert_eq!(Walk::new(checker.graph()).fits(Graph::ROOT, &value), valid, "{} by {}", value, document);
            let violations = explain::explain(checker.graph(), &value);
            prop_assert_eq!(violations.is_empty(), valid, "{} by {}: {:?}", value, document, violations);
            prop_assert!(!violations.iter().any(|v| v.kind == ViolationKind::Unfinished));
        }
    }

    #[test]
    fn normalising_is_idempotent_and_breaks_nothing(document in document(), value in value()) {
        let Ok(checker) = compile::compile(&document, false) else { return Ok(()) };
        let mut once = value.clone();
        normalise::normalise(checker.graph(), &mut once);
        let mut twice = once.clone();
        normalise::normalise(checker.graph(), &mut twice);
        prop_assert_eq!(once.to_string(), twice.to_string(), "{} by {}", value, document);
    }
}
