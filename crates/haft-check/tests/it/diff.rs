//! Definitions then and now.

use haft_check::{Impact, contract_hash, diff};
use serde_json::{Value, json};

fn tool(input: Value, output: Option<Value>) -> Value {
    let mut tool = json!({"name": "t", "description": "d", "inputSchema": input});
    if let Some(output) = output {
        tool["outputSchema"] = output;
    }
    tool
}

/// What changes from one input schema to another: place, impact.
fn input(old: Value, new: Value) -> Vec<(String, &'static str)> {
    of(tool(old, None), tool(new, None))
}

fn output(old: Value, new: Value) -> Vec<(String, &'static str)> {
    of(tool(json!({}), Some(old)), tool(json!({}), Some(new)))
}

fn of(old: Value, new: Value) -> Vec<(String, &'static str)> {
    let diff = diff(&json!([old]).to_string(), &json!([new]).to_string()).unwrap();
    diff.changes.into_iter().map(|change| (change.pointer, change.impact.name())).collect()
}

fn one(pointer: &str, impact: &'static str) -> Vec<(String, &'static str)> {
    vec![(pointer.to_owned(), impact)]
}

#[test]
fn the_same_schema_in_other_words_is_the_same() {
    let closed = json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false});
    let by_reference = json!({"$defs": {"a": {"type": "string"}}, "additionalProperties": false, "type": "object",
        "properties": {"a": {"$ref": "#/$defs/a"}}});
    assert_eq!(input(closed.clone(), by_reference), []);
    assert_eq!(input(json!({"type": "number"}), json!({"type": ["number", "integer"]})), []);
    assert_eq!(input(json!({"const": 1}), json!({"enum": [1]})), []);
    assert_eq!(input(json!({"const": {"a": 1, "b": 2}}), json!({"enum": [{"b": 2, "a": 1}]})), []);
    assert_eq!(input(json!({"additionalProperties": {}}), json!({"additionalProperties": true})), []);
    let recursive = json!({"properties": {"next": {"$ref": "#"}}});
    assert_eq!(input(recursive.clone(), recursive), []);
}

#[test]
fn an_input_that_takes_less_breaks_and_one_that_takes_more_does_not() {
    let with = |keyword: &str, value: Value| {
        let mut a = json!({"type": "string"});
        a[keyword] = value;
        json!({"type": "object", "properties": {"a": a}})
    };
    for (keyword, less, more) in [
        ("maxLength", json!(4), json!(8)),
        ("minLength", json!(8), json!(4)),
        ("minimum", json!(2), json!(1.5)),
        ("exclusiveMaximum", json!(1), json!(2)),
        ("enum", json!(["a"]), json!(["a", "b"])),
        ("type", json!("integer"), json!("number")),
        ("maxItems", json!(1), json!(2)),
    ] {
        let place = format!("/inputSchema/properties/a/{keyword}");
        assert_eq!(input(with(keyword, less.clone()), with(keyword, more.clone())), one(&place, "compatible"));
        assert_eq!(input(with(keyword, more.clone()), with(keyword, less.clone())), one(&place, "breaking"));
        // A reader of results is on the other side.
        let place = format!("/outputSchema/properties/a/{keyword}");
        assert_eq!(output(with(keyword, less.clone()), with(keyword, more.clone())), one(&place, "breaking"));
        assert_eq!(output(with(keyword, more), with(keyword, less)), one(&place, "compatible"));
    }
    let plain = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    for keyword in ["pattern", "format"] {
        let place = format!("/inputSchema/properties/a/{keyword}");
        assert_eq!(input(plain.clone(), with(keyword, json!("x"))), one(&place, "breaking"));
        assert_eq!(input(with(keyword, json!("x")), plain.clone()), one(&place, "compatible"));
        // It can't be decided, so it counts as breaking on either side.
        assert_eq!(input(with(keyword, json!("x")), with(keyword, json!("y"))), one(&place, "breaking"));
        let place = format!("/outputSchema/properties/a/{keyword}");
        assert_eq!(output(with(keyword, json!("x")), with(keyword, json!("y"))), one(&place, "breaking"));
    }
}

#[test]
fn members_come_and_go() {
    let open = |members: Value| json!({"type": "object", "properties": members});
    let closed = |members: Value| json!({"type": "object", "properties": members, "additionalProperties": false});
    let (a, ab) = (json!({"a": {"type": "string"}}), json!({"a": {"type": "string"}, "b": {"type": "string"}}));
    let place = "/inputSchema/properties/b";
    assert_eq!(input(closed(a.clone()), closed(ab.clone())), one(place, "compatible"));
    assert_eq!(input(closed(ab.clone()), closed(a.clone())), one(place, "breaking"));
    // Nobody could send what nobody was told of.
    assert_eq!(input(open(a.clone()), open(ab.clone())), one(place, "compatible"));
    assert_eq!(output(open(a.clone()), open(ab.clone())), one("/outputSchema/properties/b", "compatible"));
    assert_eq!(output(open(ab.clone()), open(a.clone())), one("/outputSchema/properties/b", "breaking"));
    assert_eq!(input(open(a.clone()), closed(a.clone())), one("/inputSchema/additionalProperties", "breaking"));
    let mut needs = open(a.clone());
    needs["required"] = json!(["a"]);
    assert_eq!(input(open(a.clone()), needs.clone()), one("/inputSchema/required", "breaking"));
    assert_eq!(output(open(a.clone()), needs.clone()), one("/outputSchema/required", "compatible"));
    assert_eq!(input(needs, open(a)), one("/inputSchema/required", "compatible"));
}

#[test]
fn unions_are_compared_by_what_their_branches_take() {
    let any = |branches: Value| json!({"anyOf": branches});
    let (text, number, nil) = (json!({"type": "string"}), json!({"type": "number"}), json!({"type": "null"}));
    let two = any(json!([text, nil]));
    assert_eq!(input(two.clone(), any(json!([nil, text, number]))), one("/inputSchema/anyOf/2", "compatible"));
    assert_eq!(input(any(json!([text, nil, number])), two.clone()), one("/inputSchema/anyOf", "breaking"));
    assert_eq!(input(two.clone(), any(json!([nil, text]))), []);
    assert_eq!(input(json!({"oneOf": [text]}), json!({"oneOf": [text, nil]})), one("/inputSchema/oneOf", "breaking"));
    assert_eq!(input(json!({"allOf": [two]}), json!({})), one("/inputSchema/allOf", "compatible"));
}

#[test]
fn references_and_what_stands_beside_them_are_followed() {
    let by = |longest: u32, beside: Value| {
        let mut a = json!({"$ref": "#/$defs/a"});
        if let Some(members) = beside.as_object() {
            a.as_object_mut().unwrap().extend(members.clone());
        }
        json!({"$defs": {"a": {"maxLength": longest}}, "properties": {"a": a}})
    };
    let none = || json!({});
    assert_eq!(input(by(4, none()), by(3, none())), one("/inputSchema/properties/a/maxLength", "breaking"));
    assert_eq!(input(by(4, none()), by(4, json!({"minLength": 1}))), one("/inputSchema/properties/a", "breaking"));
    let far = |to: &str| json!({"properties": {"a": {"$ref": to}}});
    assert_eq!(input(far("https://a.example"), far("https://a.example")), []);
    assert_eq!(
        input(far("https://a.example"), far("https://b.example")),
        one("/inputSchema/properties/a/$ref", "breaking")
    );
}

#[test]
fn texts_are_cosmetic_and_defaults_are_not() {
    let described = |text: &str| json!({"properties": {"a": {"description": text}}});
    assert_eq!(input(described("one"), described("two")), one("/inputSchema/properties/a/description", "cosmetic"));
    let default = |value: u32| json!({"properties": {"a": {"default": value}}});
    assert_eq!(input(default(1), default(2)), one("/inputSchema/properties/a/default", "breaking"));
    let mut other = tool(json!({}), None);
    other["description"] = json!("another");
    assert_eq!(of(tool(json!({}), None), other), one("/description", "cosmetic"));
}

#[test]
fn hints_break_those_who_relied_on_the_milder_one() {
    let hinted = |hints: Value| {
        let mut tool = tool(json!({}), None);
        tool["annotations"] = hints;
        tool
    };
    let (reads, writes) = (json!({"readOnlyHint": true}), json!({"readOnlyHint": false}));
    let place = "/annotations/readOnlyHint";
    assert_eq!(of(hinted(reads.clone()), hinted(writes.clone())), one(place, "breaking"));
    assert_eq!(of(hinted(reads.clone()), hinted(json!({}))), one(place, "breaking"));
    assert_eq!(of(hinted(writes.clone()), hinted(reads)), one(place, "compatible"));
    assert_eq!(of(hinted(writes), hinted(json!({}))), one(place, "cosmetic"));
    let careful = json!({"destructiveHint": false});
    assert_eq!(of(hinted(careful), hinted(json!({}))), one("/annotations/destructiveHint", "breaking"));
}

#[test]
fn tools_come_go_and_change_places() {
    let named = |names: &[&str]| {
        let tools: Vec<Value> = names.iter().map(|name| json!({"name": name, "inputSchema": {}})).collect();
        json!({"tools": tools}).to_string()
    };
    let (old, new) = (named(&["a", "b", "c"]), named(&["c", "b", "d"]));
    let said: Vec<_> =
        diff(&old, &new).unwrap().changes.into_iter().map(|change| (change.tool, change.impact)).collect();
    assert_eq!(
        said,
        [
            (Some("a".to_owned()), Impact::Breaking),
            (Some("d".to_owned()), Impact::Compatible),
            (None, Impact::Cosmetic)
        ]
    );
    assert_eq!(diff(&old, &old).unwrap().worst(), None);
}

#[test]
fn a_contract_is_the_same_in_any_spelling() {
    let one = r#"{"tools":[{"name":"a","inputSchema":{"maximum":2.0,"type":"object"},"_meta":{"x":1}},{"name":"b"}]}"#;
    let other = r#"[ {"name": "b"}, {"inputSchema": {"type": "object", "maximum": 2}, "name": "a", "icons": []} ]"#;
    let another = r#"[{"name": "b"}, {"inputSchema": {"type": "object", "maximum": 3}, "name": "a"}]"#;
    let hash = contract_hash(one).unwrap();
    assert_eq!(hash, "sha256:29f82564c0f4e13c714f6f780fc9d82c87bcb3238c317fc5979483cf86546f7f");
    assert_eq!(hash, contract_hash(other).unwrap());
    assert_ne!(hash, contract_hash(another).unwrap());
    assert!(contract_hash("{}").unwrap_err().to_string().contains("no list of tools"));
}

#[test]
fn hostile_schemas_end() {
    // Each branch of each level is held against each of the other side.
    let mut deep = json!({"type": "string"});
    let mut other = json!({"type": "number"});
    for _ in 0..30 {
        deep = json!({"anyOf": [deep, deep.get("x").cloned().unwrap_or(json!({"type": "null"})), {"minLength": 1}]});
        other = json!({"anyOf": [{"maxLength": 2}, other, {"type": "boolean"}]});
    }
    assert!(diff(&json!([tool(deep, None)]).to_string(), &json!([tool(other, None)]).to_string()).is_ok());
    let wide =
        |word: &str| json!({"anyOf": (0..400).map(|n| json!({"const": format!("{word}{n}")})).collect::<Vec<_>>()});
    let changes = input(wide("a"), wide("b"));
    assert!(changes.iter().any(|(_, impact)| *impact == "breaking"));
    let looped = json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"});
    assert_eq!(input(looped.clone(), looped), []);
}
