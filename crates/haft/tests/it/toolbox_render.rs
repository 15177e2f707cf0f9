//! What a toolbox puts before a model, held against the rules that each API has.

use haft::{Api, Client, OutcomeKind, Rendered, ResultOptions, Server, ServerPolicy, Toolbox};
use serde_json::{Value, json};

use crate::toolbox::{server, tool};

const ALL: [Api; 4] = [Api::Anthropic, Api::OpenAiResponses, Api::OpenAiChat, Api::Gemini];

/// The definition's parts: name, description, schema if there is one, and whether it is strict.
fn parts(api: Api, definition: &Value) -> (&str, &str, Option<&Value>, bool) {
    let (inner, schema) = match api {
        Api::Anthropic => (definition, definition.get("input_schema")),
        Api::OpenAiResponses => (definition, definition.get("parameters")),
        Api::OpenAiChat => (&definition["function"], definition["function"].get("parameters")),
        Api::Gemini => (definition, definition.get("parameters")),
        _ => unreachable!(),
    };
    let strict = inner.get("strict").is_some_and(|strict| strict == true);
    (inner["name"].as_str().unwrap(), inner["description"].as_str().unwrap(), schema, strict)
}

/// The rules of each API that a definition can be held against.
fn assert_taken(api: Api, rendered: &Rendered) {
    for definition in &rendered.tools {
        let (name, description, schema, strict) = parts(api, definition);
        assert!((1..=64).contains(&name.len()), "{name}");
        assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')), "{name}");
        assert!(name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'), "{name}");
        assert!(!description.is_empty() && description.chars().count() <= 8_192);
        assert!(!description.contains(['\u{1b}', '\u{202e}', '\u{200b}']), "{description}");
        let Some(schema) = schema else {
            assert_eq!(api, Api::Gemini);
            continue;
        };
        assert_eq!(schema["type"], "object", "{name} {schema}");
        for keyword in ["oneOf", "anyOf", "allOf", "$schema"] {
            assert!(schema.get(keyword).is_none(), "{api:?} {name}: {keyword} at the root");
        }
        assert!(schema["properties"].is_object(), "{name}");
        match api {
            Api::Gemini => gemini(name, schema),
            Api::Anthropic => {
                jsonschema::draft202012::meta::validate(schema).unwrap_or_else(|error| panic!("{name}: {error}"));
                for key in schema["properties"].as_object().unwrap().keys() {
                    let taken = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
                    assert!(key.len() <= 64 && !key.is_empty() && key.bytes().all(taken), "{key}");
                }
            }
            _ => {
                jsonschema::draft202012::meta::validate(schema).unwrap_or_else(|error| panic!("{name}: {error}"));
                assert!(description.chars().count() <= 1_024);
                openai(name, schema, strict);
            }
        }
    }
    if matches!(api, Api::OpenAiChat | Api::OpenAiResponses) {
        assert!(rendered.tools.len() <= 128);
    }
}

fn openai(name: &str, schema: &Value, strict: bool) {
    let Some(members) = schema.as_object() else { return };
    let is = |kind: &str| match &schema["type"] {
        Value::Array(kinds) => kinds.contains(&json!(kind)),
        other => other == kind,
    };
    assert!(!is("array") || members.contains_key("items"), "{name}: {schema}");
    if strict {
        for keyword in ["oneOf", "allOf", "not", "$ref", "default", "minLength", "patternProperties", "uniqueItems"] {
            assert!(!members.contains_key(keyword), "{name}: {keyword}");
        }
        if is("object") {
            assert_eq!(schema["additionalProperties"], false, "{name}: {schema}");
            let keys: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
            assert_eq!(json!(keys), schema["required"], "{name}");
        }
    }
    for child in schema["properties"].as_object().into_iter().flat_map(|properties| properties.values()) {
        openai(name, child, strict);
    }
    for child in schema["anyOf"].as_array().into_iter().flatten() {
        openai(name, child, strict);
    }
    if members.contains_key("items") {
        openai(name, &schema["items"], strict);
    }
}

fn gemini(name: &str, schema: &Value) {
    const KNOWN: [&str; 20] = [
        "type",
        "format",
        "title",
        "description",
        "nullable",
        "default",
        "example",
        "enum",
        "properties",
        "required",
        "items",
        "minItems",
        "maxItems",
        "minimum",
        "maximum",
        "minLength",
        "maxLength",
        "pattern",
        "anyOf",
        "propertyOrdering",
    ];
    let members = schema.as_object().unwrap_or_else(|| panic!("{name}: {schema} is no schema"));
    for keyword in members.keys() {
        assert!(KNOWN.contains(&keyword.as_str()), "{name}: {keyword}");
    }
    if let Some(branches) = schema["anyOf"].as_array() {
        assert_eq!(members.len(), 1, "{name}: {schema}");
        branches.iter().for_each(|branch| gemini(name, branch));
        return;
    }
    let kind = schema["type"].as_str().unwrap_or_else(|| panic!("{name}: {schema} has no type"));
    if let Some(values) = schema["enum"].as_array() {
        assert_eq!(kind, "string", "{name}");
        assert!(values.iter().all(|value| value.as_str().is_some_and(|text| !text.is_empty())), "{name}: {schema}");
    }
    if let Some(format) = schema["format"].as_str() {
        let known = matches!(
            (kind, format),
            ("string", "date-time") | ("integer", "int32" | "int64") | ("number", "float" | "double")
        );
        assert!(known, "{name}: {kind} {format}");
    }
    let properties = schema["properties"].as_object();
    for (key, child) in properties.into_iter().flatten() {
        assert!(key.len() <= 64 && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'), "{key}");
        gemini(name, child);
    }
    for key in schema["required"].as_array().into_iter().flatten() {
        assert!(properties.unwrap().contains_key(key.as_str().unwrap()), "{name}");
    }
    assert_eq!(kind == "array", schema.get("items").is_some(), "{name}");
    schema.get("items").into_iter().for_each(|items| gemini(name, items));
}

fn with_schema(name: &str, schema: Value) -> Value {
    json!({"name": name, "description": "Use this.", "inputSchema": schema})
}

async fn rendered(tools: Value, api: Api) -> Rendered {
    let toolbox = Toolbox::builder().server("s", server(tools, json!({})).0).build().await.unwrap();
    let rendered = toolbox.render(api);
    assert_taken(api, &rendered);
    rendered
}

async fn schema(schema: Value, api: Api) -> Value {
    let rendered = rendered(json!([with_schema("t", schema)]), api).await;
    assert_eq!(rendered.left_out, []);
    parts(api, &rendered.tools[0]).2.cloned().unwrap_or_default()
}

#[tokio::test]
async fn whatever_a_server_lists_each_api_gets_only_what_it_takes() {
    let odd = [
        json!({}),
        json!({"type": "object", "properties": {"a": true, "b": false, "c": {}}, "required": ["a", "b", "zzz"]}),
        json!({"properties": {"a": {"type": "array"}, "b": {"type": "array", "items": [{"type": "string"}]}}}),
        json!({"oneOf": [{"properties": {"a": {"type": "string"}}, "required": ["a"]}, {"properties": {"a": {"type": "integer"}}}]}),
        json!({"anyOf": [{"required": ["a"]}], "allOf": [{"properties": {"a": {"const": 1}}}]}),
        json!({"properties": {"a": {"enum": [1, 2]}, "b": {"enum": ["", "x"]}, "c": {"type": ["string", "null"], "enum": ["x", null]}}}),
        json!({"properties": {"a": {"type": "number", "exclusiveMinimum": true, "minimum": 3}, "b": {"type": "integer", "exclusiveMinimum": 4, "format": "uint32"}}}),
        json!({"properties": {"a": {"type": "string", "format": "uri", "default": null}, "b": {"type": ["string", "integer", "null"]}}}),
        json!({"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"$ref": "#/definitions/a"}},
            "definitions": {"a": {"oneOf": [{"type": "null"}, {"type": "object", "properties": {"x": {"not": {}}}, "additionalProperties": {"type": "string"}}]}}}),
        json!({"properties": {"$filter": {"type": "string"}, "foo[bar]": {"type": "string"}, "a.b": {"type": "string"}}}),
        json!({"properties": {"a": {"type": "any"}, "b": {"type": "date"}, "c": {"type": "string", "required": true}}}),
        json!({"properties": {"tree": {"$ref": "#/$defs/node"}}, "$defs": {"node": {"type": "object",
            "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/node"}}}}}}),
        json!({"properties": {"a": {"type": "string", "minLength": -1, "pattern": 7, "title": [], "enum": "x", "maxLength": "9"},
            "b": {"type": "object", "properties": [], "required": {}, "anyOf": [], "additionalProperties": 3}, "c": 7,
            "d": {"type": "integer", "minimum": "1", "multipleOf": 0}}, "required": "a"}),
        json!({"properties": {"a": {"description": "x\u{202e}y\u{200b}", "anyOf": [{"type": "string"}, {"anyOf": [{"type": "null"}, {"type": "array", "prefixItems": [{}]}]}]}}}),
    ];
    let tools: Vec<Value> =
        odd.iter().enumerate().map(|(n, schema)| with_schema(&format!("t{n}"), schema.clone())).collect();
    for api in ALL {
        let rendered = rendered(json!(tools), api).await;
        let left_out: Vec<&str> = rendered.left_out.iter().map(|note| note.name.as_str()).collect();
        let expected: &[&str] = if api == Api::Gemini { &["s__t11"] } else { &[] };
        assert_eq!(left_out, expected, "{api:?}: {:?}", rendered.left_out);
        assert!(rendered.reduced.iter().any(|note| note.name == "s__t3"), "{:?}", rendered.reduced);
    }
}

#[tokio::test]
async fn what_no_api_can_take_is_left_out_with_the_reason() {
    let tools = json!([
        with_schema("array", json!({"type": "array"})),
        with_schema("far", json!({"properties": {"a": {"$ref": "https://example.com/\u{202e}"}}})),
        with_schema("key", json!({"properties": {"a b": {}}, "required": ["a b"]})),
        tool("good"),
    ]);
    for api in [Api::Anthropic, Api::Gemini] {
        let rendered = rendered(tools.clone(), api).await;
        assert_eq!(rendered.tools.len(), 1);
        let reasons: Vec<&str> = rendered.left_out.iter().map(|note| note.reason.as_str()).collect();
        let expected = [
            "its input schema is of type \"array\", and arguments are an object",
            "its input schema refers to https://example.com/\\u{202e}, which is not in it",
            "it requires the argument \"a b\", a name that the API doesn't take",
        ];
        assert_eq!(reasons, expected, "{api:?}");
    }
}

#[tokio::test]
async fn schemas_that_explode_cost_their_own_tool_only() {
    let mut defs = serde_json::Map::new();
    for n in 0..60 {
        let next = json!({"$ref": format!("#/$defs/{}", n + 1)});
        defs.insert(n.to_string(), json!({"anyOf": [{"properties": {"a": next, "b": next}}, next]}));
    }
    defs.insert("60".to_owned(), json!({"type": "string"}));
    let many =
        |n: usize| (0..n).map(|n| (format!("p{n}"), json!({"type": "string"}))).collect::<serde_json::Map<_, _>>();
    let branches: Vec<Value> = (0..2_000).map(|n| json!({"title": n.to_string()})).collect();
    let mut deep = json!({});
    for _ in 0..50 {
        deep = json!({"type": ["object", "object", "array", "array"], "properties": {"a": deep}, "items": {}});
    }
    let tools = json!([
        with_schema("references", json!({"properties": {"a": {"$ref": "#/$defs/0"}}, "$defs": defs})),
        with_schema("alternatives", json!({"properties": {"a": {"properties": many(2_000), "anyOf": branches}}})),
        with_schema("types", json!({"properties": {"a": deep}})),
        with_schema("large", json!({"properties": {"a": {"enum": ["x".repeat(300_000)]}}})),
        tool("good"),
    ]);
    for (api, expected) in ALL.into_iter().zip([
        &["s__large"][..],
        &["s__large"],
        &["s__large"],
        &["s__references", "s__alternatives", "s__large"],
    ]) {
        let rendered = rendered(tools.clone(), api).await;
        let left_out: Vec<&str> = rendered.left_out.iter().map(|note| note.name.as_str()).collect();
        assert_eq!(left_out, expected, "{api:?}");
    }
}

#[tokio::test]
async fn openai_takes_so_many_tools_and_the_others_more() {
    let tools: Vec<Value> = (0..130).map(|n| tool(&format!("t{n}"))).collect();
    let openai = rendered(json!(tools), Api::OpenAiResponses).await;
    assert_eq!((openai.tools.len(), openai.left_out.len()), (128, 2));
    assert_eq!(rendered(json!(tools), Api::Anthropic).await.tools.len(), 130);
}

#[tokio::test]
async fn strict_mode_is_used_where_it_fits_and_optional_arguments_may_be_null() {
    let fits = json!({"type": "object", "properties": {"a": {"type": "string", "minLength": 3}, "b": {"enum": ["x", "y"]},
        "c": {"type": "object", "properties": {"d": {"type": "integer"}}, "required": ["d"]}}, "required": ["a"]});
    let expected = json!({"type": "object", "additionalProperties": false, "required": ["a", "b", "c"], "properties": {
        "a": {"type": "string"}, "b": {"type": ["string", "null"], "enum": ["x", "y", null]},
        "c": {"type": ["object", "null"], "properties": {"d": {"type": "integer"}}, "required": ["d"], "additionalProperties": false}}});
    let rendered = rendered(json!([with_schema("t", fits)]), Api::OpenAiResponses).await;
    let inner =
        json!({"type": "function", "name": "s__t", "description": "Use this.", "parameters": expected, "strict": true});
    assert_eq!(rendered.tools, [inner]);

    for open in [
        json!({"additionalProperties": true, "properties": {"a": {"type": "string"}}}),
        json!({"properties": {"a": {"type": "object"}}}),
        json!({"properties": {"a": {}}}),
        json!({"properties": {"a": {"allOf": [{"type": "string"}]}}}),
    ] {
        let rendered = self::rendered(json!([with_schema("t", open.clone())]), Api::OpenAiChat).await;
        assert!(!parts(Api::OpenAiChat, &rendered.tools[0]).3, "{open}");
    }
}

#[tokio::test]
async fn gemini_reads_in_words_what_its_schemas_can_not_say() {
    let shown = schema(
        json!({"properties": {"a": {"type": "number", "exclusiveMinimum": 0, "description": "How much."},
            "b": {"enum": [1, 2]}, "c": {"anyOf": [{"type": "string"}, {"type": "null"}], "description": "Maybe."},
            "d": {"allOf": [{"type": "string"}, {"format": "email"}]}}}),
        Api::Gemini,
    )
    .await;
    let expected = json!({"type": "object", "properties": {
        "a": {"type": "number", "description": "How much. More than 0."},
        "b": {"type": "number", "description": "One of: 1, 2."},
        "c": {"type": "string", "nullable": true, "description": "Maybe."},
        "d": {"type": "string", "description": "Format: email."}}});
    assert_eq!(shown, expected);
    assert_eq!(schema(json!({"type": "object", "properties": {}}), Api::Gemini).await, Value::Null);
}

/// Use this to find things.
#[haft::tool(title = "Find", read_only, closed_world)]
async fn find(q: String, most: Option<u32>) -> String {
    format!("found {q} {most:?}")
}

#[tokio::test]
async fn tools_of_this_framework_are_taken_by_all() {
    let server = Server::new("a", "1.0.0").tool(find::tool()).build().unwrap();
    let policy = ServerPolicy::new().trusted();
    let toolbox = Toolbox::builder().server_with("a", Client::in_memory(&server), policy).build().await.unwrap();
    for api in ALL {
        let rendered = toolbox.render(api);
        assert_taken(api, &rendered);
        assert_eq!((rendered.tools.len(), rendered.reduced.len()), (1, 0));
        assert_eq!(toolbox.render_only(api, ["a__find", "nothing"]).tools, rendered.tools);
    }
    assert_eq!(toolbox.call("a__find", json!({"q": "x", "most": null})).await.text(), "found x None");
}

/// A result, through a call.
async fn called(result: Value) -> haft::CallOutcome {
    let (client, _) = server(json!([tool("t")]), result);
    let toolbox = Toolbox::builder().server("s", client).preapprove(["s__t"]).build().await.unwrap();
    toolbox.call("s__t", json!({})).await
}

const PNG: &str = "iVBORw0KGgo=";

#[tokio::test]
async fn a_result_has_the_shape_that_each_api_takes() {
    let content = json!([{"type": "text", "text": "see"}, {"type": "image", "data": PNG, "mimeType": "image/jpeg"},
        {"type": "text", "text": "for you", "annotations": {"audience": ["user"]}}]);
    let outcome = called(json!({"resultType": "complete", "content": content})).await;
    let expected = [
        json!({"type": "tool_result", "tool_use_id": "c", "is_error": false, "content": [{"type": "text", "text": "see"},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}]}),
        json!({"type": "function_call_output", "call_id": "c", "output": [{"type": "input_text", "text": "see"},
            {"type": "input_image", "image_url": format!("data:image/png;base64,{PNG}")}]}),
        json!({"role": "tool", "tool_call_id": "c", "content": "see\n[an image (image/jpeg) that can't be shown here]"}),
        json!({"functionResponse": {"id": "c", "name": "s__t", "response": {"output": "see"},
            "parts": [{"inlineData": {"mimeType": "image/png", "data": PNG}}]}}),
    ];
    for (api, expected) in ALL.into_iter().zip(expected) {
        assert_eq!(outcome.render(api, "c"), expected);
    }
    assert_eq!(outcome.for_user().count(), 3);
    assert_eq!(outcome.text(), "see");
}

#[tokio::test]
async fn an_error_says_so_to_each_api() {
    let content = json!([{"type": "text", "text": "no such order"}]);
    let outcome = called(json!({"resultType": "complete", "isError": true, "content": content})).await;
    assert_eq!(outcome.kind(), OutcomeKind::ToolError);
    assert_eq!(outcome.render(Api::Anthropic, "c")["is_error"], true);
    assert_eq!(outcome.render(Api::OpenAiChat, "c")["content"], "The call failed:\nno such order");
    assert_eq!(outcome.render(Api::OpenAiResponses, "c")["output"], "The call failed:\nno such order");
    assert_eq!(outcome.render(Api::Gemini, "c")["functionResponse"]["response"], json!({"error": "no such order"}));
}

#[tokio::test]
async fn the_structured_half_is_read_where_there_is_nothing_else_for_the_model() {
    let chat = |outcome: &haft::CallOutcome, options: &ResultOptions| {
        outcome.render_with(Api::OpenAiChat, "c", options)["content"].as_str().unwrap().to_owned()
    };
    let (plain, both) = (ResultOptions::new(), ResultOptions::new().structured(true));
    let only = called(json!({"resultType": "complete", "content": [], "structuredContent": {"a": 1}})).await;
    assert_eq!(chat(&only, &plain), r#"{"a":1}"#);
    assert_eq!(only.text(), r#"{"a":1}"#);
    let user = json!([{"type": "text", "text": "hi", "annotations": {"audience": ["user"]}}]);
    let user = called(json!({"resultType": "complete", "content": user, "structuredContent": {"a": 1}})).await;
    assert_eq!(chat(&user, &plain), r#"{"a":1}"#);
    let text = json!([{"type": "text", "text": "one"}]);
    let summary = called(json!({"resultType": "complete", "content": text, "structuredContent": {"a": 1}})).await;
    assert_eq!(chat(&summary, &plain), "one");
    assert_eq!(chat(&summary, &both), "one\n{\"a\":1}");
    let same = json!([{"type": "text", "text": "{ \"a\": 1 }"}]);
    let same = called(json!({"resultType": "complete", "content": same, "structuredContent": {"a": 1}})).await;
    assert_eq!(chat(&same, &both), "{ \"a\": 1 }");
    let nothing = called(json!({"resultType": "complete", "content": [{"type": "text", "text": " "}]})).await;
    assert_eq!(chat(&nothing, &plain), "(no output)");
}

#[tokio::test]
async fn a_long_result_is_cut_where_it_matters_least_and_the_model_is_told() {
    let part = |letter: &str, priority: Value| json!({"type": "text", "text": letter.repeat(900), "annotations": {"priority": priority}});
    let content = json!([part("a", json!(0.1)), part("b", json!(1)), {"type": "text", "text": "é".repeat(900)}]);
    let outcome = called(json!({"resultType": "complete", "content": content})).await;
    let text = outcome.render_with(Api::OpenAiChat, "c", &ResultOptions::new().budget(1_500))["content"].clone();
    let text = text.as_str().unwrap();
    let count = |letter: char| text.chars().filter(|c| *c == letter).count();
    assert!(text.chars().count() <= 1_500, "{}", text.chars().count());
    assert!(count('b') >= 900 && count('é') == 400, "{text}");
    assert!(text.contains("The host cut 1400 of 2700 characters"), "{text}");
    assert_eq!(outcome.render(Api::OpenAiChat, "c")["content"].as_str().unwrap().chars().count(), 2_702);
}

#[tokio::test]
async fn a_picture_that_is_none_does_not_cost_the_request() {
    let image = |data: &str| json!({"type": "image", "data": data, "mimeType": "image/png\u{1b}[2J"});
    let content = json!([image("not base64!"), image("AAAA"), {"type": "hologram"}]);
    let outcome = called(json!({"resultType": "complete", "content": content})).await;
    let shown = outcome.render(Api::Anthropic, "c");
    let kinds: Vec<&str> =
        shown["content"].as_array().unwrap().iter().map(|part| part["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["text"; 3]);
    assert!(!shown.to_string().contains('\u{1b}') && shown["content"][0]["text"].as_str().unwrap().contains("\\u{1b}"));
}

#[tokio::test]
async fn links_are_read_when_the_host_wants_it() {
    let content = json!([{"type": "resource_link", "uri": "a://1", "name": "one", "annotations": {"priority": 0.9}},
        {"type": "resource_link", "uri": "a://2", "name": "two"}]);
    let mut outcome = called(json!({"resultType": "complete", "content": content})).await;
    assert_eq!(outcome.render(Api::OpenAiChat, "c")["content"], "[link to one <a://1>]\n[link to two <a://2>]");
    assert!(outcome.fetch_links(1).await.is_empty());
    let text = "[resource <a://1>]\nwhat is linked\n[link to two <a://2>]";
    assert_eq!(outcome.render(Api::OpenAiChat, "c")["content"], text);
}
