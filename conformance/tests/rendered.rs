//! What every API gets of the tools of this repository's examples, and of tools that are made to be refused.
#![allow(clippy::duplicate_mod, reason = "the examples share how they are served")]

use std::collections::BTreeSet;
use std::path::Path;

use conformance::rendered::{Judged, judge};
use haft::{Api, BuildError, Client, Server, Target, Toolbox};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

macro_rules! examples {
    ($($name:ident in $path:literal,)+) => {
        $(
            #[path = $path]
            #[expect(dead_code, reason = "their `main` is for `cargo run`")]
            mod $name;
        )+
        const EXAMPLES: &[(&str, fn() -> Result<Server, BuildError>)] = &[$((stringify!($name), $name::server)),+];
    };
}

examples! {
    fixture in "../../examples/fixture.rs",
    notes in "../../examples/notes.rs",
    orders in "../../examples/orders.rs",
    weather in "../../examples/weather.rs",
}

/// Examples that serve nothing.
const HOSTS: &[&str] = &["agent"];

fn assert_taken(judged: &Judged, of: &str) {
    assert!(judged.faults.is_empty(), "{of}, {:?}: {:#?}", judged.api, judged.faults);
    assert!(judged.lost.is_empty(), "{of}, {:?}: {:?} are lost", judged.api, judged.lost);
}

#[test]
fn every_example_is_among_those_that_are_judged() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let there: BTreeSet<String> = files
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    let judged: BTreeSet<String> =
        EXAMPLES.iter().map(|(name, _)| *name).chain(HOSTS.iter().copied()).map(str::to_owned).collect();
    assert_eq!(there, judged, "name it in `examples!`");
}

#[tokio::test]
async fn every_api_takes_the_tools_of_the_examples_whole() {
    for (name, server) in EXAMPLES {
        let server = server().unwrap();
        let toolbox = Toolbox::builder().server("sixteen-letter-s", Client::in_memory(&server)).build().await.unwrap();
        assert_eq!(toolbox.problems(), []);
        for judged in judge(&toolbox) {
            assert_taken(&judged, name);
            assert_eq!(judged.left_out, [], "{name}");
            assert_eq!(judged.reduced, [], "{name}");
            if matches!(judged.api, Api::OpenAiResponses | Api::OpenAiChat) {
                assert_eq!(judged.strict, judged.tools.len(), "{name}: all are strict");
            }
        }
    }
}

/// A server that lists these tools.
fn listing(tools: Vec<Value>) -> Target {
    let (here, there) = tokio::io::duplex(1 << 20);
    tokio::spawn(async move {
        let (read, mut write) = tokio::io::split(there);
        let mut lines = BufReader::new(read).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            let asked: Value = serde_json::from_str(&line).expect("the client writes JSON");
            let mut result = json!({"resultType": "complete", "ttlMs": 0, "cacheScope": "private"});
            match asked["method"].as_str() {
                Some("server/discover") => {
                    result["supportedVersions"] = json!(["2026-07-28"]);
                    result["capabilities"] = json!({"tools": {}});
                    result["_meta"] = json!({"io.modelcontextprotocol/serverInfo": {"name": "odd", "version": "1"}});
                }
                Some("tools/list") => result["tools"] = tools.clone().into(),
                _ => continue,
            }
            let answer = json!({"jsonrpc": "2.0", "id": asked["id"], "result": result});
            if write.write_all(format!("{answer}\n").as_bytes()).await.is_err() {
                return;
            }
        }
    });
    let (read, write) = tokio::io::split(here);
    Target::streams(read, write)
}

fn tool(name: &str, schema: Value) -> Value {
    json!({"name": name, "description": "Use this.", "inputSchema": schema})
}

async fn judged(tools: Vec<Value>) -> Vec<Judged> {
    let client = Client::builder().open(listing(tools)).unwrap();
    let toolbox = Toolbox::builder().server("s", client).build().await.unwrap();
    let judged = judge(&toolbox);
    judged.iter().for_each(|judged| assert_taken(judged, "odd tools"));
    judged
}

#[tokio::test]
async fn what_an_api_would_refuse_is_left_out_and_said() {
    let tree =
        json!({"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}});
    let tools = vec![
        tool("plain", json!({"type": "object", "properties": {"a": {"type": "string"}}})),
        tool("list", json!({"type": "array"})),
        tool("dangling", json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/none"}}})),
        tool("far", json!({"type": "object", "properties": {"a": {"$ref": "https://example.com/a"}}})),
        tool("key", json!({"type": "object", "properties": {"a b": {}}, "required": ["a b"]})),
        tool(
            "deep_key",
            json!({"type": "object", "properties": {"a": {"properties": {"b-c": {}}, "required": ["b-c"]}}}),
        ),
        tool(
            "tree",
            json!({"type": "object", "properties": {"root": {"$ref": "#/$defs/tree"}}, "$defs": {"tree": tree}}),
        ),
    ];
    let left_out = |judged: &Judged| judged.left_out.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    for judged in judged(tools).await {
        let expected: &[&str] = match judged.api {
            Api::Anthropic => &["s__list", "s__dangling", "s__far", "s__key"],
            Api::Gemini => &["s__list", "s__dangling", "s__far", "s__key", "s__deep_key", "s__tree"],
            _ => &["s__list", "s__dangling", "s__far"],
        };
        assert_eq!(left_out(&judged), expected, "{:?}", judged.api);
    }
    let many = (0..130).map(|n| tool(&format!("t{n}"), json!({"type": "object"}))).collect();
    for judged in judged(many).await {
        let expected = if matches!(judged.api, Api::OpenAiChat | Api::OpenAiResponses) { 2 } else { 0 };
        assert_eq!(judged.left_out.len(), expected, "{:?}", judged.api);
    }
}

/// Right at the limits of strict mode, where being off by one is a refused request.
#[tokio::test]
async fn strict_mode_ends_where_its_limits_are() {
    let nested = |levels: usize| {
        let mut schema = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]});
        for _ in 1..levels {
            schema = json!({"type": "object", "properties": {"a": schema}, "required": ["a"]});
        }
        schema
    };
    let choice = |count: usize, length: usize| {
        let values: Vec<String> = (0..count).map(|n| format!("{n:0length$}")).collect();
        json!({"type": "object", "properties": {"a": {"type": "string", "enum": values}}})
    };
    let constant = json!({"type": "object", "properties": {"a": {"const": "x".repeat(130_000)}}, "required": ["a"]});
    let twice = json!({"type": "object", "properties": {"a": {"enum": ["x", "x"]}}, "required": ["a"]});
    let mut tools = vec![
        tool("const", constant),
        tool("twice", twice),
        tool("none", json!({"type": "object", "properties": {"a": {"enum": []}}})),
    ];
    tools.extend((8..13).map(|levels| tool(&format!("levels{levels}"), nested(levels))));
    tools.extend((998..1_003).map(|count| tool(&format!("values{count}"), choice(count, 5))));
    tools.extend((58..62).map(|length| tool(&format!("large{length}"), choice(251, length))));
    for judged in judged(tools).await {
        assert_eq!(judged.left_out, []);
    }
}

/// One of each keyword that an API has something against, at the root and inside.
#[tokio::test]
async fn odd_schemas_are_said_in_what_each_api_knows() {
    let odd = [
        json!({"$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://example.com/a"}),
        json!({"oneOf": [{"properties": {"a": {"type": "string"}}, "required": ["a"]}, {"properties": {"a": {"type": "integer"}}}]}),
        json!({"not": {"required": ["a"]}, "if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": false, "enum": [{}]}),
        json!({"properties": {"a": {"not": {}}, "b": {"if": {}, "then": {}}, "c": {"dependentRequired": {"x": ["y"]}}}}),
        json!({"properties": {"a": true, "b": false, "c": {}, "d": {"type": "null"}, "e": {"const": null}}}),
        json!({"properties": {"a": {"type": "array"}, "b": {"type": ["array", "null"]}, "c": {"type": "array", "items": false}}}),
        json!({"properties": {"a": {"prefixItems": [{}, true]}, "b": {"items": [{}, true], "additionalItems": false}}}),
        json!({"properties": {"a": {"enum": [1, "x", null, true]}, "b": {"enum": [1.5, 2]}, "c": {"enum": [""], "type": "string"}}}),
        json!({"properties": {"a": {"type": "number", "exclusiveMinimum": true, "minimum": 0}, "b": {"multipleOf": 0}}}),
        json!({"properties": {"a": {"type": ["string", "integer", "object", "array", "null", "null"]}}}),
        json!({"properties": {"a": {"type": "object", "additionalProperties": {"type": "string"}, "propertyNames": {"pattern": "^a"}}}}),
        json!({"properties": {"a": {"type": "object", "patternProperties": {"^x-": {}}, "minProperties": 1}}}),
        json!({"properties": {"a": {"type": "string", "format": "uri", "minLength": 1, "pattern": "(?=a)b", "contentEncoding": "base64"}}}),
        json!({"properties": {"a": {"type": "integer", "format": "uint64", "minimum": -1e300, "maximum": 18_446_744_073_709_551_615u64}}}),
        json!({"properties": {"a": {"type": "array", "items": {"type": "integer"}, "uniqueItems": true, "contains": {}, "minContains": 1}}}),
        json!({"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": null, "description": "x"}}}),
        json!({"properties": {"a": {"anyOf": [{"const": "x"}, {"const": 1}, {"anyOf": [{"type": "boolean"}]}], "title": "T"}}}),
        json!({"properties": {"a": {"allOf": [{"type": "string"}, {"minLength": 1}, {"allOf": [{"maxLength": 2}]}]}}}),
        json!({"properties": {"a": {"$ref": "#/$defs/a", "description": "here"}}, "$defs": {"a": {"enum": ["x", "y"]}}}),
        json!({"properties": {"$filter": {}, "foo[bar]": {}, "a.b": {}, "é": {}, "": {}}}),
        json!({"properties": {"a": {"type": "object", "properties": {"é b": {}, "c": {"items": {"properties": {"a.b": {}}}}}}}}),
        json!({"properties": {"a": {"type": "any", "required": true, "title": 3, "description": null, "format": []}}, "required": "a"}),
        json!({"properties": {"a": {"type": "string", "x-mcp-header": "A", "examples": ["x"], "deprecated": true, "readOnly": true}}}),
        json!({"properties": {"a": {"type": "string"}}, "required": ["a", "a", "zzz"], "additionalProperties": true}),
        json!({"properties": {"a": {"unevaluatedProperties": false, "dependentSchemas": {"x": {"required": ["y"]}}, "contentSchema": {}}}}),
    ];
    let with_type = |(index, mut schema): (usize, Value)| {
        schema["type"] = "object".into();
        tool(&format!("odd{index}"), schema)
    };
    for judged in judged(odd.into_iter().enumerate().map(with_type).collect()).await {
        assert_eq!(judged.left_out, [], "{:?}", judged.api);
    }
}

#[tokio::test]
async fn names_and_descriptions_fit_whatever_the_server_calls_its_tools() {
    let names = ["a.b", "a/b", "日本語", "", " ", "1", "a__b", "-", "get order"];
    let long = ["x".repeat(64), "x".repeat(200)];
    let mut tools: Vec<Value> = names
        .into_iter()
        .chain(long.iter().map(String::as_str))
        .map(|name| tool(name, json!({"type": "object"})))
        .collect();
    tools.push(json!({"name": "bare", "inputSchema": {"type": "object"}}));
    tools.push(json!({"name": "blank", "description": " \n", "inputSchema": {"type": "object"}}));
    tools.push(json!({"name": "long", "description": "ü".repeat(5_000), "inputSchema": {"type": "object"}}));
    let count = tools.len();
    for judged in judged(tools).await {
        assert_eq!(judged.tools.len(), count);
    }
}
