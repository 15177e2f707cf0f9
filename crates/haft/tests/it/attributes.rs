//! `#[prompt]` and `#[resource]`: what functions become.

use haft::PromptMessage;
use haft::prelude::*;
use serde_json::{Value, json};

use crate::wire::Wire;

/// Asks for a review
/// of some code.
///
/// Second paragraph.
#[prompt(title = "Review code", logs)]
async fn code_review(
    /// The code to review
    code: String,
    /// How deep to look
    depth: Option<u8>,
    context: Context,
    #[extract] client: Client,
) -> Vec<PromptMessage> {
    vec![PromptMessage::user(format!("{code} {depth:?} {} {}", context.name(), client.0))]
}

struct Client(String);

impl FromContext for Client {
    type Rejection = ToolError;

    async fn from_context(context: &Context) -> Result<Self, ToolError> {
        match context.client_info() {
            Some(info) if info.name == "banned" => Err(ToolError::new("Go away.")),
            info => Ok(Self(info.map_or("nobody", |info| &info.name).to_owned())),
        }
    }
}

/// What these notes are about.
#[resource("notes://readme", name = "README", title = "Read me", mime_type = "text/markdown")]
async fn readme() -> &'static str {
    "# Notes"
}

/// One note.
#[resource("notes://{id}{?lines}", needs(roots))]
async fn note(context: Context, lines: Option<usize>, id: u32) -> Result<String, RequestError> {
    match id {
        1 => Ok(format!("{} {lines:?}", context.name())),
        _ => Err(RequestError::not_found()),
    }
}

fn server() -> Server {
    Server::new("attributes", "1.0.0")
        .prompt(code_review::prompt().complete("code", |partial, _| async move { partial.filter(["a", "b"]) }))
        .resource(readme::resource())
        .resource_template(note::resource_template())
        .build()
        .unwrap()
}

fn with_roots(uri: &str) -> Value {
    json!({"uri": uri, "_meta": {"io.modelcontextprotocol/clientCapabilities": {"roots": {}}}})
}

#[tokio::test]
async fn a_function_becomes_a_definition() {
    let mut wire = Wire::new(&server());
    assert_eq!(
        wire.ask("prompts/list", json!({})).await["result"]["prompts"],
        json!([{
            "name": "code_review", "title": "Review code",
            "description": "Asks for a review of some code.\n\nSecond paragraph.",
            "arguments": [
                {"name": "code", "description": "The code to review", "required": true},
                {"name": "depth", "description": "How deep to look", "required": false},
            ],
        }])
    );
    assert_eq!(
        wire.ask("resources/list", json!({})).await["result"]["resources"],
        json!([{
            "uri": "notes://readme", "name": "README", "title": "Read me",
            "description": "What these notes are about.", "mimeType": "text/markdown",
        }])
    );
    assert_eq!(
        wire.ask("resources/templates/list", json!({})).await["result"]["resourceTemplates"],
        json!([{"uriTemplate": "notes://{id}{?lines}", "name": "note", "description": "One note."}])
    );
    let capabilities = wire.ask("server/discover", json!({})).await["result"]["capabilities"].clone();
    assert_eq!(capabilities, json!({"prompts": {}, "resources": {}, "completions": {}, "logging": {}}));
}

#[tokio::test]
async fn values_reach_the_function_with_their_types() {
    let mut wire = Wire::new(&server());
    let params = |depth: Value| json!({"name": "code_review", "arguments": {"code": "1 + 1", "depth": depth}});
    for (depth, text) in
        [(json!("7"), "1 + 1 Some(7) code_review nobody"), (json!(null), "1 + 1 None code_review nobody")]
    {
        let result = wire.ask("prompts/get", params(depth)).await["result"].clone();
        assert_eq!(result["messages"][0]["content"]["text"], text);
    }
    let error = wire.ask("prompts/get", params(json!("300"))).await["error"].clone();
    assert_eq!(error["code"], -32602);
    assert!(error["message"].as_str().unwrap().contains("`depth` can't be read"), "{error}");
    let mut banned = params(json!("7"));
    banned["_meta"] = json!({"io.modelcontextprotocol/clientInfo": {"name": "banned", "version": "1"}});
    let error = wire.ask("prompts/get", banned).await["error"].clone();
    assert_eq!(error, json!({"code": -32602, "message": "Go away."}));

    for (uri, text) in [
        ("notes://readme", "# Notes"),
        ("notes://1", "notes://1 None"),
        ("notes://1?lines=3", "notes://1?lines=3 Some(3)"),
    ] {
        let result = wire.ask("resources/read", with_roots(uri)).await["result"].clone();
        assert_eq!(result["contents"][0]["text"], text, "{uri}");
    }
    for uri in ["notes://2", "notes://one", "notes://1?lines=x"] {
        let error = wire.ask("resources/read", with_roots(uri)).await["error"].clone();
        assert_eq!((&error["code"], &error["data"]["uri"]), (&json!(-32602), &json!(uri)));
    }
    assert_eq!(wire.ask("resources/read", json!({"uri": "notes://1"})).await["error"]["code"], -32021);
}

#[tokio::test]
async fn the_function_stays_a_function() {
    assert_eq!(readme().await, "# Notes");
}
