//! Candidate values: from a schema, and from a valid value by mutation, steered by a tape that proptest can shrink.

use serde_json::{Map, Value, json};

/// A tape of choices; 0 past its end.
pub(crate) struct Tape<'a> {
    choices: std::slice::Iter<'a, u64>,
}

impl<'a> Tape<'a> {
    pub(crate) fn new(choices: &'a [u64]) -> Self {
        Tape { choices: choices.iter() }
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let choice = self.choices.next().copied().unwrap_or(0);
        usize::try_from(choice % (bound.max(1) as u64)).unwrap()
    }

    fn one_in(&mut self, bound: usize) -> bool {
        self.below(bound) == bound - 1
    }

    fn pick<'t, T>(&mut self, list: &'t [T]) -> &'t T {
        &list[self.below(list.len())]
    }
}

/// Values at the edges of everything.
fn interesting(tape: &mut Tape<'_>) -> Value {
    let list = [
        json!(0),
        json!(-1),
        json!(1),
        json!(2.0),
        json!(-0.0),
        json!(0.5),
        json!(1e3),
        json!(127),
        json!(128),
        json!(-128),
        json!(-129),
        json!(255),
        json!(256),
        json!(65_535),
        json!(65_536),
        json!(i32::MAX),
        json!(i64::from(i32::MAX) + 1),
        json!(u32::MAX),
        json!(u64::from(u32::MAX) + 1),
        json!(i64::MAX),
        json!(i64::MIN),
        json!(u64::MAX),
        json!(9_007_199_254_740_993_u64),
        json!(1e19),
        json!(1.8446744073709552e19),
        json!(9.223_372_036_854_776e18),
        json!(-9.3e18),
        json!(1e39),
        json!(-1e300),
        json!(null),
        json!(true),
        json!(""),
        json!("a"),
        json!("ab"),
        json!("é"),
        json!("put"),
        json!("2026-01-31"),
        json!("A-1001"),
        json!([]),
        json!([null]),
        json!([1, 1]),
        json!({}),
        json!({ "a": null }),
        json!([[]]),
    ];
    tape.pick(&list).clone()
}

/// Changes one place of a value.
pub(crate) fn mutate(value: &mut Value, schema: &Value, tape: &mut Tape<'_>) {
    match value {
        Value::Object(object) if !object.is_empty() && !tape.one_in(4) => {
            let mut keys: Vec<String> = object.keys().cloned().collect();
            keys.sort();
            let key = tape.pick(&keys).clone();
            match tape.below(8) {
                0 => {
                    object.remove(&key);
                }
                1 => {
                    object.insert(key, Value::Null);
                }
                2 => {
                    let names = names(schema);
                    let name = tape.pick(&names).clone();
                    object.insert(name, interesting(tape));
                }
                _ => mutate(object.get_mut(&key).unwrap(), schema, tape),
            }
        }
        Value::Array(list) if !list.is_empty() && !tape.one_in(4) => {
            let index = tape.below(list.len());
            match tape.below(4) {
                0 => {
                    list.remove(index);
                }
                1 => list.push(list[index].clone()),
                _ => mutate(&mut list[index], schema, tape),
            }
        }
        _ => *value = interesting(tape),
    }
}

/// All property names in a schema, and some that aren't.
fn names(schema: &Value) -> Vec<String> {
    fn collect(value: &Value, names: &mut Vec<String>) {
        match value {
            Value::Object(object) => {
                if let Some(Value::Object(properties)) = object.get("properties") {
                    names.extend(properties.keys().cloned());
                }
                object.values().for_each(|value| collect(value, names));
            }
            Value::Array(list) => list.iter().for_each(|value| collect(value, names)),
            _ => {}
        }
    }
    let mut found =
        vec!["zz".to_owned(), "7".to_owned(), "-7".to_owned(), "007".to_owned(), "-0".to_owned(), String::new()];
    collect(schema, &mut found);
    found.sort();
    found.dedup();
    found
}

/// A value that mostly fits a schema.
pub(crate) fn from_schema(schema: &Value, root: &Value, tape: &mut Tape<'_>, depth: usize) -> Value {
    if tape.one_in(24) {
        return interesting(tape);
    }
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let target = root.pointer(reference.trim_start_matches('#')).unwrap();
        return from_schema(target, root, tape, depth + 1);
    }
    for keyword in ["oneOf", "anyOf"] {
        if let Some(branches) = schema.get(keyword).and_then(Value::as_array) {
            let branch = tape.below(branches.len());
            return from_schema(&branches[branch], root, tape, depth);
        }
    }
    if let Some(only) = schema.get("const") {
        return only.clone();
    }
    if let Some(list) = schema.get("enum").and_then(Value::as_array) {
        return tape.pick(list).clone();
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => object(schema, root, tape, depth),
        Some("array") => {
            let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0) as usize;
            let length = if depth > 6 { least } else { least + tape.below(3) };
            (0..length).map(|_| from_schema(&schema["items"], root, tape, depth + 1)).collect()
        }
        Some("string") => string(schema, tape),
        Some("integer") => integer(schema, tape),
        Some("number") => {
            tape.pick(&[json!(0), json!(-1.5), json!(3e38), json!(1e39), json!(u64::MAX), json!(7.0)]).clone()
        }
        Some("boolean") => json!(tape.one_in(2)),
        Some("null") => Value::Null,
        _ => interesting(tape),
    }
}

fn object(schema: &Value, root: &Value, tape: &mut Tape<'_>, depth: usize) -> Value {
    let mut object = Map::new();
    let required: Vec<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = schema.get("properties").and_then(Value::as_object);
    let mut names: Vec<&String> = properties.into_iter().flatten().map(|(name, _)| name).collect();
    names.sort();
    for name in names {
        let optional = !required.contains(&name.as_str());
        let leave_out = if optional { depth > 6 || tape.one_in(3) } else { tape.one_in(32) };
        if leave_out {
            continue;
        }
        let value = if optional && tape.one_in(4) {
            Value::Null
        } else {
            from_schema(&properties.unwrap()[name], root, tape, depth + 1)
        };
        object.insert(name.clone(), value);
    }
    if let Some(patterns) = schema.get("patternProperties").and_then(Value::as_object) {
        for value in patterns.values() {
            let key = tape.pick(&["0", "7", "-7", "10", "007", "-0", "1.5"]);
            object.insert((*key).to_owned(), from_schema(value, root, tape, depth + 1));
        }
    }
    match schema.get("additionalProperties") {
        Some(Value::Object(value)) if depth < 6 => {
            let value = from_schema(&Value::Object(value.clone()), root, tape, depth + 1);
            object.insert((*tape.pick(&["a", "zz", ""])).to_owned(), value);
        }
        Some(Value::Bool(true)) | None if tape.one_in(3) => {
            object.insert("zz".to_owned(), interesting(tape));
        }
        _ if tape.one_in(32) => {
            object.insert("zz".to_owned(), interesting(tape));
        }
        _ => {}
    }
    Value::Object(object)
}

fn string(schema: &Value, tape: &mut Tape<'_>) -> Value {
    let samples = [
        "",
        "a",
        "é",
        "A-1001",
        "2024-02-29",
        "23:59:59",
        "23:59:59.123456789",
        "2024-02-29T23:59:59",
        "2024-02-29T23:59:59Z",
        "2024-02-29t00:00:00.5+05:30",
        "2024-02-29 00:00:00Z",
        "https://example.com/a?b#c",
        "mailto:a@example.com",
        "67e55044-10b1-426f-9247-bb680e5fe0c8",
        "67E5504410B1426F9247BB680E5FE0C8",
        "127.0.0.1",
        "127.0.0.01",
    ];
    // One that the pattern admits, if there is one.
    let pattern = schema.get("pattern").and_then(Value::as_str).and_then(|pattern| regex::Regex::new(pattern).ok());
    let fitting: Vec<&&str> =
        samples.iter().filter(|sample| pattern.as_ref().is_none_or(|pattern| pattern.is_match(sample))).collect();
    if fitting.is_empty() || tape.one_in(8) {
        return json!(tape.pick(&samples));
    }
    json!(tape.pick(&fitting))
}

fn integer(schema: &Value, tape: &mut Tape<'_>) -> Value {
    let bound = |keyword: &str| schema.get(keyword).cloned();
    match tape.below(6) {
        0 => bound("minimum").unwrap_or(json!(i64::MIN)),
        1 => bound("maximum").unwrap_or(json!(u64::MAX)),
        2 => json!(bound("minimum").and_then(|bound| bound.as_i64()).unwrap_or(0).saturating_sub(1)),
        3 => json!(bound("maximum").and_then(|bound| bound.as_u64()).unwrap_or(0).saturating_add(1)),
        4 => json!(2.0),
        _ => json!(1),
    }
}
