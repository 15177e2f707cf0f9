//! All that a server sends, against the specification's own JSON Schema.
//!
//! The schemas aren't part of this repository: `HAFT_SPEC_DIR` names the folder that has `schema-2026-07-28.json`, and
//! those of older revisions.

use std::cell::RefCell;
use std::collections::HashMap;

use haft::Server;
use jsonschema::Validator;
use serde_json::{Value, json};

use crate::wire::{Wire, request};

pub(crate) struct Specification {
    schema: Value,
    /// Those that were compiled already.
    validators: RefCell<HashMap<String, Validator>>,
}

impl Specification {
    pub(crate) fn load() -> Option<Self> {
        let Ok(folder) = std::env::var("HAFT_SPEC_DIR") else {
            eprintln!("HAFT_SPEC_DIR is not set: nothing was held against the specification's schema");
            return None;
        };
        let text = std::fs::read_to_string(format!("{folder}/schema-2026-07-28.json")).expect("the schema is there");
        Some(Self::of(serde_json::from_str(&text).unwrap()))
    }

    fn of(schema: Value) -> Self {
        Self { schema, validators: RefCell::default() }
    }

    /// The schema of an older revision, if it is there. Objects in it have no members but those that it names.
    pub(crate) fn strictly(version: &str) -> Option<Self> {
        let folder = std::env::var("HAFT_SPEC_DIR").ok()?;
        let text = std::fs::read_to_string(format!("{folder}/schema-{version}.json")).ok();
        let Some(text) = text else {
            eprintln!("{folder} has no schema of {version}: nothing was held against it");
            return None;
        };
        // The two that are older still have their definitions elsewhere, and are of an older draft.
        let text = text.replace("#/definitions/", "#/$defs/");
        let mut schema: Value = serde_json::from_str(&text).unwrap();
        if let Some(definitions) = schema.as_object_mut().unwrap().remove("definitions") {
            schema["$defs"] = definitions;
        }
        close(&mut schema["$defs"]);
        Some(Self::of(schema))
    }

    pub(crate) fn hold(&self, definition: &str, message: &Value) {
        let Self { schema, validators } = self;
        let mut validators = validators.borrow_mut();
        let validator = validators.entry(definition.to_owned()).or_insert_with(|| {
            assert!(schema["$defs"][definition].is_object(), "the specification has no {definition}");
            let schema = json!({"$ref": format!("#/$defs/{definition}"), "$defs": schema["$defs"]});
            jsonschema::draft202012::new(&schema).unwrap()
        });
        let errors: Vec<_> = validator.iter_errors(message).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{definition}: {errors:?}\n{message}");
    }
}

/// Schemas of tools and what extends `_meta` stay open.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if members.get("properties").is_some_and(Value::is_object) && members.get("type") == Some(&json!("object"))
            {
                members.entry("additionalProperties").or_insert(json!(false));
            }
            let inner =
                members.iter_mut().filter(|(name, _)| !["inputSchema", "outputSchema"].contains(&name.as_str()));
            inner.for_each(|(_, schema)| close(schema));
        }
        Value::Array(schemas) => schemas.iter_mut().for_each(close),
        _ => {}
    }
}

fn server() -> Server {
    crate::results::all().merge(crate::calls::all()).merge(crate::completion::all()).build().unwrap()
}

#[tokio::test]
async fn every_frame_that_a_server_sends_is_what_the_specification_says() {
    let Some(specification) = Specification::load() else { return };
    let mut wire = Wire::new(&server());
    for (definition, method) in [
        ("DiscoverResultResponse", "server/discover"),
        ("ListToolsResultResponse", "tools/list"),
        ("ListResourcesResultResponse", "resources/list"),
        ("ListResourceTemplatesResultResponse", "resources/templates/list"),
        ("ListPromptsResultResponse", "prompts/list"),
    ] {
        specification.hold(definition, &wire.ask(method, json!({})).await);
    }
    let tools = wire.ask("tools/list", json!({})).await["result"]["tools"].clone();
    assert!(tools.as_array().unwrap().len() > 12);
    for tool in tools.as_array().unwrap() {
        specification.hold("Tool", tool);
        let meta = json!({
            "progressToken": "p",
            "io.modelcontextprotocol/logLevel": "debug",
            "io.modelcontextprotocol/clientCapabilities": {"sampling": {}, "elicitation": {}},
        });
        wire.send(request(1, "tools/call", json!({"name": tool["name"], "arguments": {}, "_meta": meta}))).await;
        loop {
            let frame = wire.recv().await;
            match frame["method"].as_str() {
                Some("notifications/progress") => specification.hold("ProgressNotification", &frame),
                Some("notifications/message") => specification.hold("LoggingMessageNotification", &frame),
                _ => {
                    specification.hold("CallToolResultResponse", &frame);
                    break;
                }
            }
        }
    }
    for (definition, method, params) in [
        ("ReadResourceResultResponse", "resources/read", json!({"uri": "test://static-text"})),
        ("ReadResourceResultResponse", "resources/read", json!({"uri": "test://static-binary"})),
        ("ReadResourceResultResponse", "resources/read", json!({"uri": "test://directory"})),
        ("ReadResourceResultResponse", "resources/read", json!({"uri": "test://template/123/data"})),
        ("GetPromptResultResponse", "prompts/get", json!({"name": "test_simple_prompt"})),
        ("GetPromptResultResponse", "prompts/get", json!({"name": "test_prompt_with_image"})),
        (
            "GetPromptResultResponse",
            "prompts/get",
            json!({"name": "test_prompt_with_embedded_resource", "arguments": {"resourceUri": "test://x"}}),
        ),
        (
            "CompleteResultResponse",
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "many"}, "argument": {"name": "more", "value": ""}}),
        ),
    ] {
        specification.hold(definition, &wire.ask(method, params).await);
    }
    for (definition, frame) in [
        ("JSONRPCErrorResponse", request(1, "nope", json!({}))),
        ("JSONRPCErrorResponse", request(1, "resources/read", json!({"uri": "test://nope"}))),
        ("JSONRPCErrorResponse", request(1, "prompts/get", json!({"name": "nope"}))),
        ("JSONRPCErrorResponse", request(1, "tools/call", json!({"name": "nope"}))),
        ("JSONRPCErrorResponse", b"not json".to_vec()),
        ("JSONRPCErrorResponse", b"[]".to_vec()),
        ("MissingRequiredClientCapabilityError", request(1, "tools/call", json!({"name": "needy"}))),
        (
            "UnsupportedProtocolVersionError",
            request(1, "tools/list", json!({"_meta": {"io.modelcontextprotocol/protocolVersion": "1900-01-01"}})),
        ),
    ] {
        wire.send(frame).await;
        let answer = wire.recv().await;
        specification.hold("JSONRPCErrorResponse", &answer);
        specification.hold(definition, &answer);
    }
}
