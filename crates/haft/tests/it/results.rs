//! What comes back: each kind of return value, each kind of failure.

use std::fmt;

use haft::prelude::*;
use haft::{CallToolResult, Role};
use serde_json::{Value, json};

use crate::wire::{Wire, text};

#[derive(Serialize, JsonSchema)]
struct Reading {
    celsius: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// Use this for a test.
#[tool(read_only, closed_world)]
async fn give_value() -> Reading {
    Reading { celsius: 18.5, note: None }
}

/// Use this for a test.
#[tool(read_only, closed_world)]
async fn give_reply() -> Reply<Reading> {
    Reply::new(Reading { celsius: 18.5, note: None }).text("18.5 °C").text("Mild.").meta("com.example/k", 1)
}

/// Use this for a test.
#[tool(read_only, closed_world)]
async fn give_bare_reply() -> Result<Reply<Reading>, ToolError> {
    Ok(Reply::new(Reading { celsius: 1.0, note: Some("x".into()) }))
}

/// Use this for a test.
#[tool(read_only, closed_world)]
fn give_string() -> String {
    "plain".into()
}

/// Use this for a test.
#[tool(read_only, closed_world)]
async fn give_str() -> Result<&'static str, ToolError> {
    Ok("static")
}

/// Use this for a test.
#[tool(additive, closed_world)]
async fn give_unit() {}

/// Use this for a test.
#[tool(read_only, closed_world, allow(portable_output))]
async fn give_list() -> Vec<u8> {
    Vec::new()
}

/// Use this for a test.
#[tool(read_only, closed_world, allow(portable_output))]
async fn give_none() -> Option<Reading> {
    None
}

/// Use this for a test.
#[tool(read_only, closed_world, allow(portable_output))]
async fn give_number() -> i64 {
    i64::MIN
}

/// Use this for a test.
#[tool(read_only, closed_world)]
async fn give_json() -> Value {
    json!({"free": [1, null]})
}

/// Use this for a test.
#[tool(read_only, closed_world, embeds_resources)]
async fn give_blocks() -> Vec<Content> {
    vec![
        Content::text("for both").priority(1.0).last_modified("2026-01-01T00:00:00Z"),
        Content::image([1, 2, 3], "image/png").audience([Role::User]),
        Content::audio([4], "audio/wav"),
        Content::resource_link("https://example.com/a", "a").mime_type("text/plain").audience([Role::Assistant]),
        Content::resource_text("file:///a", "text/plain", "inside"),
    ]
}

/// Use this for a test.
#[tool(read_only, closed_world)]
async fn give_no_blocks() -> Vec<Content> {
    Vec::new()
}

pub(crate) fn all() -> haft::ServerBuilder {
    Server::new("results", "1.0.0")
        .tool(give_value::tool())
        .tool(give_reply::tool())
        .tool(give_bare_reply::tool())
        .tool(give_string::tool())
        .tool(give_str::tool())
        .tool(give_unit::tool())
        .tool(give_list::tool())
        .tool(give_none::tool())
        .tool(give_number::tool())
        .tool(give_json::tool())
        .tool(give_blocks::tool())
        .tool(give_no_blocks::tool())
}

fn server() -> Server {
    all().build().unwrap()
}

#[tokio::test]
async fn each_kind_of_return_value_gives_its_content_structure_and_schema() {
    let mut wire = Wire::new(&server());
    let tools = wire.ask("tools/list", json!({})).await["result"]["tools"].clone();
    let schema_type = |name: &str| {
        let tool = tools.as_array().unwrap().iter().find(|tool| tool["name"] == name).unwrap();
        tool.get("outputSchema").map(|schema| schema.get("type").or_else(|| schema.get("anyOf")).cloned())
    };
    let absent = Value::Null;
    for (tool, texts, structured, schema) in [
        ("give_value", vec![r#"{"celsius":18.5}"#], json!({"celsius": 18.5}), "object"),
        ("give_reply", vec!["18.5 °C", "Mild."], json!({"celsius": 18.5}), "object"),
        ("give_bare_reply", vec![r#"{"celsius":1.0,"note":"x"}"#], json!({"celsius": 1.0, "note": "x"}), "object"),
        ("give_string", vec!["plain"], absent.clone(), ""),
        ("give_str", vec!["static"], absent.clone(), ""),
        ("give_unit", vec!["Done."], absent.clone(), ""),
        ("give_list", vec!["[]"], json!([]), "array"),
        ("give_number", vec!["-9223372036854775808"], json!(i64::MIN), "integer"),
        ("give_json", vec![r#"{"free":[1,null]}"#], json!({"free": [1, null]}), ""),
        ("give_no_blocks", vec!["Done."], absent.clone(), ""),
    ] {
        let answer = wire.call(tool, json!({})).await;
        let result = &answer["result"];
        let content: Vec<_> = texts.iter().map(|text| json!({"type": "text", "text": text})).collect();
        assert_eq!(result["content"], json!(content), "{tool}");
        assert_eq!(result["structuredContent"], structured, "{tool}");
        assert_eq!(result.get("structuredContent").is_some(), !structured.is_null(), "{tool}");
        assert_eq!(result["isError"], false, "{tool}");
        let expected = (!schema.is_empty()).then(|| Some(json!(schema)));
        assert_eq!(schema_type(tool), expected, "{tool}");
    }
    // Null is a value, and not the absence of one.
    let none = wire.call("give_none", json!({})).await;
    assert_eq!(none["result"].get("structuredContent"), Some(&Value::Null));
    assert_eq!(text(&none), "null");
    assert!(schema_type("give_none").unwrap().unwrap().is_array());
}

#[tokio::test]
async fn all_five_kinds_of_content_go_out_with_their_annotations() {
    let mut wire = Wire::new(&server());
    let answer = wire.call("give_blocks", json!({})).await;
    assert_eq!(
        answer["result"]["content"],
        json!([
            {"type": "text", "text": "for both",
             "annotations": {"priority": 1, "lastModified": "2026-01-01T00:00:00Z"}},
            {"type": "image", "data": "AQID", "mimeType": "image/png", "annotations": {"audience": ["user"]}},
            {"type": "audio", "data": "BA==", "mimeType": "audio/wav"},
            {"type": "resource_link", "uri": "https://example.com/a", "name": "a", "mimeType": "text/plain",
             "annotations": {"audience": ["assistant"]}},
            {"type": "resource", "resource": {"uri": "file:///a", "mimeType": "text/plain", "text": "inside"}},
        ])
    );
}

#[tokio::test]
async fn a_tool_that_embeds_resources_declares_them_and_their_lists_are_empty() {
    let mut wire = Wire::new(&server());
    assert!(wire.ask("server/discover", json!({})).await["result"]["capabilities"]["resources"].is_object());
    assert_eq!(wire.ask("resources/list", json!({})).await["result"]["resources"], json!([]));
    assert_eq!(wire.ask("resources/templates/list", json!({})).await["result"]["resourceTemplates"], json!([]));
    assert_eq!(wire.ask("resources/read", json!({"uri": "file:///a"})).await["error"]["code"], -32602);
}

#[derive(Debug)]
struct Secret;

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("password hunter2 at db.internal:5432")
    }
}

impl std::error::Error for Secret {}

enum Mine {
    Shipped,
}

impl IntoToolError for Mine {
    fn into_tool_error(self) -> ToolError {
        ToolError::new("It has shipped. Offer a return.").code("shipped")
    }
}

/// Use this for a test.
#[tool(read_only, closed_world)]
async fn fail(how: String) -> Result<Reading, ToolError> {
    match how.as_str() {
        "model" => return Err(ToolError::new("No order A-9999. Ask the user to check the ID on their receipt.")),
        "question_mark" => Err(Secret)?,
        "boxed" => Err::<(), Box<dyn std::error::Error + Send + Sync>>("password hunter2".into()).internal()?,
        "for_model" => Err(Secret).for_model("The database is closed on Sundays.")?,
        "protocol" => Err(ProtocolError::new(-31999, "quota used up").data(json!({"retryAfter": 60})))?,
        "timeout" => Err(std::io::Error::from(std::io::ErrorKind::TimedOut))?,
        "panic" => panic!("password hunter2"),
        "nan" => return Ok(Reading { celsius: f64::NAN, note: None }),
        _ => {}
    }
    Ok(Reading { celsius: 0.0, note: None })
}

/// Use this for a test.
#[tool(read_only, closed_world)]
fn fail_mine() -> Result<String, Mine> {
    Err(Mine::Shipped)
}

/// Use this for a test.
#[tool(read_only, closed_world)]
fn panic_blocking() -> String {
    panic!("password hunter2")
}

fn failing() -> Server {
    Server::new("failing", "1.0.0")
        .tool(fail::tool())
        .tool(fail_mine::tool())
        .tool(panic_blocking::tool())
        .build()
        .unwrap()
}

#[tokio::test]
async fn a_tool_error_is_the_models_text_word_for_word() {
    let answer = Wire::new(&failing()).call("fail", json!({"how": "model"})).await;
    assert_eq!(text(&answer), "No order A-9999. Ask the user to check the ID on their receipt.");
    assert_eq!(answer["result"]["isError"], true);
    assert!(answer["result"].get("structuredContent").is_none());
    let answer = Wire::new(&failing()).call("fail", json!({"how": "for_model"})).await;
    assert_eq!(text(&answer), "The database is closed on Sundays.");
}

#[tokio::test]
async fn an_error_type_of_ones_own_brings_its_text_and_code() {
    let answer = Wire::new(&failing()).call("fail_mine", json!({})).await;
    assert_eq!(text(&answer), "It has shipped. Offer a return.");
    assert_eq!(answer["result"]["_meta"]["dev.haft/code"], "shipped");
}

#[tokio::test]
async fn internal_failures_tell_the_model_an_incident_and_nothing_else() {
    let mut wire = Wire::new(&failing());
    for how in ["question_mark", "boxed", "panic", "nan", "timeout"] {
        let answer = wire.call("fail", json!({"how": how})).await;
        let text = text(&answer);
        assert_eq!(answer["result"]["isError"], true, "{how}");
        assert!(text.contains("(incident ") && !text.contains("hunter2") && !text.contains("celsius"), "{how}: {text}");
        assert_eq!(text.contains("Trying again later may help."), how == "timeout", "{how}: {text}");
    }
    let answer = wire.call("panic_blocking", json!({})).await;
    assert!(text(&answer).contains("(incident "), "{answer}");
    // The connection has survived all of it.
    assert_eq!(wire.call("fail", json!({"how": "no"})).await["result"]["isError"], false);
}

#[tokio::test]
async fn a_protocol_error_keeps_its_code_and_data_through_the_question_mark() {
    let answer = Wire::new(&failing()).call("fail", json!({"how": "protocol"})).await;
    assert_eq!(answer["error"], json!({"code": -31999, "message": "quota used up", "data": {"retryAfter": 60}}));
}

#[tokio::test]
async fn a_result_that_breaks_its_schema_is_withheld() {
    let schema = r#"{"type": "object", "properties": {"n": {"type": "integer", "maximum": 9}}, "required": ["n"]}"#;
    let tool = |name: &str, value: Value| {
        Tool::builder(name).output_schema(schema).handler(move |_: Arguments, _: Context| {
            let value = value.clone();
            async move { value }
        })
    };
    let server = Server::new("withheld", "1.0.0")
        .tool(tool("good", json!({"n": 9})))
        .tool(tool("bad", json!({"n": 10, "secret": "hunter2"})))
        .tool(Tool::builder("bare").output_schema(schema).handler(|_: Arguments, _: Context| async { "text only" }))
        .tool(
            Tool::builder("error")
                .output_schema(schema)
                .handler(|_: Arguments, _: Context| async { CallToolResult::error("no") }),
        )
        .build()
        .unwrap();
    let mut wire = Wire::new(&server);
    assert_eq!(wire.call("good", json!({})).await["result"]["structuredContent"], json!({"n": 9}));
    for tool in ["bad", "bare"] {
        let answer = wire.call(tool, json!({})).await;
        assert_eq!(answer["result"]["isError"], true, "{tool}");
        assert!(answer["result"].get("structuredContent").is_none());
        let text = text(&answer);
        assert!(text.contains("withheld") && text.contains("incident") && !text.contains("hunter2"), "{text}");
    }
    assert_eq!(text(&wire.call("error", json!({})).await), "no");
}
